//===- RandomTargets.cpp - splits that random schedules seldom have -------===//

#include "partita/Fuzz/RandomTargets.h"

#include "partita/Fuzz/Coverage.h"
#include "partita/Fuzz/SplitCounts.h"
#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::fuzz {

namespace {

/// Tactics with one `assign` each.
struct Targets {
  std::vector<DrawnTactic> uneven, windows;
};

} // namespace

static bool hasPadding(const Flattened &flattened, const PaddedElements &elements, OpId op, uint8_t factor) {
  return llvm::any_of(flattened.graph.getDimFactors(op), [&](const DimFactor &entry) {
    return entry.factor == factor && findElements(flattened, elements, op, entry).has_value();
  });
}

static void addTargets(const Flattened &flattened, const PaddedElements &elements, OpId op, const std::string &name,
                       const MeshAxis &axis, Targets &targets) {
  for (auto [number, factor] : llvm::enumerate(flattened.graph.getFactors(op))) {
    if (!factor.isSplittable() || factor.size % axis.size != 0)
      continue;
    DrawnTactic tactic{axis.name, {{ActionKind::Assign, name, static_cast<uint32_t>(number)}}};
    if (hasPadding(flattened, elements, op, number))
      targets.uneven.push_back(tactic);
    if (llvm::is_contained(windowKinds, getKind(factor)))
      targets.windows.push_back(std::move(tactic));
  }
}

std::vector<DrawnTactic> drawTargets(uint64_t seed, const Mesh &mesh, const Flattened &flattened,
                                     const PaddedElements &elements) {
  const Graph &graph = flattened.graph;
  CellNames names(graph);
  Targets targets;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    CellId cell = graph.getResults(op).empty() ? CellId() : graph.getResults(op).front();
    if (!cell.isValid() || graph.cells[cell].kind != CellKind::OpResult)
      continue;
    std::string name = names.getName(cell);
    for (const MeshAxis &axis : mesh.axes)
      if (axis.size > 1 && names.find(name) == cell)
        addTargets(flattened, elements, op, name, axis, targets);
  }
  RandomChoice random(seed ^ 0x746172676574);
  std::vector<DrawnTactic> tactics;
  // Windows first: there are fewer of them.
  for (const std::vector<DrawnTactic> &list : {targets.windows, targets.uneven})
    if (!list.empty() && random.chance(95))
      tactics.push_back(random.pick<DrawnTactic>(list));
  return tactics;
}

} // namespace partita::fuzz
