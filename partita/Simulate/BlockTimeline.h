//===- BlockTimeline.h - what one run of a block does ---------------------===//

#ifndef PARTITA_SIMULATE_BLOCKTIMELINE_H
#define PARTITA_SIMULATE_BLOCKTIMELINE_H

#include "partita/Simulate/Rooms.h"
#include "partita/Simulate/Timeline.h"

namespace partita::simulate {

/// Compute was idle for so long while this reshard ran.
struct Exposure {
  ReshardId reshard;
  int64_t timePs = 0;
};

/// Times are relative to the block's start.
struct BlockTimeline {
  explicit BlockTimeline(uint32_t numStreams) : busyPs(numStreams, 0) {}

  int64_t durationPs = 0;
  /// The time in which the network is busy.
  int64_t networkPs = 0;
  std::vector<int64_t> busyPs;
  std::vector<Exposure> exposures;
  std::vector<TimelineEvent> events;

  /// Puts `count` runs of another one here, of which only the first has events.
  void add(const BlockTimeline &other, int64_t startPs, int64_t count);
};

} // namespace partita::simulate

#endif
