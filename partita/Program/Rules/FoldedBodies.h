//===- FoldedBodies.h - bodies that combine partial results ---------------===//
//
// A reduction whose results have no common combiner may be split if its body can
// reduce the partial results of all devices:
//
//   a combiner for each result     sums beside maxima (Combiners.h)
//   choices                        argmax (SelectionBodies.h)
//   other arithmetic               pairs of a maximum and a sum of exponentials
//                                  (NumericBodies.h)
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_FOLDEDBODIES_H
#define PARTITA_PROGRAM_RULES_FOLDEDBODIES_H

#include "partita/Dialect/StableHlo/ReductionOps.h"
#include "partita/Program/Rooms.h"

namespace partita::program::rules {

struct FoldedBody {
  /// Partial results of pieces of the major reduced dim, in their order, may be reduced by the body.
  bool folds = false;
  /// So may those of pieces of any reduced dim.
  bool commutes = false;
  /// Elements may be added that are the init values.
  bool mayPad = false;
  /// Results are floats that depend on the order of elements by rounding.
  bool rounds = false;
};

FoldedBody findFoldedBody(stablehlo::ReduceOp op);

} // namespace partita::program::rules

#endif
