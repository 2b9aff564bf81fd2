//===- Donation.h - arguments whose buffers results may take --------------===//
//
// A donated argument may give its buffer to a result of the same type on every
// device. Who was paired with whom when the program was written says little:
// after planning, donors are paired again.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_DONATION_H
#define PARTITA_LOWER_DONATION_H

#include "partita/Propagate/Assignment.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace partita {

struct Donation {
  /// For each argument, the result that takes its buffer.
  std::vector<std::optional<unsigned>> results;
  /// Donated arguments that no result can take.
  std::vector<unsigned> dropped;
};

/// Pairs the donated arguments of `main` with results of equal type and sharding: the result that is tied to it first,
/// then the one it was paired with, then the first that is left.
Donation pairDonors(mlir::func::FuncOp main, const Assignment &assignment);

} // namespace partita

#endif
