//===- LoopRotation.h - values of a loop computed an iteration ahead ------===//
//
// XLA:GPU runs the collectives of an iteration beside the compute of the same
// iteration, so the first gathers of a layer wait for nothing and are waited for.
// A rotated loop gathers for the next iteration instead:
//
//   while (i = 0) {                       %g0 = gather(slice(%w, 0))
//     %s = slice(%w, %i)           =>     while (i = 0, g = %g0) {
//     %g = gather(%s)                       %y = use(%g)
//     %y = use(%g)                          %i1 = add %i, 1
//     return add(%i, 1)                     return %i1, gather(slice(%w, %i1))
//   }                                     }
//
// The cone of a value, the ops from carried values to it, is cloned in front of the
// loop on the initial values, and at the end of the body on the yielded ones.
// Barriers in it are left out, as they order ops that are elsewhere now. The last
// iteration computes a value that nobody uses; a dynamic slice clamps its indices.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_LOOPROTATION_H
#define PARTITA_LOWER_LOOPROTATION_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Lower/Rooms.h"

namespace partita::lower {

/// Whether `value`, of the body of `loop`, can be computed an iteration ahead: its cone moves data, and reads carried
/// values only that the loop does not change or that are counted.
bool mayRotate(stablehlo::WhileOp loop, mlir::Value value);

/// The loop that replaces `loop`. It also carries `values`, which `mayRotate` accepts, and computes them ahead. In the
/// body, collectives wait for the value `token`, if there is one.
stablehlo::WhileOp rotate(stablehlo::WhileOp loop, llvm::ArrayRef<mlir::Value> values, mlir::Value token = {});

} // namespace partita::lower

#endif
