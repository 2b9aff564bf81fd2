//===- Peel.h - layers that are not a multiple of the stages --------------===//
//
// Of L layers, P equal stages take the first n = L - L mod P; the rest runs
// outside of the pipeline, like the embedding and the loss:
//
//   for k in 0..L: layer k     ->   for k in 0..n: layer k;  for k in n..L: layer k
//
// A backward pass, which steps through its stacks from the end, does the rest
// first. Stacks are cut in two before the loops and joined behind them, so each
// of both is a loop of its own. What a forward pass joins and a backward pass cuts
// at the same place is never joined.
//
// (In a circular pipeline, read blocks of layers for stages: v * P of them.)
//
// If fewer than L mod P layers are missing to a multiple of P, the loop is filled
// instead: 126 layers in 16 stages are 128, of which the last two do nothing.
// Stacks get zeros behind their layers. A layer that does nothing computes as all
// do, but passes on what it was given, adds zeros to sums, and what it writes to
// stacks is cut off behind the loop.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_PEEL_H
#define PARTITA_PIPELINE_PEEL_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Pipeline/Rooms.h"
#include "partita/Pipeline/StageLayout.h"
#include "partita/Support/Error.h"

namespace partita::pipeline {

/// What was done to loops; the most of any.
struct Evened {
  /// Layers that are left over, and layers that do nothing.
  int64_t peeled = 0, idle = 0;
};

/// Cuts or fills the loops whose iterations are not a multiple of the blocks. An error for a loop that has fewer.
Result<Evened> evenLoops(llvm::ArrayRef<stablehlo::WhileOp> loops, StageBlocks blocks);

} // namespace partita::pipeline

#endif
