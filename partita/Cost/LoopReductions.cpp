//===- LoopReductions.cpp - reductions that end an iteration --------------===//

#include "partita/Cost/LoopReductions.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

/// Whether the results of the op are partial if what it sums over is split.
static bool isSum(FusionRole role) { return role == FusionRole::Alone || role == FusionRole::Reduction; }

LoopReductions::LoopReductions(const Topology &topology, const FusionPlan &fusion, const Overlap &overlap,
                               const TimeSlots &slots, const Multiplicity &multiplicity, int64_t numDevices,
                               int64_t combineBytes)
    : waits(topology.getGraph().regions.size(), Waits::None) {
  const Graph &graph = topology.getGraph();
  if (combineBytes == 0)
    return;
  IdVector<RegionId, __int128> bits(graph.regions.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (isSum(fusion.getRole(op)))
      for (CellId cell : graph.getResults(op))
        if (overlap.isLate(cell)) {
          __int128 elements = multiplicity.get(op);
          for (int64_t size : graph.getShape(cell))
            elements *= size;
          bits[graph.ops[op].region] += elements * graph.cells[cell].elementBits;
        }
  for (RegionId region : idRange<RegionId>(graph.regions.size())) {
    // A region of a folded program stands for several, and its ops for those of all of them.
    __int128 room = __int128(8) * combineBytes * numDevices * slots.getRuns(region);
    if (graph.regions[region].kind != RegionKind::LoopBody || bits[region] > room)
      continue;
    bool isMoved = overlap.hasJoin() && graph.regions[region].parent == RegionId(0);
    waits[region] = isMoved ? Waits::Whole : Waits::All;
  }
}

bool LoopReductions::endsIteration(RegionId region, const ReshardPlan &plan) const {
  auto isScatter = [](const ReshardStep &step) { return step.kind == CollectiveKind::ReduceScatter; };
  if (waits[region] == Waits::Whole)
    return llvm::none_of(plan.steps, isScatter);
  return waits[region] == Waits::All;
}

} // namespace partita::cost
