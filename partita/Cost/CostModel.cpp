//===- CostModel.cpp - what pricing needs, whatever the assignment --------===//

#include "partita/Cost/CostModel.h"

#include "partita/Machine/CollectiveOrder.h"
#include "partita/Machine/MemoryPool.h"

namespace partita::cost {

int64_t multiplySaturated(int64_t a, int64_t b) {
  return static_cast<int64_t>(std::min<__int128>(static_cast<__int128>(a) * b, maxTimePs));
}

static WindowSizes getWindowSizes(const Machine &machine) {
  return {static_cast<uint32_t>(getIssueWindow(machine)), static_cast<uint32_t>(getLateWindow(machine))};
}

CostModel::CostModel(const Topology &topology, const Axes &axes, const Machine &machine, const Placement &placement,
                     const CostOptions &options, const LiveTimes &liveTimes, Multiplicity multiplicity)
    : topology(&topology), axes(&axes), machine(&machine), placement(&placement), options(options),
      multiplicity(std::move(multiplicity)), fusion(topology, this->multiplicity), overlap(topology, fusion),
      liveTimes(addWindows(liveTimes, fusion, overlap, getWindowSizes(machine))),
      lifetimes(topology, fusion, this->liveTimes), slots(topology, fusion, overlap, this->liveTimes),
      loopReductions(topology, fusion, overlap, slots, this->multiplicity, axes.mesh.getNumDevices(),
                     getCollectiveOrder(machine).combineBytes),
      opPricer(topology, fusion, machine.device), units(topology, fusion), keys(topology, axes, fusion, units) {
  const Graph &graph = getGraph();
  for (RegionId region : idRange<RegionId>(graph.regions.size())) {
    RegionId outer = graph.regions[region].parent;
    times.push_back(multiplySaturated(getTrips(region), outer.isValid() ? times[outer] : 1));
  }
  for (const Axis &axis : axes.list.raw())
    parts.push_back(placeSubAxis(placement.axes[axis.meshAxis], axis.preSize, axis.size));
  deviceOrder = computeDeviceOrder(placement, axes.mesh, machine);
}

int64_t CostModel::getMemoryLimit() const {
  if (options.memoryLimitBytes > 0)
    return options.memoryLimitBytes;
  if (options.memoryLimitPpm == 0)
    return getDefaultLimit(machine->device, options.memoryPoolPpm);
  return static_cast<int64_t>(static_cast<__int128>(machine->device.memoryBytes.value) * options.memoryLimitPpm /
                              wholePpm);
}

} // namespace partita::cost
