//===- Timeline.h - what one device does when -----------------------------===//

#ifndef PARTITA_SIMULATE_TIMELINE_H
#define PARTITA_SIMULATE_TIMELINE_H

#include "partita/Cost/Reshards.h"
#include "partita/Simulate/Rooms.h"

namespace partita::simulate {

/// Streams run side by side; in each, one thing after the other. 0 is compute, then one for each level of the machine,
/// outermost first.
inline constexpr uint32_t computeStream = 0;

/// An op, a reshard, or iterations of a loop that are like the one before.
struct TimelineEvent {
  uint32_t stream = computeStream;
  int64_t startPs = 0, endPs = 0;
  OpId op;
  ReshardId reshard;
  /// Of a loop: how many iterations this stands for. Neither op nor reshard then.
  RegionId loop;
  int64_t iterations = 0;
  bool operator==(const TimelineEvent &) const = default;
};

/// One step of one device.
struct Timeline {
  /// By start. What takes no time is left out.
  std::vector<TimelineEvent> events;
  int64_t totalPs = 0;
  /// For each stream, how long it is busy, all iterations counted.
  std::vector<int64_t> busyPs;

  /// Time in which nothing is computed.
  int64_t getExposedPs() const { return totalPs - busyPs[computeStream]; }
  bool operator==(const Timeline &) const = default;
};

} // namespace partita::simulate

#endif
