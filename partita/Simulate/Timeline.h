//===- Timeline.h - what one device does when -----------------------------===//
//
// The result of a simulation (Simulation.h): events on streams. Reports and
// traces read it; it refers to ops and reshards by id only.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_TIMELINE_H
#define PARTITA_SIMULATE_TIMELINE_H

#include "partita/Cost/Reshards.h"
#include "partita/Simulate/Rooms.h"

namespace partita::simulate {

/// Streams run in parallel; each runs one event at a time. 0 is compute, then one for each level of the machine,
/// outermost first.
inline constexpr uint32_t computeStream = 0;

/// An op, a reshard or a piece of one, or several iterations of a loop that equal the one before them.
struct TimelineEvent {
  uint32_t stream = computeStream;
  int64_t startPs = 0, endPs = 0;
  OpId op;
  ReshardId reshard;
  /// For iterations of a loop: the loop and their number; `op` and `reshard` are invalid then.
  RegionId loop;
  int64_t iterations = 0;
  /// Of a reshard that others may interrupt: how long all its pieces take, of which this is one; 0 of all else.
  int64_t wholePs = 0;
  bool operator==(const TimelineEvent &) const = default;
};

/// One step of one device.
struct Timeline {
  /// By start time, without events that take no time.
  std::vector<TimelineEvent> events;
  int64_t totalPs = 0;
  /// For each stream, how long it is busy, all iterations counted.
  std::vector<int64_t> busyPs;
  /// For each reshard, how long compute is idle while it runs, all iterations counted. Where several run, the one that
  /// started first counts, so that these sum to the exposed time, less what the program's own collectives and the host
  /// cause.
  IdVector<ReshardId, int64_t> exposedPs;

  /// The time in which the compute stream is idle.
  int64_t getExposedPs() const { return totalPs - busyPs[computeStream]; }
  bool operator==(const Timeline &) const = default;
};

} // namespace partita::simulate

#endif
