//===- Donation.h - which results take donated buffers --------------------===//
//
// The pairs of Cost/DonorPairs.h as argument and result numbers.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_DONATION_H
#define PARTITA_LOWER_DONATION_H

#include "partita/Lower/Rooms.h"
#include "partita/Propagate/Assignment.h"

#include <optional>
#include <vector>

namespace partita::lower {

struct Donation {
  /// For each argument, the result that takes its buffer.
  std::vector<std::optional<unsigned>> results;
  /// Donated arguments whose buffer no result can take.
  std::vector<unsigned> dropped;
};

/// Pairs the donated arguments of the program with results.
Donation pairDonors(const Assignment &assignment);

} // namespace partita::lower

#endif
