//===- NearLimit.h - what overlap takes of a memory that is nearly full ---===//
//
// Values that are gathered before they are used take memory. A compiler that
// finds too little of it gives overlap up: gathers run where their values are
// used, and compute waits for all of them (docs/gpu.md).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_NEARLIMIT_H
#define PARTITA_COST_NEARLIMIT_H

#include "partita/Cost/Price.h"
#include "partita/Cost/Rooms.h"

#include <optional>

namespace partita::cost {

struct NearLimit {
  /// By how much the peak would be lower if nothing were under way while ops run.
  int64_t overlapBytes = 0;
  /// The time of a step in which no communication hides.
  int64_t synchronousPs = 0;
  bool operator==(const NearLimit &) const = default;
};

/// Of a plan whose peak is within a tenth of the limit, above or below, if some of its communication hides.
std::optional<NearLimit> findNearLimit(const Price &price);

} // namespace partita::cost

#endif
