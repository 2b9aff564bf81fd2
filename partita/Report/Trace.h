//===- Trace.h - a timeline as a file for trace viewers -------------------===//
//
// The JSON that chrome://tracing and Perfetto open: one process, a thread for
// each stream, and a counter for memory. Times are microseconds.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_TRACE_H
#define PARTITA_REPORT_TRACE_H

#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"
#include "partita/Simulate/Timeline.h"

#include "llvm/Support/raw_ostream.h"

namespace partita::report {

/// What the events are called and what they mean.
struct TraceNames {
  const Graph *graph = nullptr;
  const Reshards *reshards = nullptr;
  const ReshardPlanner *planner = nullptr;
  /// Of compute and of each level.
  std::vector<std::string> streams;
  /// Bytes that are alive while an op runs; empty if they are not known.
  IdVector<OpId, int64_t> liveBytes;
};

void writeTrace(const Timeline &timeline, const TraceNames &names, llvm::raw_ostream &out);

/// The timeline of a priced plan as such a file.
std::string printTrace(const Price &price, const Timeline &timeline);

} // namespace partita::report

#endif
