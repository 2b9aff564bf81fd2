//===- ScatteredSums.cpp - keeps the sums over microbatches split ---------===//

#include "partita/Temporal/ScatteredSums.h"

#include "partita/Propagate/PartialSumCarriers.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Temporal/Accumulate.h"

namespace partita::temporal {

namespace {

/// Finds the values that a tactic for sums tiles, and where it must stop.
class SumCells {
public:
  explicit SumCells(const Graph &graph) : graph(graph), topology(graph) {}

  /// What the loops over microbatches add up.
  std::vector<CellId> findSums() const;
  /// Where the terms come from that are added to `sums` or to what layer loops continue of them.
  std::vector<CellId> findTerms(std::vector<CellId> sums) const;

private:
  bool isAdded(CellId carried) const;
  void addTerms(CellId cell, std::vector<CellId> &terms) const;
  void addOtherTerms(OpId add, CellId sum, std::vector<CellId> &terms) const;

  const Graph &graph;
  Topology topology;
};

} // namespace

/// Whether the loop adds to the value, or gives it to a loop inside of it.
bool SumCells::isAdded(CellId carried) const {
  return llvm::any_of(topology.getUses(carried), [&](UseId use) {
    const Op &user = graph.ops[topology.getUser(use)];
    bool isInside = isOfLoop(graph, user.region, graph.cells[carried].region);
    return isInside && (user.kind == OpKind::Add || user.role == IdentityRole::Entry);
  });
}

std::vector<CellId> SumCells::findSums() const {
  std::vector<CellId> sums;
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    const Cell &carried = graph.cells[cell];
    // Loops inside of a turn, of a pipeline in it, continue its sums.
    bool isOuter =
        carried.kind == CellKind::Carried && !graph.regions[graph.regions[carried.region].parent].parent.isValid();
    if (isOuter && carried.rank > 0 && graph.getName(carried.name) == loopName && isAdded(cell))
      sums.push_back(cell);
  }
  return sums;
}

/// Goes back from `cell` through linear ops of one operand: the tile may pass them.
void SumCells::addTerms(CellId cell, std::vector<CellId> &terms) const {
  OpId op = topology.getDefinition(cell);
  if (op.isValid() && graph.ops[op].opClass != OpClass::Reduction && graph.ops[op].numUses == 1 &&
      isLinearIn(graph.ops[op], 0))
    return addTerms(graph.getOperands(op).front(), terms);
  terms.push_back(cell);
}

void SumCells::addOtherTerms(OpId add, CellId sum, std::vector<CellId> &terms) const {
  if (graph.ops[add].kind != OpKind::Add)
    return;
  for (CellId operand : graph.getOperands(add))
    if (operand != sum)
      addTerms(operand, terms);
}

std::vector<CellId> SumCells::findTerms(std::vector<CellId> sums) const {
  std::vector<CellId> terms;
  // Grows by the values of layer loops that start at a sum.
  for (size_t next = 0; next < sums.size(); ++next) {
    CellId sum = sums[next];
    for (UseId use : topology.getUses(sum)) {
      OpId user = topology.getUser(use);
      const Op &op = graph.ops[user];
      if (!isOfLoop(graph, op.region, graph.cells[sum].region))
        continue;
      addOtherTerms(user, sum, terms);
      CellId result = graph.getResults(user).front();
      if (op.role == IdentityRole::Entry)
        sums.push_back(result);
      // A slice is read, added to and written.
      if (op.kind == OpKind::DynamicSlice)
        for (UseId added : topology.getUses(result))
          addOtherTerms(topology.getUser(added), result, terms);
    }
  }
  return terms;
}

/// The axis over which optimizer state is split by a preset; empty if none does.
static std::string findStateAxis(const Schedule &schedule) {
  for (const Tactic &tactic : schedule.tactics)
    if (tactic.preset && (tactic.preset->kind == PresetKind::Zero2 || tactic.preset->kind == PresetKind::Zero3 ||
                          tactic.preset->kind == PresetKind::Fsdp))
      return tactic.axis;
  return "";
}

void addScatterTactic(Schedule &schedule, const Graph &graph) {
  const TemporalTactic &temporal = *schedule.temporal;
  Tactic tactic;
  tactic.axis = temporal.scatter.empty() ? findStateAxis(schedule) : temporal.scatter;
  if (tactic.axis.empty() || tactic.axis == "none")
    return;
  tactic.name = temporal.name + " sums";
  tactic.location = tactic.axisLocation = temporal.location;
  tactic.isOptional = true;
  CellNames names(graph);
  auto add = [&](ActionKind kind, CellId cell) {
    Result<Pattern> pattern = Pattern::parse(escapePattern(names.getName(cell)), SourceLocation());
    tactic.entries.push_back({kind, std::move(*pattern), std::nullopt, temporal.location});
  };
  SumCells cells(graph);
  std::vector<CellId> sums = cells.findSums();
  for (CellId cell : cells.findTerms(sums))
    add(ActionKind::Cut, cell);
  for (CellId argument : graph.arguments)
    add(ActionKind::Cut, argument);
  for (CellId cell : sums)
    add(ActionKind::Tile, cell);
  if (sums.empty())
    return;
  // Before all but stages: the layers of a sum are split over these.
  auto place = llvm::find_if(schedule.tactics, [](const Tactic &each) { return each.pipeline.has_value(); });
  schedule.tactics.insert(place == schedule.tactics.end() ? schedule.tactics.begin() : std::next(place),
                          std::move(tactic));
}

} // namespace partita::temporal
