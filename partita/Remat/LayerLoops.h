//===- LayerLoops.h - pairs of loops, and the stacks between them ---------===//
//
// JAX differentiates a scan into two loops. In iteration k the forward loop
// writes what the backward pass needs to slice k of stacks, and the backward
// loop reads it:
//
//   forward, backward = 4 iterations each
//   forward:  stack = dynamic_update_slice(stack, value, k, 0, 0)
//   backward: value = dynamic_slice(stack, 3 - k', 0, 0)      iteration k = 3 - k'
//
// All that is said of a stack is proven (Program/LoopAffine.h): the backward loop
// reads only slices that were written, and nothing else reads or writes it. An
// iteration may run several layers (`unroll`); a slice then holds what all of them
// keep, put together by a concatenation.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REMAT_LAYERLOOPS_H
#define PARTITA_REMAT_LAYERLOOPS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/LoopAffine.h"
#include "partita/Program/Loops.h"
#include "partita/Remat/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::remat {

struct LayerStack {
  /// Its number among the values that each loop carries.
  unsigned forward = 0, backward = 0;
  stablehlo::DynamicUpdateSliceOp update;
  /// What is written, before it gets the dim that is stacked.
  mlir::Value written;
  llvm::SmallVector<stablehlo::DynamicSliceOp, 1> reads;
  /// Ops between the loops that give it another shape and then its own again: what `unroll` of a scan leaves.
  llvm::SmallVector<stablehlo::ReshapeOp, 0> reshapes;
  /// The dim that the loops step through; its index in iteration k of the forward loop.
  unsigned dim = 0;
  Affine index;
};

struct LayerLoops {
  stablehlo::WhileOp forward, backward;
  /// Counters and numbers of iterations.
  CountedLoop forwardCount, backwardCount;
  /// The iteration of the forward loop whose slices iteration k' of the backward loop reads; its slope is 1 or -1.
  Affine iteration;
  /// In the order in which the forward loop carries them; at least one.
  std::vector<LayerStack> stacks;

  mlir::Block &getForwardBody() const { return stablehlo::WhileOp(forward).getBody().front(); }
  mlir::Block &getBackwardBody() const { return stablehlo::WhileOp(backward).getBody().front(); }
  /// A function of the backward loop's iteration as one of the forward loop's; nothing if it does not fit 64 bits.
  std::optional<Affine> toForward(Affine ofBackward) const;
};

/// All pairs, in program order. A loop is in one pair at most.
std::vector<LayerLoops> findLayerLoops(mlir::ModuleOp module);

/// An evaluator that knows the counters of the loop's body.
AffineEvaluator makeEvaluator(stablehlo::WhileOp loop, const CountedLoop &count);

/// Whether the op only gives its operand another shape: a reshape, or a broadcast that adds dims of size 1.
bool isReshape(mlir::Operation *op);

} // namespace partita::remat

#endif
