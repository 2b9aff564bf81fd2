//===- Placement.cpp - what runs before, in and behind the loop -----------===//

#include "partita/Temporal/Placement.h"

#include "partita/Program/Effects.h"
#include "partita/Temporal/Refusals.h"

using namespace mlir;

namespace partita::temporal {

namespace {

constexpr int never = INT_MAX;

/// When a value can be used: in a turn from loop `loop` on, and whole from stage `stage` on.
struct Availability {
  int loop = 1;
  int stage = 0;
};

/// A use of a cell by an op of another unit.
struct OuterUse {
  OpId op;
  CellId cell;
  ValueForm needed;
};

class Placer {
public:
  Placer(const MicroProgram &program, const Units &units, const Reached &reached, const Forms &forms, int64_t passes)
      : program(program), graph(program.graph), units(units), reached(reached), forms(forms),
        available(graph.cells.size()), unitTimes(units.list.size()), inLoop(units.list.size(), 0),
        deadlines(graph.cells.size(), never), wantedIn(graph.cells.size()), keepsCostly(passes == 1) {
    placement.places.resize(units.list.size());
  }

  Result<std::optional<MicroPlacement>> run(int64_t passes, IdVector<OpId, uint8_t> &forbidden);

private:
  void visitUses(const MicroUnit &unit, llvm::function_ref<void(const OuterUse &)> visit) const;
  int getLoop(const OuterUse &use) const;
  void computeTimes(uint32_t number);
  bool forbidLateSums(IdVector<OpId, uint8_t> &forbidden) const;

  void wantWhole(CellId cell, int stage) { deadlines[cell] = std::min(deadlines[cell], stage); }
  void wantInLoop(const OuterUse &use, int loop);
  void place(uint32_t number);
  void placeWhole(uint32_t number, bool isRoot);
  void placeInLoops(uint32_t number);
  LoopSet collectWanted(const MicroUnit &unit) const;
  void keepForLater(const MicroUnit &unit, UnitPlace &place);
  std::vector<CellId> getValues(const MicroUnit &unit) const;

  bool isCostly(const MicroUnit &unit) const;
  Status checkCosts(int64_t passes) const;
  OpId findBarrier(int loop) const;
  OpId findFirstBarrier() const;
  OpId findIncompleteUse(uint32_t number) const;

