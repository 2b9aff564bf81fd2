//===- Simulation.h - a list scheduler for compute and network ------------===//
//
// Simulates one step on one device. The device computes one op at a time, and
// its network runs one reshard at a time. An op or reshard may start when its
// inputs are ready. Compute keeps to program order, but what waits for a late
// reduction lets others pass.
//
//   waited      reshards that compute waits for, neither prefetched nor late: they
//               run alone. Compute waits, and what else the network does goes on
//               behind them
//   prefetched  reshards of parameters run beside compute. They wait for no op, only
//               for room: at most `prefetchDepth` gathered values wait for their use;
//               with `isOneAtATime` also for the last thing before their use that
//               stops compute for the network, and for the last fence of gathers
//   late        reductions that nothing in their phase waits for run beside compute,
//               when the network has nothing else to do
//   batches     prefetched reshards are there when all of their batch are; late ones of
//               straight code begin when all of their batch can (CollectiveBatches.h),
//               and compute waits for the last batch
//   loop        an iteration begins when the one before has ended entirely, so all
//               are equal. Reshards around the loop run in the time in which it
//               leaves the network idle
//   branches    the longest one is taken
//   host        issues everything in program order, one after the other, and waits
//               for nothing; nothing starts before it is issued. Where issuing takes
//               longer than the device, the host sets the pace
//
// Ops and reshards that take no time (inside fusions, slices) end as soon as
// they are ready.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_SIMULATION_H
#define PARTITA_SIMULATE_SIMULATION_H

#include "partita/Machine/CollectiveOrder.h"
#include "partita/Simulate/Rooms.h"
#include "partita/Simulate/TaskGraph.h"
#include "partita/Simulate/Timeline.h"

namespace partita::simulate {

struct SimulationOptions {
  /// Gathered parameters that may wait for their use at once.
  uint32_t prefetchDepth = 8;
  /// Iterations of loops with an unknown trip count.
  int64_t assumedTrips = 1;
  /// The time in which the host issues one op or reshard.
  int64_t issuePs = 0;
  /// What it takes more for each other device of a collective's group.
  int64_t issuePeerPs = 0;
  /// How collectives are joined and ordered; nothing is by default.
  CollectiveOrder order;
  /// The most iterations that are simulated where the host takes time; the others count as the last of these.
  uint32_t maxIterations = 16;
};

/// Whether compute goes on beside a reshard: not at all; its source exists before the step begins; nothing waits for
/// it; only the end of the iteration does, with all others of its kind (Cost/LoopReductions.h).
enum class ReshardOverlap : uint8_t { None, Prefetched, Late, LateAtEnd };

struct ReshardDuration {
  int64_t timePs = 0;
  /// The level on which it is shown.
  uint32_t stream = computeStream;
  ReshardOverlap overlap = ReshardOverlap::None;
  /// Of its result.
  int64_t bytes = 0;
  /// The other devices of its collectives' groups, added up.
  int64_t peers = 0;
};

/// A fence of gathers (Cost/Overlap.h) is several ops in a row: whether it waits for this one, and whether this is the
/// last of them.
struct GatherFencePart {
  bool isAwaited = false, isLast = false;
};

/// The duration of one execution of everything.
struct Durations {
  IdVector<OpId, int64_t> ops;
  /// The stream of each op; empty: all run on the compute stream.
  IdVector<OpId, uint32_t> opStreams;
  /// 1 for ops that are joined to the kernel of a later one: the host does not issue them; empty: there are none.
  IdVector<OpId, uint8_t> joined;
  /// How each op takes part in a fence of gathers; empty: there are no fences.
  IdVector<OpId, GatherFencePart> gatherFences;
  IdVector<ReshardId, ReshardDuration> reshards;
  /// Compute and one for each level.
  uint32_t numStreams = 1;
  /// How long the network is busy while an op runs, with permutes of its pieces; empty: never.
  IdVector<OpId, int64_t> beside;
  std::vector<MovedReshard> moved;
};

Timeline simulate(const Topology &topology, const Reshards &reshards, const Durations &durations,
                  const SimulationOptions &options);

} // namespace partita::simulate

#endif
