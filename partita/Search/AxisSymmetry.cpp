//===- AxisSymmetry.cpp - moves that are the same on two axes -------------===//

#include "partita/Search/AxisSymmetry.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace partita::search {

static std::set<int64_t> listSizes(const Topology &topology) {
  const Graph &graph = topology.getGraph();
  std::set<int64_t> sizes;
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    sizes.insert(graph.getShape(cell).begin(), graph.getShape(cell).end());
  for (OpFactorId opFactor : idRange<OpFactorId>(topology.getNumOpFactors()))
    sizes.insert(topology.getSplitSize(opFactor));
  return sizes;
}

AxisSymmetry::AxisSymmetry(const Assignment &base) {
  std::set<int64_t> sizes = listSizes(base.getTopology());
  const Axes &axes = base.getAxes();
  bool isDecided = !base.getChanges(0).empty();
  auto areLike = [&](AxisId a, AxisId b) {
    auto isSame = [&](int64_t size) { return (size % axes[a].size == 0) == (size % axes[b].size == 0); };
    return a == b || (!isDecided && llvm::all_of(sizes, isSame));
  };
  for (AxisId axis : idRange<AxisId>(axes.size())) {
    AxisId first(0);
    while (!areLike(first, axis))
      first = AxisId(first.get() + 1);
    representatives.push_back(first);
  }
}

MoveId AxisSymmetry::find(const Move &move, MoveId own) {
  if (move.parts.size() != 1)
    return own;
  std::vector<uint32_t> words{representatives[move.parts.front()].get(), static_cast<uint32_t>(move.role)};
  for (const MoveEntry &entry : move.entries)
    llvm::append_values(words, static_cast<uint32_t>(entry.kind), entry.target.get(), entry.users.get(),
                        entry.dim.value_or(UINT32_MAX));
  return first.try_emplace(std::move(words), own).first->second;
}

} // namespace partita::search
