//===- Constraints.cpp - what shardings at the border leave open ----------===//

#include "partita/Schedule/Constraints.h"

#include "partita/Schedule/Tactics.h"

namespace partita::schedule {

/// After so many rounds every value that still differs is constrained at once.
static constexpr int maxRounds = 64;

static GivenSharding giveSharding(const Assignment &plan, CellId cell) {
  GivenSharding given{cell, {}, {}};
  for (const DimAxes &dim : plan.getCellSharding(cell).dims)
    given.dims.push_back({getNames(plan.getAxes(), dim), /*isOpen=*/false, std::nullopt});
  return given;
}

/// The program with the plan's shardings at the border, and no others.
static Graph bindBorder(const Assignment &plan) {
  Graph graph = plan.getGraph();
  graph.shardings.clear();
  graph.mesh.clear();
  for (const MeshAxis &axis : plan.getAxes().mesh.axes)
    if (axis.size > 1)
      graph.mesh.push_back({axis.name, axis.size});
  for (llvm::ArrayRef<CellId> cells : {llvm::ArrayRef(graph.arguments), llvm::ArrayRef(graph.results)})
    for (CellId cell : cells)
      graph.shardings.push_back(giveSharding(plan, cell));
  return graph;
}

/// Op results whose sharding differs from the plan's, in program order. With `isNear`, only those of ops whose operands
/// all agree.
static std::vector<CellId> findDiffering(const Assignment &plan, const Assignment &other, bool isNear) {
  const Graph &graph = plan.getGraph();
  auto differs = [&](CellId cell) { return plan.getCellSharding(cell).dims != other.getCellSharding(cell).dims; };
  std::vector<CellId> cells;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    llvm::ArrayRef<CellId> operands = graph.getOperands(op);
    // Constants are made where they are used.
    if (operands.empty() || (isNear && llvm::any_of(operands, differs)))
      continue;
    for (CellId cell : graph.getResults(op))
      if (graph.cells[cell].kind == CellKind::OpResult && differs(cell))
        cells.push_back(cell);
  }
  return cells;
}

static PartitionRule makeRule(const GivenSharding &sharding, const CellNames &names) {
  PartitionRule rule{*Pattern::parse(escapePattern(names.getName(sharding.cell)), {}), {}, {}};
  for (const GivenDim &dim : sharding.dims)
    rule.dims.push_back({dim.axes, dim.isOpen});
  return rule;
}

std::vector<PartitionRule> findConstraints(const Assignment &plan, const CellNames &names) {
  Graph graph = bindBorder(plan);
  size_t numBorder = graph.shardings.size();
  for (int round = 0; round <= maxRounds; ++round) {
    Topology topology(graph);
    Assignment assignment(topology, plan.getAxes());
    if (!applySchedule({}, names, assignment, nullptr))
      break;
    std::vector<CellId> cells = findDiffering(plan, assignment, /*isNear=*/round < maxRounds);
    if (cells.empty() && round < maxRounds)
      cells = findDiffering(plan, assignment, /*isNear=*/false);
    auto isGiven = [&](CellId cell) {
      return llvm::any_of(llvm::ArrayRef(graph.shardings).drop_front(numBorder),
                          [&](const GivenSharding &sharding) { return sharding.cell == cell; });
    };
    llvm::erase_if(cells, isGiven);
    if (cells.empty())
      break;
    for (CellId cell : cells)
      graph.shardings.push_back(giveSharding(plan, cell));
  }
  llvm::ArrayRef<GivenSharding> found = llvm::ArrayRef(graph.shardings).drop_front(numBorder);
  std::vector<PartitionRule> rules;
  for (const GivenSharding &sharding : found)
    rules.push_back(makeRule(sharding, names));
  return rules;
}

} // namespace partita::schedule
