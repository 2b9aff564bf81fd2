//===- DimGroups.cpp - dims that are padded together ----------------------===//

#include "partita/Variants/DimGroups.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>

namespace partita::variants {

DimGroup DimGroups::findRoot(DimGroup group) {
  while (groups[group] != group)
    group = groups[group] = groups[groups[group]];
  return group;
}

void DimGroups::join(DimClass a, DimClass b) {
  DimGroup first = findRoot(a), second = findRoot(b);
  groups[std::max(first, second)] = std::min(first, second);
}

DimGroups::DimGroups(const Analysis &analysis, const LinkedDims &linked) : groups(linked.size()) {
  std::iota(groups.begin(), groups.end(), 0);
  const Graph &graph = analysis.getGraph();
  const Colors &colors = analysis.getColors();
  const Repetition &repetition = analysis.getRepetition();
  std::map<std::pair<llvm::StringRef, int64_t>, DimClass> ofWord;
  std::map<ColorId, DimClass> ofColor;
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    for (auto [dim, size] : llvm::enumerate(graph.getShape(cell))) {
      if (size < 2)
        continue;
      DimClass own = linked.get(cell, dim);
      if (CellId next = repetition.nextCells[cell]; next.isValid())
        join(own, linked.get(next, dim));
      ColorId color = colors.ofDim[analysis.getTopology().getDim(cell, dim)];
      if (!color.isValid())
        continue;
      join(own, ofColor.try_emplace(color, own).first->second);
      if (llvm::StringRef word = colors.list[color].word; !word.empty())
        join(own, ofWord.try_emplace({word, size}, own).first->second);
    }
  for (DimClass dims = 0; dims < groups.size(); ++dims)
    groups[dims] = findRoot(dims);
}

} // namespace partita::variants
