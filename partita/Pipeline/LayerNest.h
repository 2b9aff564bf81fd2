//===- LayerNest.h - a layer loop inside of a loop over microbatches ------===//
//
// What becomes a pipeline: M microbatches, each of which runs through L layers.
//
//   for m in 0..M:  x = input[m]
//     for k in 0..L:  x, stash[k] = layer(x, weights[k])
//     output[m] = x, stashes[m] = stash, gradients += ...
//
// Each value that the layer loop carries has a role:
//
//   counter     an integer that is affine in k
//   invariant   the same in all layers
//   stack       layer k reads and writes slice k (or L-1-k) along one dim, and nothing
//               else. Stages own parts of it
//   sum         what every layer adds to, from one microbatch to the next
//   activation  anything else: one layer passes it to the next
//
// All that is said of a stack is proven (StackAccesses.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_LAYERNEST_H
#define PARTITA_PIPELINE_LAYERNEST_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Pipeline/Rooms.h"
#include "partita/Pipeline/StackAccesses.h"
#include "partita/Pipeline/StageLayout.h"
#include "partita/Program/Loops.h"
#include "partita/Support/Error.h"

#include "llvm/ADT/DenseMap.h"

namespace partita::pipeline {

enum class CarriedRole : uint8_t { Counter, Invariant, Stack, Sum, Activation };

struct CarriedValue {
  CarriedRole role = CarriedRole::Activation;
  /// Of a stack: the dim that the layers step through.
  unsigned dim = 0;
  /// The carried value of the loop over microbatches that it starts from and that becomes its last value: a sum, or a
  /// stack that microbatches add to.
  std::optional<unsigned> running = std::nullopt;
  /// Of a counter.
  LoopCounter counter = {};
};

struct LayerNest {
  /// Over microbatches, and over layers inside of it.
  stablehlo::WhileOp micro, layers;
  int64_t numMicrobatches = 0, numLayers = 0;
  /// Stacks are stepped through from the end: the last stage comes first.
  bool isReversed = false;
  /// For each value that the layer loop carries.
  std::vector<CarriedValue> carried;
  /// Values from outside of the layer loop that it steps through without carrying them, and the dims.
  llvm::DenseMap<mlir::Value, unsigned> outerStacks;
  /// The slices and updates of stacks in the body of the layer loop.
  llvm::DenseMap<mlir::Operation *, StackAccess> accesses;

  mlir::Block &getTurn() const { return stablehlo::WhileOp(micro).getBody().front(); }
  mlir::Block &getLayer() const { return stablehlo::WhileOp(layers).getBody().front(); }
};

/// The nest of a loop over microbatches that contains one layer loop. An error says which op forbids a pipeline of
/// these blocks.
Result<LayerNest> findLayerNest(stablehlo::WhileOp micro, StageBlocks blocks);

} // namespace partita::pipeline

#endif
