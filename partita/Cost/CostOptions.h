//===- CostOptions.h - limits and assumptions of the cost model -----------===//

#ifndef PARTITA_COST_COSTOPTIONS_H
#define PARTITA_COST_COSTOPTIONS_H

#include "partita/Cost/Rooms.h"
#include "partita/Support/OptionTable.h"

namespace partita::cost {

struct CostOptions {
  /// 0: a share of the device's memory (CostModel::getMemoryLimit).
  int64_t memoryLimitBytes = 0;
  int64_t memoryLimitPpm = 900'000;
  int64_t overlapPpm = 800'000;
  int64_t assumedTrips = 1;

  void visitOptions(OptionVisitor &visitor) {
    visitor.integer({"overlap", "ppm", "The share of compute time that independent communication may hide behind"},
                    overlapPpm, 0, 1'000'000);
    visitor.integer({"assume-trips", "trips", "Iterations of loops whose number is not known"}, assumedTrips, 0,
                    1'000'000'000);
  }
  bool operator==(const CostOptions &) const = default;
};

} // namespace partita::cost

#endif
