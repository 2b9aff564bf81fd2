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
// In a circular pipeline of v repeats a stage has v blocks of L/(vP) layers, and a
// microbatch goes around all stages v times (StageLayout.h). Microbatches go in
// groups of P: one follows the other, and when the last of a group has entered,
// the first of them comes back from the last stage. So nothing waits for its turn,
// and the next group enters behind it:
//
//          t = 0   1   2   3   4   5   6   7   8      P = 2, M = 4, v = 2
//   stage 0  m 0   1   0'  1'  2   3   2'  3'  -      ' in the second repeat
//   stage 1    -   0   1   0'  1'  2   3   2'  3'
//
// These are v * M + P - 1 ticks, if M is a multiple of P; else the last group has
// empty places.
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

/// The names of the values that say which microbatch each stage has, one for each pipeline; of a backward pass, in
/// which the last stage comes first, the second one.
inline constexpr llvm::StringLiteral microbatchNumbers = "pipeline_microbatch";
inline constexpr llvm::StringLiteral reversedMicrobatchNumbers = "pipeline_microbatch_reversed";

/// The names of what stages get from each other.
inline constexpr llvm::StringLiteral stageShifts = "pipeline_shift";

/// For stacks and their dims: the value of which `emitFromStages` made them.
using JoinedStacks = llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value>;

/// Replaces the loop over microbatches of `nest` by one over ticks, of these stages. On an error, which names the
/// op that cannot be pipelined, the program is spoilt. `joined` has the stacks of the loops before, and gets those of
/// this one: what one loop joins and another one parts stays in parts.
Status writeTicks(const LayerNest &nest, StageBlocks blocks, JoinedStacks &joined);

} // namespace partita::pipeline

#endif
