//===- ArgumentRoles.cpp - parameters, optimizer state and batch ----------===//

#include "partita/Schedule/ArgumentRoles.h"

#include "partita/Schedule/ArgumentKinds.h"

#include "llvm/ADT/MapVector.h"

namespace partita::schedule {

/// The cells with the first dim that most have; of those that are as frequent, the first.
static std::vector<CellId> keepCommonFirstDim(const Graph &graph, llvm::ArrayRef<CellId> cells) {
  llvm::MapVector<int64_t, std::vector<CellId>> bySize;
  for (CellId cell : cells)
    bySize[graph.getShape(cell).front()].push_back(cell);
  if (bySize.empty())
    return {};
  return llvm::max_element(bySize, [](const auto &a, const auto &b) { return a.second.size() < b.second.size(); })
      ->second;
}

ArgumentRoles findArgumentRoles(const Topology &topology) {
  const Graph &graph = topology.getGraph();
  ArgumentKinds kinds = findArgumentKinds(topology);
  ArgumentRoles roles;
  std::vector<CellId> fed;
  for (CellId cell : graph.arguments) {
    if (graph.cells[cell].rank == 0)
      continue;
    switch (kinds.kinds[cell]) {
    case GroupKind::Parameter:
    case GroupKind::State:
      roles.parameters.push_back(cell);
      break;
    case GroupKind::OptimizerState:
      roles.optimizer.push_back(cell);
      break;
    case GroupKind::Input:
      fed.push_back(cell);
      break;
    case GroupKind::Counter:
    case GroupKind::Inner:
      break;
    }
  }
  roles.batch = keepCommonFirstDim(graph, fed);
  return roles;
}

} // namespace partita::schedule
