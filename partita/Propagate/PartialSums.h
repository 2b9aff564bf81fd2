//===- PartialSums.h - who takes partial sums on --------------------------===//
//
// A value that a split reduction gives is a partial sum over the axis. Sums are
// linear, so it need not be reduced at once: an add of partial sums is a partial
// sum. At the end of a step on an axis, among the nodes with nothing on it,
//
//   an add or subtract whose operands are all partial or zero takes the sum, if
//   that saves the reduction of an operand;
//   a unary linear op, if its operand is partial and all its uses take the sum;
//   a carried value, if it starts at zero, or partial, and all its uses in the
//   body take the sum.
//
// The greatest set that agrees with itself takes it. A pin on a cell ends it:
// the value is then reduced, or scattered, there.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_PARTIALSUMS_H
#define PARTITA_PROPAGATE_PARTIALSUMS_H

#include "partita/Propagate/Assignment.h"

namespace partita {

/// Lets nodes take the sum over `axis` (`sumFactor`), starting from the nodes that the step has just assigned. Costs
/// what it looks at: linear ops behind new partial sums.
void takePartialSums(Assignment &assignment, llvm::ArrayRef<NodeId> assigned, AxisId axis, uint32_t step);

/// What an assignment says of partial sums, as bits.
struct PartialSums {
  /// Bit a: the op takes partial operands over axis a and gives a partial result.
  IdVector<OpId, uint32_t> ops;
  /// Bit a: the carried value is a partial sum over axis a.
  IdVector<CellId, uint32_t> carried;
  /// Nothing but zeros: needs no reduction to be whole, and is a partial sum as it is.
  IdVector<CellId, uint8_t> zeros;

  bool takes(OpId op, AxisId axis) const { return (ops[op] >> axis.get() & 1) != 0; }
};

PartialSums derivePartialSums(const Assignment &assignment);

} // namespace partita

#endif
