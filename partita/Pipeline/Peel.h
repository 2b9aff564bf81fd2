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
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_PEEL_H
#define PARTITA_PIPELINE_PEEL_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Pipeline/Rooms.h"
#include "partita/Support/Error.h"

namespace partita::pipeline {

/// Cuts the loops whose iterations are not a multiple of `numStages`. Returns the most that was left over of any. An
/// error for a loop that has fewer iterations than stages.
Result<int64_t> peelLoops(llvm::ArrayRef<stablehlo::WhileOp> loops, int64_t numStages);

} // namespace partita::pipeline

#endif
