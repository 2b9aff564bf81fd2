//===- RollLayers.h - loops of unrolled layers ----------------------------===//
//
// Makes loops of layers that a program runs one after the other in straight code
// (LayerCode.h), as `jax.lax.scan` would have:
//
//   x1 = tanh(x0 · w0)               stack = concatenate(w0, w1, w2)
//   x2 = tanh(x1 · w1)       ->      for k in 0..3:  x = tanh(x · stack[k])
//   x3 = tanh(x2 · w2)
//
// Weights stay arrays of their own at the program's border. What the backward pass,
// or anything else, reads of several layers becomes a stack that the loop writes;
// what a backward pass reads of a forward one stays a stack. The bits are the same.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_ROLLLAYERS_H
#define PARTITA_PIPELINE_ROLLLAYERS_H

#include "partita/Pipeline/Rooms.h"
#include "partita/Program/Flatten.h"
#include "partita/Support/Error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita::pipeline {

/// Rolls all stacks of layers in the body of `main`, of which `flattened` is the flat program. Returns the number of
/// loops that were made. That the results are the same is proven each time (RolledNumbers.h). On an error the program
/// is spoilt.
Result<int64_t> rollLayers(mlir::func::FuncOp main, const Flattened &flattened);

/// The layers of the deepest stack that `rollLayers` would roll; 0 if there is none.
int64_t countUnrolledLayers(mlir::func::FuncOp main, const Flattened &flattened);

} // namespace partita::pipeline

#endif
