//===- Trace.h - a timeline as a file for trace viewers -------------------===//
//
// JSON for chrome://tracing and Perfetto: one process, a thread for each
// stream, and a counter for memory. A program with pipelines has a second
// process, with a thread for each stage: which microbatch it has in each tick.
// Times are in microseconds.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_TRACE_H
#define PARTITA_REPORT_TRACE_H

#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"
#include "partita/Simulate/Timeline.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

namespace partita::report {

/// One run of a pipeline: `stages` stages, whose ticks follow each other.
struct PipelineRun {
  int64_t startPs = 0, tickPs = 0, stages = 1, ticks = 0;
  /// The last stage comes first.
  bool isReversed = false;
  int64_t microbatches = 1, repeats = 1;
};

/// The pipelines of a program, which the schedule's tactic made, and when the timeline runs them.
std::vector<PipelineRun> findPipelines(const Graph &graph, const Schedule &schedule, const Timeline &timeline);

/// The sources of the events' names and details.
struct TraceNames {
  const Graph *graph = nullptr;
  const Reshards *reshards = nullptr;
  const ReshardPlanner *planner = nullptr;
  /// The names of compute and of each level.
  std::vector<std::string> streams;
  /// The bytes alive while an op runs; empty if unknown.
  IdVector<OpId, int64_t> liveBytes;
  /// The bytes that a device sends over each level in one run of a reshard, or of an op with collectives of its own;
  /// without entries, links have no counters.
  std::map<ReshardId, std::vector<int64_t>> reshardBytes;
  std::map<OpId, std::vector<int64_t>> opBytes;
  /// The same in one iteration of a loop.
  std::map<RegionId, std::vector<int64_t>> loopBytes;
  std::vector<PipelineRun> pipelines;
};

void writeTrace(const Timeline &timeline, const TraceNames &names, llvm::raw_ostream &out);

/// The trace file of a priced plan.
std::string printTrace(const Price &price, const Timeline &timeline);

} // namespace partita::report

#endif
