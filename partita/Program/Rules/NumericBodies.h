//===- NumericBodies.h - bodies that compute, found to be associative -----===//
//
// The body of a reduction may compute numbers from two elements, each a tuple:
//
//   (max, sum of exponentials)           of a softmax
//   (count, mean, sum of squares)        Welford's mean and variance
//   (factor, offset)                     affine functions, one after the other
//
// Devices reduce their pieces from the init value i, gather the partial results
// and reduce these from i by the same body. With x for elements, and q and r for
// what reductions of elements give (r may be i), that is right if
//
//   r∘(i∘x) = r∘x            a partial result begins with i
//   r∘(q∘x) = (r∘q)∘x        elements may be grouped
//
// and if, for empty pieces and for padding that is filled with i,
//
//   r∘i = r                  i adds nothing
//
// Pieces of a dim that is not the major one mix the order of elements:
//
//   (r∘x)∘y = (r∘y)∘x        elements may change places
//
// Both sides of a law are functions of the same form: sums, products, quotients,
// exponentials and the like, in pieces that comparisons bound. Two such functions
// that agree on random points of a piece are equal on it. So the laws are tried on
// a hundred random points, with intervals for rounding (Intervals.h), and on
// what lies between pieces: zeros, infinities, NaN, the init value, the body's own
// constants. That is evidence, not a derivation. In floats, the order of elements
// changes rounding, as it does for sums; equality means that of real numbers.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_NUMERICBODIES_H
#define PARTITA_PROGRAM_RULES_NUMERICBODIES_H

#include "partita/Dialect/StableHlo/ReductionOps.h"
#include "partita/Program/Rooms.h"

namespace partita::program::rules {

/// What was found of a body and its init values.
struct BodyLaws {
  /// Partial results of pieces with elements may be combined.
  bool groups = false;
  /// Pieces may be empty, and padded with init values.
  bool isNeutral = false;
  /// Elements may change places.
  bool commutes = false;
};

/// The laws of the op's body for its init values, which must be constants. Elements that are known to be one of a few
/// numbers (counts of one) are taken to be these. No law holds for bodies with other ops than scalar arithmetic.
BodyLaws findBodyLaws(stablehlo::ReduceOp op);

/// Whether exact mode takes the body for the sum of what elements add to the init value: its laws would not hold there
/// (ScalarBody::leavesRing), and on positive numbers in general position it is associative and commutative.
bool isSumInExactMode(mlir::Region &body);

} // namespace partita::program::rules

#endif
