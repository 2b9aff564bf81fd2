//===- ReorderableFactors.h - which factors of an op may be in any order --===//
//
// An op that computes each index of a factor alone, or combines all of them in
// any order, gives the same on operands that all have the factor in another
// order. A slice, a pad and a concatenation along a dim do not, but where whole
// parts are cut out or put in they can be computed group by group.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REORDER_REORDERABLEFACTORS_H
#define PARTITA_REORDER_REORDERABLEFACTORS_H

#include "partita/Graph/Rule.h"
#include "partita/Reorder/Rooms.h"

#include "mlir/IR/Operation.h"

namespace partita::reorder {

/// Whether some dims of the op may be in another order.
bool isReorderable(mlir::Operation *op);

/// Whether this factor of a reorderable op may be.
bool mayBeReordered(mlir::Operation *op, const Rule &rule, uint8_t factor);

/// Whether the op, which is reorderable, cuts parts out of this dim or puts them into it.
bool isBridge(mlir::Operation *op, unsigned dim);

} // namespace partita::reorder

#endif
