//===- CostModel.h - what pricing needs, whatever the assignment ----------===//
//
// Built once for a program, its axes, a machine and a placement, then const.
// Any number of evaluations and trackers, on any number of threads, refer to
// it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COSTMODEL_H
#define PARTITA_COST_COSTMODEL_H

#include "partita/Analysis/LiveTimes.h"
#include "partita/Analysis/Multiplicity.h"
#include "partita/Cost/CostOptions.h"
#include "partita/Cost/IssueWindow.h"
#include "partita/Cost/Lifetimes.h"
#include "partita/Cost/LoopReductions.h"
#include "partita/Cost/OpPrice.h"
#include "partita/Cost/Overlap.h"
#include "partita/Cost/PriceKeys.h"
#include "partita/Cost/Rooms.h"
#include "partita/Cost/TimeSlots.h"
#include "partita/Machine/CollectivePrice.h"
#include "partita/Propagate/Axes.h"

namespace partita::cost {

/// min(a * b, maxTimePs); neither is negative.
int64_t multiplySaturated(int64_t a, int64_t b);

class CostModel {
public:
  /// Copies the options, the live times and `multiplicity` (the multiplicities of a folded program) and refers to
  /// everything else.
  /// Cannot be moved.
  CostModel(const Topology &topology, const Axes &axes, const Machine &machine, const Placement &placement,
            const CostOptions &options, const LiveTimes &liveTimes, Multiplicity multiplicity = {});
  CostModel(const CostModel &) = delete;
  CostModel &operator=(const CostModel &) = delete;

  const Topology &getTopology() const { return *topology; }
  const Graph &getGraph() const { return topology->getGraph(); }
  const Axes &getAxes() const { return *axes; }
  const Machine &getMachine() const { return *machine; }
  const Placement &getPlacement() const { return *placement; }
  const CostOptions &getOptions() const { return options; }
  /// With the windows of the machine (IssueWindow.h).
  const LiveTimes &getLiveTimes() const { return liveTimes; }
  /// Whether transfers are under way while ops run: a late all_reduce then works in the buffer of its operand.
  bool hasIssueWindow() const { return getIssueWindow(*machine) > 0; }
  const Multiplicity &getMultiplicity() const { return multiplicity; }

  /// Bytes that a step may take on a device.
  int64_t getMemoryLimit() const;

  /// How often a region runs; unknown trip counts are CostOptions::assumedTrips.
  int64_t getTimes(RegionId region) const { return times[region]; }
  /// What the host takes to issue a kernel or a reshard.
  int64_t getIssuePs() const { return machine->device.issuePs.value; }
  /// How often it runs each time the region around it does.
  int64_t getTrips(RegionId region) const {
    int64_t trips = getGraph().regions[region].trips;
    return trips >= 0 ? trips : options.assumedTrips;
  }
  /// How often a slot runs; regions that a folded program elides count.
  int64_t getTimes(TimeSlotId slot) const {
    RegionId region = slots.getRegion(slot);
    return multiplySaturated(getTimes(region), slots.getRuns(region));
  }

  // These follow from the program alone.
  const FusionPlan &getFusion() const { return fusion; }
  const Lifetimes &getLifetimes() const { return lifetimes; }
  const Overlap &getOverlap() const { return overlap; }
  const LoopReductions &getLoopReductions() const { return loopReductions; }
  const TimeSlots &getSlots() const { return slots; }
  const OpPricer &getOpPricer() const { return opPricer; }
  const CostUnits &getUnits() const { return units; }
  const PriceKeys &getKeys() const { return keys; }

  /// The interconnect levels that an axis runs over.
  const LevelParts &getParts(AxisId axis) const { return parts[axis]; }
  /// For each device of the mesh its number in the machine.
  llvm::ArrayRef<int64_t> getDeviceOrder() const { return deviceOrder; }

private:
  const Topology *topology;
  const Axes *axes;
  const Machine *machine;
  const Placement *placement;
  CostOptions options;
  Multiplicity multiplicity;
  FusionPlan fusion;
  Overlap overlap;
  LiveTimes liveTimes;
  Lifetimes lifetimes;
  TimeSlots slots;
  LoopReductions loopReductions;
  OpPricer opPricer;
  CostUnits units;
  PriceKeys keys;
  IdVector<RegionId, int64_t> times;
  IdVector<AxisId, LevelParts> parts;
  std::vector<int64_t> deviceOrder;
};

} // namespace partita::cost

#endif
