//===- SelectionBodies.h - bodies that choose one of two elements ---------===//
//
// The body of an argmax compares two elements, each a tuple of numbers, and
// returns one of them:
//
//   (max, index): a is larger, or equal with the smaller index, or not a number
//
// Such a body depends on nothing but the order of its arguments, so a few
// representatives of every order decide what holds for all numbers. Partial
// results may be folded by the same body if, for all elements,
//
//   a∘(b∘c) = (a∘b)∘c     they may be grouped
//   i∘x∘i = i∘x           the init value i, which comes first, may come again
//
// The elements keep their order: a body that takes the first of two NaNs does.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_SELECTIONBODIES_H
#define PARTITA_PROGRAM_RULES_SELECTIONBODIES_H

#include "partita/Program/Rooms.h"

#include "mlir/IR/Region.h"
#include "mlir/IR/ValueRange.h"

namespace partita::program::rules {

/// Whether the region, with arguments a0..an-1, b0..bn-1 and n results, is such a body and may fold partial results
/// that each began with `inits`, shown by trying all orders. False for bodies that compute numbers, and for those with
/// too many orders to try.
bool foldsSelections(mlir::Region &region, mlir::ValueRange inits);

/// Whether the region is such a body, so that nothing but order decides.
bool isSelection(mlir::Region &region);

} // namespace partita::program::rules

#endif
