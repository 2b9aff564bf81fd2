//===- EnclosedTurn.h - the turns of a loop, as a program of their own ----===//
//
// Layers may stand inside of a loop that runs the whole step for one microbatch
// after the other. What a turn computes is straight code around layer loops, as a
// program is: it is taken out of the loop, rewritten, and put back.
//
//   for a in 0..A:                          main(weights, batch, a, sum):
//     x = batch[a]                            x = batch[a]
//     sum += gradients(layers(weights, x))    sum + gradients(layers(weights, x))
//
// Arguments are what turns carry, and then the values from outside that they use.
// Constants are copied.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_ENCLOSEDTURN_H
#define PARTITA_PIPELINE_ENCLOSEDTURN_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Pipeline/Rooms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partita::pipeline {

struct EnclosedTurn {
  stablehlo::WhileOp loop;
  /// Its @main computes what a turn carries on from what it is given.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// For each argument of @main the same value outside of the loop; null for what changes from turn to turn.
  llvm::SmallVector<mlir::Value> outer;
};

EnclosedTurn takeTurn(stablehlo::WhileOp loop);

/// Replaces the loop's body by @main.
void putBack(EnclosedTurn &turn);

} // namespace partita::pipeline

#endif
