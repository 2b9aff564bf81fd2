//===- ReorderChoice.cpp - which dims a search tries to reorder -----------===//

#include "partita/Variants/ReorderChoice.h"

#include "partita/Reorder/ReorderTactics.h"
#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace partita::variants {

/// How many devices may share a part: all, then those of each axis, the largest first.
static std::vector<int64_t> listGroups(const Mesh &mesh) {
  std::vector<int64_t> sizes{mesh.getNumDevices()};
  for (const MeshAxis &axis : mesh.axes)
    sizes.push_back(axis.size);
  llvm::sort(sizes, std::greater<>());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  llvm::erase_if(sizes, [](int64_t size) { return size < 2; });
  return sizes;
}

std::vector<ReorderEntry> chooseReorder(mlir::ModuleOp module, const Flattened &flattened, const Mesh &mesh,
                                        const FlattenOptions &options) {
  constexpr double leastShare = 0.02;
  const Graph &graph = flattened.graph;
  CellNames names(graph);
  double all = 0, reached = 0;
  for (CellId argument : graph.arguments)
    all += double(graph.getBytes(argument));
  std::vector<ReorderEntry> entries;
  std::set<std::pair<unsigned, uint32_t>> isChosen;
  for (int64_t groups : listGroups(mesh)) {
    Result<std::vector<FusedArgument>> fused = findFusedArguments(module, flattened, groups, options);
    if (!fused)
      return {};
    for (const FusedArgument &found : *fused) {
      std::string name = names.getName(graph.arguments[found.argument]);
      Result<Pattern> pattern = Pattern::parse(escapePattern(name), {});
      if (!pattern || !isChosen.insert({found.argument, found.dim}).second)
        continue;
      entries.push_back({std::move(*pattern), found.dim, groups});
      reached += double(found.bytes);
    }
  }
  return reached < all * leastShare ? std::vector<ReorderEntry>() : entries;
}

} // namespace partita::variants
