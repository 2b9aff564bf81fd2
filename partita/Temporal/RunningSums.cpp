//===- RunningSums.cpp - sums that a layer loop continues -----------------===//

#include "partita/Temporal/RunningSums.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Loops.h"

using namespace mlir;

namespace partita::temporal {

/// Whether each iteration of the loop writes a slice of its own of the carried value.
static bool writesEachOnce(stablehlo::WhileOp loop, uint32_t carried) {
  std::optional<CountedLoop> counted = analyzeLoop(loop);
  if (!counted)
    return false;
  return llvm::any_of(counted->stepped, [&](const SteppedOperand &step) {
    return step.carried == carried && step.isWritten && std::abs(step.stride) >= step.sliceSize;
  });
}

/// The only use of `cell` by an op of its loop; nothing if there are several, or if a turn needs the value elsewhere.
static std::optional<UseId> findOnlyUse(const MicroProgram &program, const Units &units,
                                        const MicroPlacement &placement, const LoopOutput &output) {
  std::optional<UseId> found;
  for (UseId use : program.topology.getUses(output.cell)) {
    uint32_t unit = units.ofOp[program.topology.getUser(use)];
    bool isInside = unit == units.ofCell[output.cell];
    if (isInside ? found.has_value() : placement.places[unit].isIn(output.loop))
      return std::nullopt;
    if (isInside)
      found = use;
  }
  return found;
}

/// Whether the result of `op` becomes the next value of `cell`, and nothing else.
static bool isYielded(const MicroProgram &program, OpId op, CellId cell) {
  llvm::ArrayRef<UseId> uses = program.topology.getUses(program.graph.getResults(op).front());
  if (uses.size() != 1)
    return false;
  OpId yield = program.topology.getUser(uses.front());
  return program.graph.ops[yield].role == IdentityRole::Yield && program.graph.getResults(yield).front() == cell;
}

/// Whether the loop only adds to slices of the value that it carries: reads one, adds to it, and writes it back.
static bool addsToSlices(stablehlo::WhileOp loop, uint32_t carried) {
  BlockArgument before = loop.getBody().getArgument(carried);
  Operation *end = loop.getBody().front().getTerminator();
  auto update = end->getOperand(carried).getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  if (!update || update.getOperand() != before || !update->hasOneUse() || llvm::range_size(before.getUses()) != 2)
    return false;
  auto add = update.getUpdate().getDefiningOp<stablehlo::AddOp>();
  if (!add || !add->hasOneUse() || add.getLhs() == add.getRhs())
    return false;
  return llvm::any_of(add->getOperands(), [&](Value term) {
    auto slice = term.getDefiningOp<stablehlo::DynamicSliceOp>();
    return slice && slice->hasOneUse() && slice.getOperand() == before &&
           slice.getType() == update.getUpdate().getType() &&
           llvm::equal(slice.getStartIndices(), update.getStartIndices());
  });
}

/// The sum of a loop that starts at a whole value, which is known before microbatches are cut, and adds to it.
static std::optional<RunningSum> findContinued(const MicroProgram &program, const Forms &forms,
                                               const MicroPlacement &placement, const Units &units,
                                               const LoopOutput &output) {
  const Graph &graph = program.graph;
  OpId entry = program.topology.getDefinitions(output.cell).front();
  CellId initial = graph.getOperands(entry).front();
  uint32_t unit = units.ofCell[initial];
  bool isBefore =
      unit == Units::none || (placement.places[unit].stage >= 0 && placement.places[unit].stage < output.loop);
  bool isNeededElsewhere = llvm::any_of(program.topology.getUses(output.cell), [&](UseId use) {
    uint32_t user = units.ofOp[program.topology.getUser(use)];
    return user != units.ofCell[output.cell] && placement.places[user].isIn(output.loop);
  });
  if (!isBefore || isNeededElsewhere || forms.cells[initial].form != Form::Whole)
    return std::nullopt;
  auto loop = cast<stablehlo::WhileOp>(program.flattened.origins[entry]);
  uint32_t carried = graph.cells[output.cell].number;
  BlockArgument before = loop.getBody().getArgument(carried);
  auto add = loop.getBody().front().getTerminator()->getOperand(carried).getDefiningOp<stablehlo::AddOp>();
  bool isAdded = add && before.hasOneUse() && *before.user_begin() == add && add->hasOneUse();
  return isAdded || addsToSlices(loop, carried) ? std::optional(RunningSum{OpId(), false, initial}) : std::nullopt;
}

std::optional<RunningSum> findRunningSum(const MicroProgram &program, const Units &units, const Forms &forms,
                                         const MicroPlacement &placement, const LoopOutput &output) {
  const Graph &graph = program.graph;
  CellId cell = output.cell;
  if (graph.cells[cell].kind != CellKind::Carried || forms.cells[cell].combiner != Combiner::Add)
    return std::nullopt;
  OpId entry = program.topology.getDefinitions(cell).front();
  auto loop = dyn_cast<stablehlo::WhileOp>(program.flattened.origins[entry]);
  if (loop && !program.topology.isZero(graph.getOperands(entry).front()))
    return findContinued(program, forms, placement, units, output);
  std::optional<UseId> use = findOnlyUse(program, units, placement, output);
  if (!loop || !use)
    return std::nullopt;
  OpId user = program.topology.getUser(*use);
  const Op &op = graph.ops[user];
  if (op.region != graph.cells[cell].region || forms.ops[user] != OpForm::Sum || !isYielded(program, user, cell))
    return std::nullopt;
  if (op.kind == OpKind::Add)
    return RunningSum{user, false};
  bool isWritten = op.kind == OpKind::DynamicUpdateSlice && use->get() == op.firstUse;
  if (!isWritten || !writesEachOnce(loop, graph.cells[cell].number))
    return std::nullopt;
  return RunningSum{user, true};
}

} // namespace partita::temporal
