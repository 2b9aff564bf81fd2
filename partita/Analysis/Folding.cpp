//===- Folding.cpp - repeated layers, once --------------------------------===//

#include "partita/Analysis/Folding.h"

namespace partita {

template <typename IdT>
static void setPlain(size_t size, IdVector<IdT, IdT> *origins, IdVector<IdT, IdT> *folded,
                     IdVector<IdT, std::vector<IdT>> &members) {
  for (IdT id : idRange<IdT>(size)) {
    members.push_back({id});
    if (origins)
      origins->push_back(id);
    if (folded)
      folded->push_back(id);
  }
}

Folding buildPlainFolding(const Graph &graph) {
  Folding folding;
  folding.graph = graph;
  setPlain<CellId>(graph.cells.size(), &folding.origins, &folding.folded, folding.members);
  setPlain<OpId>(graph.ops.size(), &folding.opOrigins, &folding.foldedOps, folding.opMembers);
  setPlain<RegionId>(graph.regions.size(), nullptr, nullptr, folding.regionMembers);
  return folding;
}

} // namespace partita
