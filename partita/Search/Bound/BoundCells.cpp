//===- BoundCells.cpp - the values that a bound looks at ------------------===//

#include "partita/Search/Bound/BoundCells.h"

#include "partita/Search/Bound/ShardingTable.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita::search {

/// The axes that may split for themselves.
static size_t countFreeAxes(const Axes &axes, bool isTied) {
  size_t numFree = 0;
  for (AxisId axis : idRange<AxisId>(axes.size()))
    numFree += !isTied || !isSubAxis(axes, axis);
  return numFree;
}

/// The pairs of shardings on the edges of a value, or a few more; 0 if it has no table of shardings.
static double countPairs(const CostModel &model, CellId cell, const IdVector<OpId, BoundStates> &lists,
                         size_t numFree) {
  const Topology &topology = model.getTopology();
  size_t rank = model.getGraph().getShape(cell).size();
  if (ShardingTable::countCodes(rank, model.getAxes().size()) > ShardingTable::maxCodes)
    return 0;
  uint64_t numCodes = ShardingTable::countCodes(rank, numFree);
  auto count = [&](OpId op) {
    return double(numCodes) * double(std::min<uint64_t>(numCodes, lists[op].states.size()));
  };
  double pairs = 0;
  for (OpId op : topology.getDefinitions(cell))
    pairs += count(op);
  for (UseId use : topology.getUses(cell))
    pairs += count(topology.getUser(use));
  return pairs;
}

/// The bytes that reshards of the value may move in a step.
static double weighBytes(const CostModel &model, CellId cell) {
  const Graph &graph = model.getGraph();
  return double(graph.getBytes(cell)) * double(model.getTimes(graph.cells[cell].region)) *
         double(model.getMultiplicity().get(cell)) * double(1 + model.getTopology().getUses(cell).size());
}

IdVector<CellId, uint8_t> chooseLeftOut(const CostModel &model, const IdVector<OpId, BoundStates> &lists,
                                        const BoundOptions &options) {
  const Graph &graph = model.getGraph();
  size_t numFree = countFreeAxes(model.getAxes(), options.isTied);
  std::vector<std::tuple<double, CellId, double>> order;
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (double pairs = countPairs(model, cell, lists, numFree); pairs > 0)
      order.emplace_back(-weighBytes(model, cell) / pairs, cell, pairs);
  llvm::sort(order);
  IdVector<CellId, uint8_t> isLeftOut(graph.cells.size(), 0);
  auto left = double(options.mostPairs);
  for (auto [density, cell, pairs] : order) {
    isLeftOut[cell] = pairs > left;
    left -= isLeftOut[cell] ? 0 : pairs;
  }
  return isLeftOut;
}

} // namespace partita::search
