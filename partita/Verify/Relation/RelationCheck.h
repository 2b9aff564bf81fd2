//===- RelationCheck.h - a local program, checked without running it ------===//
//
// Goes through a local program once and says of each value what it is of the
// original: a device's piece of a value, perhaps partial, along which digits of
// the device's number (PieceLayout.h). Arguments and results are what the shardings of
// the manual computation say; collectives follow rules of their own
// (CollectiveLayouts.h); every other op must be what its rule gives for operands
// that are cut so (OpMatcher.h). What a loop carries has one layout. A program in
// which all results are pieces of the original's results computes them, whatever
// the inputs are.
//
// Work is linear in the size of the program, but for loops that carry partial
// sums, whose bodies are gone through twice.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_RELATIONCHECK_H
#define PARTITA_VERIFY_RELATION_RELATIONCHECK_H

#include "partita/Program/Rules/Rules.h"
#include "partita/Verify/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::verify {

/// What the check went through in a local program.
struct RelationCounts {
  /// Values that are known to be pieces of values of the original, arguments among them, and ops that give such.
  int64_t values = 0, ops = 0;
  /// Ops that give a piece of a value, or a partial one, not a whole value.
  int64_t splitOps = 0;
};

/// An error at the first op of `local` that cannot be what the original, in normal form, has there: it is of kind
/// BadInput, and says what the op takes, unless the program is of a layout that the check does not know (Unsupported).
/// Programs that anybody wrote may be right and yet refused; what lowering emits is not.
/// `counts`, if it is not null, is filled in.
Status checkRelation(mlir::ModuleOp original, mlir::ModuleOp local, const UserRules &userRules,
                     RelationCounts *counts = nullptr);

} // namespace partita::verify

#endif
