//===- HoistCasts.h - casts of layers' weights before the loop ------------===//
//
// A layer that computes in fewer bits than its weights are stored in casts its
// slice of them:
//
//   for k in 0..L:  w = cast(weights[k]); ...
//
// In a pipeline it would do so for each microbatch, though weights stay the same
// within a step. So the whole stack is cast once, before the loop:
//
//   narrow = cast(weights)
//   for k in 0..L:  w = narrow[k]; ...
//
// It takes the memory of the narrow stack, of which each stage has its part.
// Forward and backward loops share it. The bits are the same.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_HOISTCASTS_H
#define PARTITA_PIPELINE_HOISTCASTS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Pipeline/Rooms.h"

namespace partita::pipeline {

/// Casts stacks that `loops`, which stand in one block in this order, only read to cast them to a narrower type.
/// Returns whether there was any.
bool hoistCasts(llvm::ArrayRef<stablehlo::WhileOp> loops);

} // namespace partita::pipeline

#endif
