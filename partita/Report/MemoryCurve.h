//===- MemoryCurve.h - memory over the time of a step ---------------------===//

#ifndef PARTITA_REPORT_MEMORYCURVE_H
#define PARTITA_REPORT_MEMORYCURVE_H

#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"
#include "partita/Simulate/Timeline.h"

namespace partita::report {

/// From `timePs` on, so many bytes are alive, until the next point.
struct MemoryPoint {
  int64_t timePs = 0, bytes = 0;
  bool operator==(const MemoryPoint &) const = default;
};

/// The bytes alive while each op runs, in the order of time. An op that takes no time of its own counts where the next
/// one of its region begins. Skipped iterations of a loop have the most that an op of the loop has. The last
/// point is the end of the step.
std::vector<MemoryPoint> buildMemoryCurve(const Graph &graph, const Timeline &timeline,
                                          llvm::ArrayRef<int64_t> liveBytes);

/// At most `maxPoints`: of those close to each other the highest.
std::vector<MemoryPoint> thinMemoryCurve(llvm::ArrayRef<MemoryPoint> curve, size_t maxPoints);

} // namespace partita::report

#endif
