//===- Donation.h - arguments whose buffers results may take --------------===//
//
// As Cost/DonorPairs.h pairs them, by number.
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
  /// Donated arguments that no result can take.
  std::vector<unsigned> dropped;
};

/// Pairs the donated arguments of the program with results.
Donation pairDonors(const Assignment &assignment);

} // namespace partita::lower

#endif
