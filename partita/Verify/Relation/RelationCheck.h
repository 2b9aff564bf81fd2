//===- RelationCheck.h - checks a local program without running it --------===//
//
// Walks through a local program once and finds for each value which piece of
// which original value it is, perhaps partial, along which digits of the
// device's number (PieceLayout.h). The shardings of the manual computation give
// the layouts of arguments and results. Collectives have rules of their own
// (CollectiveLayouts.h). Every other op must be what its rule gives for
// operands with these layouts (OpMatcher.h). A value that a loop carries has
// one layout; what it computes an iteration ahead is computed in its body first
// (LoopRotation.h). If all results are pieces of the original's results, the program
// is right for all inputs.
//
// The time is linear in the size of the program, except that bodies of loops
// that carry partial sums are walked twice.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_RELATIONCHECK_H
#define PARTITA_VERIFY_RELATION_RELATIONCHECK_H

#include "partita/Program/Rules/Rules.h"
#include "partita/Verify/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::verify {

/// How much of a local program the check covered.
struct RelationCounts {
  /// Values that are pieces of original values, including arguments; and ops that give such values.
  int64_t values = 0, ops = 0;
  /// Ops that give a piece or a partial value, not a whole value.
  int64_t splitOps = 0;
};

/// An error at the first op of `local` that does not correspond to the original, which is in normal form. The error is
/// BadInput and names the op's operands, or Unsupported if the check does not support the program. A handwritten
/// program may be right and still be refused; the output of lowering is not. Fills `counts`, if it is not null.
Status checkRelation(mlir::ModuleOp original, mlir::ModuleOp local, const UserRules &userRules,
                     RelationCounts *counts = nullptr);

} // namespace partita::verify

#endif
