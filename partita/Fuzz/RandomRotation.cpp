//===- RandomRotation.cpp - random collectives in other iterations --------===//

#include "partita/Fuzz/RandomRotation.h"

#include "partita/Cost/CarriedReductions.h"
#include "partita/Fuzz/RandomChoice.h"
#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::fuzz {

bool drawsGradients(uint64_t seed) { return RandomChoice(seed ^ 0x6772616469656e74).below(12) == 0; }

static bool isInLoop(const Graph &graph, RegionId region) {
  for (; region.isValid(); region = graph.regions[region].parent)
    if (graph.regions[region].kind == RegionKind::LoopBody)
      return true;
  return false;
}

/// Splits of reduced factors of ops in loops.
static std::vector<DrawnTactic> listReduced(const Mesh &mesh, const Graph &graph, const CellNames &names) {
  std::vector<DrawnTactic> tactics;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    llvm::ArrayRef<CellId> results = graph.getResults(op);
    if (results.empty() || !isInLoop(graph, graph.ops[op].region) ||
        names.find(names.getName(results[0])) != results[0])
      continue;
    for (auto [number, factor] : llvm::enumerate(graph.getFactors(op)))
      for (const MeshAxis &axis : mesh.axes)
        if (factor.kind == FactorKind::Reduce && axis.size > 1 && factor.size % axis.size == 0)
          tactics.push_back(
              {axis.name, {{ActionKind::Assign, names.getName(results[0]), static_cast<uint32_t>(number)}}});
  }
  return tactics;
}

/// Splits of results along their dims.
static std::vector<DrawnTactic> listResults(const Mesh &mesh, const Graph &graph, const CellNames &names) {
  std::vector<DrawnTactic> tactics;
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    for (auto [dim, size] : llvm::enumerate(graph.getShape(cell)))
      for (const MeshAxis &axis : mesh.axes)
        if (graph.cells[cell].kind == CellKind::Result && axis.size > 1 && size % axis.size == 0)
          tactics.push_back({axis.name, {{ActionKind::Tile, names.getName(cell), static_cast<uint32_t>(dim)}}});
  return tactics;
}

std::vector<DrawnTactic> drawGradientTactics(uint64_t seed, const Mesh &mesh, const Graph &graph) {
  RandomChoice random(seed ^ 0x72656475636564);
  CellNames names(graph);
  std::vector<DrawnTactic> drawn;
  auto draw = [&](const std::vector<DrawnTactic> &tactics, int64_t count) {
    for (; count > 0 && !tactics.empty(); --count)
      drawn.push_back(random.pick<DrawnTactic>(tactics));
  };
  draw(listReduced(mesh, graph, names), random.between(1, 4));
  draw(listResults(mesh, graph, names), random.below(3));
  return drawn;
}

std::set<ReshardId> drawRotated(uint64_t seed, const Assignment &assignment, const ReshardPlanner &planner,
                                const Reshards &reshards, const ProductPieces &pieces) {
  RandomChoice random(seed ^ 0x726f74617465);
  std::set<ReshardId> drawn;
  if (!random.chance(50) && !drawsGradients(seed))
    return drawn;
  // A loop without a middle is lowered too, so these are of any loop.
  for (ReshardId id : idRange<ReshardId>(reshards.size()))
    if (!pieces.find(id) &&
        (mayRotate(assignment, planner, reshards, id) || mayCarry(assignment, planner, reshards, id)) &&
        random.chance(80))
      drawn.insert(id);
  return drawn;
}

static void countReduction(const Reshard &reshard, const Graph &graph, std::map<std::string, int64_t> &counts) {
  llvm::StringRef element = graph.getName(graph.cells[reshard.cell].element);
  ++counts[("rotated reductions of " + element).str()];
  bool isInBranch = false;
  for (RegionId region = reshard.region; region.isValid(); region = graph.regions[region].parent)
    isInBranch |= graph.regions[region].kind == RegionKind::Branch;
  counts["rotated reductions in branches"] += isInBranch;
}

void countRotated(const std::set<ReshardId> &rotated, const Graph &graph, const Reshards &reshards,
                  std::map<std::string, int64_t> &counts) {
  std::map<RegionId, int64_t> byLoop;
  for (ReshardId id : rotated) {
    bool isGather = reshards[id].position == ReshardPosition::BeforeUse;
    std::string what = isGather ? "rotated gathers" : "rotated reductions";
    ++counts[what];
    RegionId outer = graph.regions[reshards[id].region].parent;
    counts[what + " in inner loops"] += isInLoop(graph, outer);
    if (isGather)
      continue;
    countReduction(reshards[id], graph, counts);
    ++byLoop[reshards[id].region];
  }
  for (auto [region, count] : byLoop)
    counts["loops with several rotated reductions"] += count > 1;
}

} // namespace partita::fuzz
