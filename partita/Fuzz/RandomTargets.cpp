//===- RandomTargets.cpp - splits that random schedules seldom have -------===//

#include "partita/Fuzz/RandomTargets.h"

#include "partita/Fuzz/Coverage.h"
#include "partita/Fuzz/SplitCounts.h"
#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace partita::fuzz {

namespace {

/// Tactics with one `assign` each: by the name of the op and the class of its remainder, and those along windows.
struct Targets {
  std::map<llvm::StringRef, std::map<llvm::StringRef, std::vector<DrawnTactic>>> uneven;
  std::vector<DrawnTactic> windows;
};

} // namespace

/// The class of the remainder that this factor of the op has over so many devices; empty if it is not padded.
static llvm::StringRef findClass(const Flattened &flattened, const PaddedElements &elements, OpId op, uint8_t factor,
                                 int64_t parts) {
  for (const DimFactor &entry : flattened.graph.getDimFactors(op))
    if (entry.factor == factor)
      if (std::optional<UnevenDim> dim = findUnevenDim(flattened, elements, op, entry))
        return findRemainderClass(*dim, parts);
  return "";
}

static void addTargets(const Flattened &flattened, const PaddedElements &elements, OpId op, const std::string &name,
                       const MeshAxis &axis, Targets &targets) {
  const Graph &graph = flattened.graph;
  for (auto [number, factor] : llvm::enumerate(graph.getFactors(op))) {
    if (!factor.isSplittable() || factor.size % axis.size != 0)
      continue;
    DrawnTactic tactic{axis.name, {{ActionKind::Assign, name, static_cast<uint32_t>(number)}}};
    if (llvm::StringRef remainder = findClass(flattened, elements, op, number, axis.size); !remainder.empty())
      targets.uneven[graph.getName(graph.ops[op].opName)][remainder].push_back(tactic);
    if (llvm::is_contained(windowKinds, getKind(factor)) && !isOfPadding(flattened.origins[op]))
      targets.windows.push_back(std::move(tactic));
  }
}

static Targets findTargets(const Mesh &mesh, const Flattened &flattened, const PaddedElements &elements) {
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
  return targets;
}

template <typename Map> static const auto &pickValue(RandomChoice &random, const Map &map) {
  return std::next(map.begin(), random.below(map.size()))->second;
}

std::vector<DrawnTactic> drawTargets(uint64_t seed, const Mesh &mesh, const Flattened &flattened,
                                     const PaddedElements &elements) {
  Targets targets = findTargets(mesh, flattened, elements);
  RandomChoice random(seed ^ 0x746172676574);
  std::vector<DrawnTactic> tactics;
  // Windows first: there are fewer of them.
  if (!targets.windows.empty() && random.chance(95))
    tactics.push_back(random.pick<DrawnTactic>(targets.windows));
  for (int64_t count = random.pick({0, 1, 1, 2, 2, 3}); count > 0 && !targets.uneven.empty(); --count)
    tactics.push_back(random.pick<DrawnTactic>(pickValue(random, pickValue(random, targets.uneven))));
  return tactics;
}

} // namespace partita::fuzz
