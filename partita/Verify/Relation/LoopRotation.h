//===- LoopRotation.h - loops that compute values an iteration ahead ------===//
//
// A local program may carry a value that the original computes in its body:
//
//   while (i = 0, g = f(0)) { use(g); %i1 = add %i, 1; return %i1, f(%i1) }
//
// Here g is f(i) whenever an iteration begins, by induction: it starts as f of
// what i starts as, and comes back as f of what i comes back as. So the loop is the
// same as one whose body computes f(i) and does not carry g. Nothing is taken from
// names or labels: both computations are compared op by op.
//
// Or it may carry what the original reduces and adds up at once, and complete its
// values an iteration later (CarriedReductions.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_LOOPROTATION_H
#define PARTITA_VERIFY_RELATION_LOOPROTATION_H

#include "partita/Verify/Rooms.h"

#include "mlir/IR/Block.h"

namespace partita::verify {

/// Whether a loop of the local block carries more values than that of the original in its place; loops inside of loops
/// and branches count.
bool hasRotated(mlir::Block &original, mlir::Block &local);

/// Replaces loops of the local block that carry more values than those of the original, where the others are such
/// values, or used no more. What cannot be proven stays.
void unrotate(mlir::Block &original, mlir::Block &local);

} // namespace partita::verify

#endif
