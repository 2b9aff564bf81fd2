//===- Simulation.h - a list scheduler over streams -----------------------===//
//
// A device computes one op at a time and keeps each level of the network busy
// with one reshard at a time. An op or reshard may start when what it needs is
// there; a stream that is free takes, of what may start, the first in program
// order. So a reduction that nothing waits for runs beside compute, and one that
// the next op needs leaves the device idle.
//
//   loop        an iteration begins when all of the one before has ended, but
//               prefetched reshards may run beside the one before. Iterations
//               are simulated until one is like the one before; the rest takes
//               as long as that one.
//   branches    the longest one is taken
//   prefetched  reshards of parameters wait for nothing but their stream and
//               for room: at most `prefetchDepth` gathered values wait for use
//
//   host        issues everything in program order, one thing after the other,
//               and waits for nothing; what is not issued cannot start. Where that
//               takes longer than the device does, the host sets the pace
//
// Ops and reshards that take no time (inside fusions, slices) pass on when they
// are ready.
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
  /// Iterations of loops whose number is not known.
  int64_t assumedTrips = 1;
  /// What the host takes to issue an op or reshard.
  int64_t issuePs = 0;
  /// Iterations that are simulated at most; the rest is taken to be like the last of them.
  uint32_t maxIterations = 16;
};

struct ReshardDuration {
  int64_t timePs = 0;
  uint32_t stream = computeStream;
  /// Its source is there before the step begins.
  bool isPrefetched = false;
};

/// How long everything takes, once.
struct Durations {
  IdVector<OpId, int64_t> ops;
  /// Where ops run; empty: all of them are computed.
  IdVector<OpId, uint32_t> opStreams;
  IdVector<ReshardId, ReshardDuration> reshards;
  /// Compute and the levels.
  uint32_t numStreams = 1;
};

Timeline simulate(const Topology &topology, const Reshards &reshards, const Durations &durations,
                  const SimulationOptions &options);

} // namespace partita::simulate

#endif
