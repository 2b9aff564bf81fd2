//===- PaddableFactors.h - which factors of an op may be longer -----------===//
//
// Each family of ops has one definition of what it computes on padded operands
// (PaddedOps.h). Here stands for which factors there is one:
//
//   parallel   elementwise ops, ops that move data along other dims, products,
//              reductions, sorts, gather and scatter: the op itself, on longer
//              operands; what it computes behind the elements has no meaning
//   windows    convolutions and reduce_window: behind the elements there is what
//              the op pads with; cumulative sums see nothing that lies behind
//   reduced    products, convolutions, top_k and reductions with a known combiner:
//              the padding is replaced by what changes nothing; gather and scatter:
//              indices are confined to the elements
//
// Everything else (custom calls, random numbers, a kernel's gradient over split
// windows, a sort's own dim, dims that a start index or a shift moves along) has
// none: its operands are cut back to their elements.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PADDING_PADDABLEFACTORS_H
#define PARTITA_PADDING_PADDABLEFACTORS_H

#include "partita/Graph/Rule.h"
#include "partita/Padding/Rooms.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace partita::padding {

/// Whether some factors of the op may be longer.
bool isPaddable(mlir::Operation *op);

/// A scalar that comes behind all numbers of this type in the order of top_k, or is equal to the last of them; null for
/// types for which none is known. Only NaN with a sign comes behind minus infinity.
mlir::DenseElementsAttr getLeast(mlir::Type element);

/// Whether this factor of a paddable op may be longer. `rule` is the op's, for operands without padding.
bool mayBePadded(mlir::Operation *op, const Rule &rule, uint8_t factor);

} // namespace partita::padding

#endif
