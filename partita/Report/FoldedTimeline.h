//===- FoldedTimeline.h - a timeline small enough to be drawn -------------===//
//
// The timeline of a step as a page draws it: lanes for compute and for the
// communication over each set of axes, and a block for each loop. A block holds
// the events of the iterations that were simulated; in the block around it the
// loop is one bar. Neighbors too short to be seen are one event.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_FOLDEDTIMELINE_H
#define PARTITA_REPORT_FOLDEDTIMELINE_H

#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"
#include "partita/Simulate/Timeline.h"

namespace partita::report {

/// An event with its lane and names.
struct LaneEvent {
  uint32_t lane = 0;
  int64_t startPs = 0, endPs = 0;
  /// The region that it stands in; for skipped iterations, the body of the loop.
  RegionId region;
  std::string name, loc;
  /// The number of skipped iterations; 0 for all else.
  int64_t iterations = 0;
};

struct LaneEvents {
  /// `compute` is the first.
  std::vector<std::string> lanes;
  /// By start.
  std::vector<LaneEvent> events;
  int64_t totalPs = 0;
};

/// The timeline with a lane for each set of axes that a reshard or an existing collective runs over.
LaneEvents assignLanes(const Price &price, const Timeline &timeline);

struct FoldedEvent {
  uint32_t lane = 0;
  int64_t startPs = 0, endPs = 0;
  /// Of the longest of those that it stands for; numbers in FoldedTimeline::strings.
  uint32_t name = 0, loc = 0;
  int64_t count = 1;
};

/// The step, or a loop in it.
struct FoldedBlock {
  uint32_t parent = 0;
  uint32_t loc = 0;
  /// The simulated iterations, and the end of all of them.
  int64_t startPs = 0, endPs = 0, loopEndPs = 0;
  /// Of the loop: all, and those that were simulated.
  int64_t iterations = 1, simulated = 1;
  std::vector<FoldedEvent> events;
  /// For each lane, how long it is busy in the simulated iterations, with loops inside.
  std::vector<int64_t> busyPs;
};

struct FoldedTimeline {
  std::vector<std::string> lanes, strings;
  /// The first is the step; a block comes after the one around it.
  std::vector<FoldedBlock> blocks;
  int64_t totalPs = 0;

  size_t countEvents() const;
};

struct FoldOptions {
  size_t maxEvents = 6000, maxBlocks = 200;
  /// Events shorter than this part of their block are joined with their neighbors.
  int64_t resolution = 600;
};

FoldedTimeline foldTimeline(const Graph &graph, const LaneEvents &events, const FoldOptions &options = {});

} // namespace partita::report

#endif
