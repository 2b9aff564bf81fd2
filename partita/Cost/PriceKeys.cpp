//===- PriceKeys.cpp - what a unit's price depends on, as words -----------===//

#include "partita/Cost/PriceKeys.h"

namespace partita::cost {

PriceKeys::PriceKeys(const Topology &topology, const Axes &axes, const FusionPlan &fusion, const CostUnits &units)
    : topology(topology), graph(topology.getGraph()), numAxes(axes.size()) {
  addNodes(units);
  addResults(units);
  for (UnitId id : idRange<UnitId>(units.size())) {
    const Unit &unit = units[id];
    bool mayFuse = unit.kind == UnitKind::Definition && fusion.isFused(unit.cell);
    alignedAndFused.push_back(mayFuse && isAligned(unit));
  }
}

/// Inverts the lists of CostUnits.
void PriceKeys::addNodes(const CostUnits &units) {
  std::vector<llvm::SmallVector<NodeId, 4>> ofUnits(units.size());
  std::vector<llvm::SmallVector<CellId, 2>> cellsOfUnits(units.size());
  for (NodeId node : idRange<NodeId>(topology.getNumNodes()))
    for (UnitId unit : units.getUnits(node))
      ofUnits[unit.get()].push_back(node);
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    for (UnitId unit : units.getUnits(cell))
      cellsOfUnits[unit.get()].push_back(cell);
  firstNodes.push_back(0);
  firstCells.push_back(0);
  for (size_t unit = 0; unit < units.size(); ++unit) {
    nodes.insert(nodes.end(), ofUnits[unit].begin(), ofUnits[unit].end());
    cells.insert(cells.end(), cellsOfUnits[unit].begin(), cellsOfUnits[unit].end());
    firstNodes.push_back(nodes.size());
    firstCells.push_back(cells.size());
  }
}

void PriceKeys::addResults(const CostUnits &units) {
  std::vector<llvm::SmallVector<CellId, 1>> ofUnits(units.size());
  for (CellId result : graph.results)
    if (OpId op = topology.getDefinition(result); op.isValid())
      for (UnitId unit : units.getUnits(topology.getNode(op)))
        ofUnits[unit.get()].push_back(result);
  firstResults.push_back(0);
  for (const auto &list : ofUnits) {
    results.insert(results.end(), list.begin(), list.end());
    firstResults.push_back(results.size());
  }
}

/// The factor of each dim of a value, noFactor if it has none; empty if a dim has several.
llvm::SmallVector<uint8_t, 8> PriceKeys::findFactors(OpId op, uint32_t value) const {
  const Op &info = graph.ops[op];
  CellId cell = value < info.numUses ? graph.getOperands(op)[value] : graph.getResults(op)[value - info.numUses];
  llvm::SmallVector<uint8_t, 8> factors(graph.cells[cell].rank, noFactor);
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == value) {
      if (factors[entry.dim] != noFactor || llvm::is_contained(factors, entry.factor))
        return {};
      factors[entry.dim] = entry.factor;
    }
  return factors;
}

bool PriceKeys::isAligned(const Unit &unit) const {
  auto isReduced = [](const Factor &factor) { return factor.kind == FactorKind::Reduce || factor.isExchanged(); };
  if (llvm::any_of(graph.getFactors(unit.op), isReduced))
    return false;
  llvm::SmallVector<uint8_t, 8> factors = findFactors(unit.op, graph.ops[unit.op].numUses + unit.result);
  return factors.size() == graph.cells[unit.cell].rank && llvm::all_of(topology.getUses(unit.cell), [&](UseId use) {
           OpId user = topology.getUser(use);
           return findFactors(user, use.get() - graph.ops[user].firstUse) == factors;
         });
}

/// Appends the sharding that the pins of a cell give it, and the pinned axes.
void PriceKeys::addPins(const Assignment &assignment, CellId cell, llvm::SmallVectorImpl<uint64_t> &key) const {
  uint64_t pinned = 0;
  for (AxisId axis : idRange<AxisId>(numAxes))
    pinned |= uint64_t(assignment.isPinned(cell, axis)) << axis.get();
  key.push_back(pinned << 32 | cell.get());
  size_t count = key.size();
  key.push_back(0);
  Sharding sharding = assignment.getCellSharding(cell);
  for (auto [dim, axes] : llvm::enumerate(sharding.dims))
    for (auto [position, axis] : llvm::enumerate(axes)) {
      key.push_back(uint64_t(dim) << 32 | position << 16 | axis.get());
      ++key[count];
    }
}

/// The uses of the unit's value if any of them is in a group; else none.
static llvm::ArrayRef<UseId> findGroupedUses(const Assignment &assignment, const Unit &unit) {
  if (!assignment.hasUseGroups() || unit.kind == UnitKind::Op)
    return {};
  llvm::ArrayRef<UseId> uses = assignment.getTopology().getUses(unit.cell);
  auto isGrouped = [&](UseId use) { return assignment.getUseGroup(use).number != 0; };
  return llvm::any_of(uses, isGrouped) ? uses : llvm::ArrayRef<UseId>();
}

bool PriceKeys::hasPinsOrGroups(const Assignment &assignment, const Unit &unit, UnitId id) const {
  return llvm::any_of(getCells(id), [&](CellId cell) { return assignment.isPinned(cell); }) ||
         !findGroupedUses(assignment, unit).empty();
}

void PriceKeys::addPinsAndGroups(const Assignment &assignment, const Unit &unit, UnitId id,
                                 llvm::SmallVectorImpl<uint64_t> &key) const {
  auto isPinned = [&](CellId cell) { return assignment.isPinned(cell); };
  llvm::ArrayRef<UseId> uses = findGroupedUses(assignment, unit);
  uint64_t numPinned = llvm::count_if(getCells(id), isPinned);
  if (numPinned == 0 && uses.empty())
    return;
  // The number of pins, so that a group cannot be mistaken for a pin.
  key.push_back(numPinned);
  for (CellId cell : getCells(id))
    if (isPinned(cell))
      addPins(assignment, cell, key);
  for (UseId use : uses)
    key.push_back(uint64_t(assignment.getUseGroup(use).number) << 32 | assignment.getUseGroup(use).axes);
}

} // namespace partita::cost
