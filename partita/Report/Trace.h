//===- Trace.h - a timeline as a file for trace viewers -------------------===//
//
// JSON for chrome://tracing and Perfetto: one process, a thread for each
// stream, and a counter for memory. Times are in microseconds.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_TRACE_H
#define PARTITA_REPORT_TRACE_H

#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"
#include "partita/Simulate/Timeline.h"

#include "llvm/Support/raw_ostream.h"

namespace partita::report {

/// The sources of the events' names and details.
struct TraceNames {
  const Graph *graph = nullptr;
  const Reshards *reshards = nullptr;
  const ReshardPlanner *planner = nullptr;
  /// The names of compute and of each level.
  std::vector<std::string> streams;
  /// The bytes alive while an op runs; empty if unknown.
  IdVector<OpId, int64_t> liveBytes;
};

void writeTrace(const Timeline &timeline, const TraceNames &names, llvm::raw_ostream &out);

/// The trace file of a priced plan.
std::string printTrace(const Price &price, const Timeline &timeline);

} // namespace partita::report

#endif
