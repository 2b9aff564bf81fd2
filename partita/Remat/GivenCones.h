//===- GivenCones.h - cones that the program comes with -------------------===//
//
// jax.checkpoint recomputes a layer behind a barrier of its own, which holds what
// the cone reads and the cotangent that the layer gets. Gradients of weights and
// the loss do not pass it, so XLA may put them off as if there were no barrier
// (Fence.h). In straight code they are made to pass: such a barrier becomes what
// it would be if the rewriter of cones had written it (CodeRewriter.h). A barrier
// gives back what it takes, so nothing is computed that was not before.
//
// They pass the barrier behind that one as well. The first has them computed, and
// lowering puts their reduction over devices behind it; the second has them
// reduced. Otherwise XLA puts these reductions off in turn, and keeps the
// unreduced gradients of all layers.
//
//   before   %inputs, %cotangent = optimization_barrier %inputs, %cotangent
//   then     %inputs, %cotangent, %gradients = optimization_barrier %inputs, %cotangent, %gradients
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REMAT_GIVENCONES_H
#define PARTITA_REMAT_GIVENCONES_H

#include "partita/Program/Flatten.h"
#include "partita/Remat/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::remat {

/// Whether @main has a barrier outside of loops and branches. Without one there is nothing to fence.
bool hasBarrier(mlir::ModuleOp module);

/// Lets late results of @main pass the next barrier before a cone of its backward pass. `module` is in normal form. An
/// error if it cannot be flattened.
Status fenceGivenCones(mlir::ModuleOp module, const FlattenOptions &options);

} // namespace partita::remat

#endif
