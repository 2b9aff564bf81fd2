//===- LoopForm.h - an assignment as loops over mesh axes -----------------===//
//
// Every op that an axis splits becomes the part that one device computes, in a
// nest of loops, one for each axis:
//
//   %0 = part.loop "data" size 4 [tile<0>] (%data) {
//     %1 = part.slice %x dim 0 at %data : tensor<256x8xf32> -> tensor<64x8xf32>
//     %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : ...
//     part.yield %2 : tensor<64x16xf32>
//   } : tensor<256x16xf32>
//
// Between ops, values are whole: the program computes the same as before, one
// position after the other on one device. It shows the assignment to people and
// tests; lowering to the program of one device does not use it (LocalProgram.h). Values
// that depend on no argument are computed inside the loops of the op that takes
// a piece of them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_LOOPFORM_H
#define PARTITA_LOWER_LOOPFORM_H

#include "partita/Lower/Rooms.h"
#include "partita/Program/Flatten.h"
#include "partita/Propagate/Assignment.h"

#include "mlir/IR/OwningOpRef.h"

namespace partita::lower {

/// The loop form of `module`, which is in normal form and of which `flattened` is the flat program.
Result<mlir::OwningOpRef<mlir::ModuleOp>> buildLoopForm(mlir::ModuleOp module, const Flattened &flattened,
                                                        const Assignment &assignment);

} // namespace partita::lower

#endif
