//===- Ticks.h - writes the loop over ticks of a pipeline -----------------===//
//
// P stages of L/P layers each, M microbatches (GPipe). In tick t, of M + P - 1,
// the stage at position q of the pipeline runs its layers on microbatch
// m = t - q, if there is one:
//
//          t = 0   1   2   3   4         P = 2, M = 4
//   stage 0  m 0   1   2   3   -
//   stage 1    -   0   1   2   3
//
// It is written for all stages at once: dim 0 of a value counts the stages. The
// axis `pipe` of the mesh splits that dim, so that each device has one stage.
// Between ticks each stage takes the activation of the one before, by a shift
// along dim 0 (Program/Rules/StageShift.h). In a backward pass the last stage comes
// first.
//
// A stage without a microbatch computes with what happens to be there. What it
// writes to buffers lies out of their bounds and is dropped; what it would add to
// sums is not selected.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_TICKS_H
#define PARTITA_PIPELINE_TICKS_H

#include "partita/Pipeline/LayerNest.h"
#include "partita/Pipeline/Rooms.h"

namespace partita::pipeline {

/// The name of the values that number the stages, at least one for each pipeline.
inline constexpr llvm::StringLiteral stageNumbers = "pipeline_stage";

/// Replaces the loop over microbatches of `nest` by one over ticks, of `numStages` stages. On an error, which names the
/// op that cannot be pipelined, the program is spoilt.
Status writeTicks(const LayerNest &nest, int64_t numStages);

} // namespace partita::pipeline

#endif
