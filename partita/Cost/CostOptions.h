//===- CostOptions.h - limits and assumptions of the cost model -----------===//
//
// What a user may set for prices. Memory is limited to `memoryLimitBytes` or,
// if that is 0, to `memoryLimitPpm` millionths of a device's memory. If both
// are 0, the limit is what the platform's pool gives (MemoryPool.h). In a
// region, `overlapPpm` millionths of compute may hide communication (CostSums.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COSTOPTIONS_H
#define PARTITA_COST_COSTOPTIONS_H

#include "partita/Cost/Rooms.h"
#include "partita/Support/OptionTable.h"

#include <optional>

namespace partita::cost {

struct CostOptions {
  /// Both 0: what the pool gives (CostModel::getMemoryLimit).
  int64_t memoryLimitBytes = 0, memoryLimitPpm = 0;
  /// The pool of this environment, in millionths of the memory, if it is not the machine's own.
  std::optional<int64_t> memoryPoolPpm;
  int64_t overlapPpm = 1'000'000;
  int64_t assumedTrips = 1;

  void visitOptions(OptionVisitor &visitor) {
    visitor.integer({"overlap", "ppm", "Share of compute time that may hide communication, in millionths"}, overlapPpm,
                    0, 1'000'000);
    visitor.integer({"assume-trips", "trips", "Iterations to assume for loops whose number is not known"}, assumedTrips,
                    0, 1'000'000'000);
  }
  bool operator==(const CostOptions &) const = default;
};

} // namespace partita::cost

#endif
