//===- PartialSums.h - who carries partial sums on ------------------------===//
//
// A value that a split reduction gives is a partial sum over the axis. Sums are
// linear, so it need not be reduced at once: an add of partial sums is a partial
// sum. This follows from a finished assignment, so it is derived, not decided:
//
//   an add or subtract with nothing on the axis, whose operands are all partial
//   over it or zero, takes the sum, if that saves the reduction of an operand;
//   a unary linear op, if all its uses do;
//   a carried value, if it starts at zero and all its uses in the body do.
//
// A pin on the cell ends it: the value is then reduced, or scattered, there.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_PARTIALSUMS_H
#define PARTITA_PROPAGATE_PARTIALSUMS_H

#include "partita/Propagate/Assignment.h"

namespace partita {

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
