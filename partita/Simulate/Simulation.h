//===- Simulation.h - a list scheduler over streams -----------------------===//
//
// Simulates one step on one device. The device computes one op at a time and
// runs one reshard at a time on each level of the network. An op or reshard may
// start when its inputs are ready. A free stream takes the first ready one in
// program order. So a reduction that nothing waits for runs beside compute, and
// one that the next op needs leaves the device idle.
//
//   loop        an iteration begins when the one before has ended entirely, but
//               prefetched reshards may run beside the one before. Iterations are
//               simulated until one equals the one before; the remaining ones take
//               as long as that one
//   branches    the longest one is taken
//   prefetched  reshards of parameters wait only for their stream and for room: at
//               most `prefetchDepth` gathered values wait for their use
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

#include "partita/Simulate/Rooms.h"
#include "partita/Simulate/Timeline.h"

namespace partita::simulate {

struct SimulationOptions {
  /// Gathered parameters that may wait for their use at once.
  uint32_t prefetchDepth = 4;
  /// Iterations of loops with an unknown trip count.
  int64_t assumedTrips = 1;
  /// The time in which the host issues one op or reshard.
  int64_t issuePs = 0;
  /// The most iterations that are simulated; the remaining ones count as the last of these.
  uint32_t maxIterations = 16;
};

struct ReshardDuration {
  int64_t timePs = 0;
  uint32_t stream = computeStream;
  /// Its source exists before the step begins.
  bool isPrefetched = false;
};

/// The duration of one execution of everything.
struct Durations {
  IdVector<OpId, int64_t> ops;
  /// The stream of each op; empty: all run on the compute stream.
  IdVector<OpId, uint32_t> opStreams;
  IdVector<ReshardId, ReshardDuration> reshards;
  /// Compute and one for each level.
  uint32_t numStreams = 1;
};

Timeline simulate(const Topology &topology, const Reshards &reshards, const Durations &durations,
                  const SimulationOptions &options);

} // namespace partita::simulate

#endif