  const MicroProgram &program;
  const Graph &graph;
  const Units &units;
  const Reached &reached;
  const Forms &forms;
  IdVector<CellId, Availability> available;
  std::vector<Availability> unitTimes;
  /// Whether a unit computes pieces or terms.
  std::vector<uint8_t> inLoop;
  /// By which stage a cell is needed whole, and in which loops it is needed as it is there.
  IdVector<CellId, int> deadlines;
  IdVector<CellId, LoopSet> wantedIn;
  /// Whether costly units run once, and what later loops need of them is kept.
  bool keepsCostly;
  MicroPlacement placement;
};

} // namespace

static IdRange<OpId> getOps(const MicroUnit &unit) { return {unit.first.get(), unit.end.get()}; }

void Placer::visitUses(const MicroUnit &unit, llvm::function_ref<void(const OuterUse &)> visit) const {
  uint32_t number = units.ofOp[unit.first];
  for (OpId op : getOps(unit))
    for (auto [operand, cell] : llvm::enumerate(graph.getOperands(op)))
      if (units.ofCell[cell] != number)
        visit({op, cell, getNeeded(program, forms, op, operand)});
}

//===----------------------------------------------------------------------===//
// As early as possible
//===----------------------------------------------------------------------===//

/// The first loop in which the use can read its value.
int Placer::getLoop(const OuterUse &use) const {
  const Availability &from = available[use.cell];
  return isUsable(forms.cells[use.cell], use.needed) ? from.loop : from.stage + 1;
}

void Placer::computeTimes(uint32_t number) {
  const MicroUnit &unit = units.list[number];
  Availability &time = unitTimes[number];
  for (OpId op : getOps(unit))
    inLoop[number] |= forms.ops[op] != OpForm::Whole;
  bool readsWhole = true;
  visitUses(unit, [&](const OuterUse &use) {
    time.loop = std::max(time.loop, getLoop(use));
    time.stage = std::max(time.stage, available[use.cell].stage);
    readsWhole &= forms.cells[use.cell].form == Form::Whole;
  });
  if (inLoop[number])
    time.stage = time.loop;
  else if (!readsWhole)
    time.loop = time.stage + 1;
  for (CellId cell : getValues(unit))
    available[cell] = time;
}

/// Ops that pass terms on but wait for another loop: their terms are better completed first.
bool Placer::forbidLateSums(IdVector<OpId, uint8_t> &forbidden) const {
  bool forbidsAny = false;
  for (const MicroUnit &unit : units.list) {
    if (unit.isBundle || forms.ops[unit.first] != OpForm::Sum)
      continue;
    int terms = 1, others = 1;
    for (auto [operand, cell] : llvm::enumerate(graph.getOperands(unit.first))) {
      int &loop = passesTerm(program, forms, unit.first, operand) ? terms : others;
      loop = std::max(loop, available[cell].loop);
    }
    if (others > terms)
      forbidden[unit.first] = forbidsAny = true;
  }
  return forbidsAny;
}

//===----------------------------------------------------------------------===//
// As late as possible
//===----------------------------------------------------------------------===//

/// A carried value has several definitions, but is one value.
std::vector<CellId> Placer::getValues(const MicroUnit &unit) const {
  std::vector<CellId> cells;
  for (OpId op : getOps(unit))
    llvm::append_range(cells, graph.getResults(op));
  llvm::sort(cells);
  cells.erase(llvm::unique(cells), cells.end());
  return cells;
}

void Placer::wantInLoop(const OuterUse &use, int loop) {
  const ValueForm &given = forms.cells[use.cell];
  bool isReady = given.form == Form::Whole && available[use.cell].stage < loop;
  if (isReady || !isUsable(given, use.needed))
    return wantWhole(use.cell, loop - 1);
  wantedIn[use.cell].set(static_cast<size_t>(loop));
}

LoopSet Placer::collectWanted(const MicroUnit &unit) const {
  LoopSet loops;
  for (CellId cell : getValues(unit))
    loops |= wantedIn[cell];
  return loops;
}

/// A whole value that is ready before a loop is computed there, not in it.
void Placer::placeWhole(uint32_t number, bool isRoot) {
  const MicroUnit &unit = units.list[number];
  UnitPlace &place = placement.places[number];
  int stage = isRoot ? placement.numLoops : never;
  for (CellId cell : getValues(unit))
    stage = std::min(stage, deadlines[cell]);
  LoopSet loops = collectWanted(unit);
  for (int loop = 1; loop <= placement.numLoops; ++loop) {
    if (!loops[static_cast<size_t>(loop)])
      continue;
    if (unitTimes[number].stage < loop)
      stage = std::min(stage, loop - 1);
    else
      place.loops.set(static_cast<size_t>(loop));
  }
  if (stage == never)
    stage = -1;
  place.stage = stage;
  visitUses(unit, [&](const OuterUse &use) {
    if (stage >= 0)
      wantWhole(use.cell, stage);
    for (int loop = 1; loop <= placement.numLoops; ++loop)
      if (place.isIn(loop))
        wantInLoop(use, loop);
  });
}

/// The last loop up to `stage` in which the unit runs anyway, or else loop `stage`.
static int chooseLoop(const LoopSet &loops, int stage) {
  for (int loop = stage; loop >= 1; --loop)
    if (loops[static_cast<size_t>(loop)])
      return loop;
  return stage;
}

/// A unit that several loops need runs in the first of them. What the others need leaves that loop.
void Placer::keepForLater(const MicroUnit &unit, UnitPlace &place) {
  size_t first = place.loops._Find_first();
  for (CellId cell : getValues(unit)) {
    LoopSet later = wantedIn[cell];
    later.reset(first);
    auto isOutput = [&](const LoopOutput &output) { return output.cell == cell; };
    if (later.any() && llvm::none_of(placement.outputs, isOutput))
      placement.outputs.push_back({cell, static_cast<int>(first)});
  }
  place.loops.reset();
  place.loops.set(first);
}

void Placer::placeInLoops(uint32_t number) {
  const MicroUnit &unit = units.list[number];
  UnitPlace &place = placement.places[number];
  place.loops = collectWanted(unit);
  bool isKept = keepsCostly && isCostly(unit);
  for (CellId cell : getValues(unit))
    if (deadlines[cell] != never) {
      int loop = chooseLoop(place.loops, deadlines[cell]);
      place.loops.set(static_cast<size_t>(loop));
      if (!isKept)
        placement.outputs.push_back({cell, loop});
    }
  if (isKept) {
    auto first = static_cast<int>(place.loops._Find_first());
    for (CellId cell : getValues(unit))
      if (deadlines[cell] != never)
        placement.outputs.push_back({cell, first});
    if (place.loops.count() > 1)
      keepForLater(unit, place);
  }
  for (int loop = 1; loop <= placement.numLoops; ++loop)
    if (place.isIn(loop))
      visitUses(unit, [&](const OuterUse &use) { wantInLoop(use, loop); });
}

void Placer::place(uint32_t number) {
  if (inLoop[number])
    return placeInLoops(number);
  const MicroUnit &unit = units.list[number];
  placeWhole(number, graph.ops[unit.first].role == IdentityRole::Result || hasEffect(unit.origin));
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

bool Placer::isCostly(const MicroUnit &unit) const {
  const Op &op = graph.ops[unit.first];
  return unit.isBundle || op.opClass == OpClass::Contraction || op.opClass == OpClass::Collective ||
         op.opClass == OpClass::Opaque || op.kind == OpKind::Sort;
}

/// An op of the unit that cannot use what a loop gives it.
OpId Placer::findIncompleteUse(uint32_t number) const {
  OpId found;
  visitUses(units.list[number], [&](const OuterUse &use) {
    const ValueForm &given = forms.cells[use.cell];
    if (inLoop[number] ? !isUsable(given, use.needed) : given.form != Form::Whole)
      found = use.op;
  });
  return found;
}

/// The first op that waits for `loop` but runs before the last one ends.
OpId Placer::findBarrier(int loop) const {
  for (auto [number, place] : llvm::enumerate(placement.places)) {
    bool isBetween = place.stage >= loop && place.stage < placement.numLoops;
    bool isBehind = inLoop[number] && unitTimes[number].loop > loop;
    if (OpId found = isBetween || isBehind ? findIncompleteUse(number) : OpId(); found.isValid())
      return found;
  }
  return findFirstBarrier();
}

OpId Placer::findFirstBarrier() const {
  for (uint32_t number = 0; number < units.list.size(); ++number)
    if (OpId found = findIncompleteUse(number); found.isValid())
      return found;
  return OpId(0);
}

/// The loops with costly units, of which there may be as many as `passes`.
Status Placer::checkCosts(int64_t passes) const {
  for (int loop = placement.numLoops; loop >= 1; --loop)
    for (auto [number, unit] : llvm::enumerate(units.list)) {
      if (!placement.places[number].isIn(loop) || !isCostly(unit))
        continue;
      if (passes-- == 0)
        return refuseBarrier(program, reached, forms, findBarrier(loop), unit);
      break;
    }
  return std::nullopt;
}

Result<std::optional<MicroPlacement>> Placer::run(int64_t passes, IdVector<OpId, uint8_t> &forbidden) {
  for (uint32_t number = 0; number < units.list.size(); ++number)
    computeTimes(number);
  if (forbidLateSums(forbidden))
    return std::optional<MicroPlacement>();
  for (auto [unit, time] : llvm::zip(units.list, unitTimes))
    if (graph.ops[unit.first].role == IdentityRole::Result || hasEffect(unit.origin))
      placement.numLoops = std::max(placement.numLoops, time.stage);
  if (placement.numLoops > maxLoops)
    return refuseManyLoops(program, reached, forms, findFirstBarrier(), placement.numLoops);
  for (uint32_t number = units.list.size(); number-- > 0;)
    place(number);
  std::reverse(placement.outputs.begin(), placement.outputs.end());
  if (Status wrong = keepsCostly ? std::nullopt : checkCosts(passes))
    return std::move(*wrong);
  return std::optional(std::move(placement));
}

Result<std::optional<MicroPlacement>> placeUnits(const MicroProgram &program, const Units &units,
                                                 const Reached &reached, const Forms &forms, int64_t passes,
                                                 IdVector<OpId, uint8_t> &forbidden) {
  return Placer(program, units, reached, forms, passes).run(passes, forbidden);
}

} // namespace partita::temporal
