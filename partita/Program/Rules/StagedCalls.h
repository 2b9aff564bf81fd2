//===- StagedCalls.h - custom calls of all stages at once -----------------===//
//
// In a program of pipeline stages (partita/Pipeline) dim 0 of a value counts the
// stages. A custom call knows nothing of that dim: each stage makes the call that
// the layer makes. The call of all stages is a custom call with a mark, which
// holds the attributes of the layer's call and says which operands are staged:
//
//   custom_call @k(%x, %w) {part.stages = {call = {...}, staged = array<i1: true, false>}}
//     : (tensor<4x8x16xf32>, tensor<16xf32>) -> tensor<4x8x16xf32>
//
// Its rule is that of the layer's call with one more factor, the stages. A device
// that has one of them makes the layer's call.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_STAGEDCALLS_H
#define PARTITA_PROGRAM_RULES_STAGEDCALLS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program {

/// The call `op` for all of `numStages` stages. `operands` stand for those of `op`; those that are `isStaged` have one
/// more dim, the first. All results have it. `op` must have no effect, and only ranked tensors.
stablehlo::CustomCallOp emitStagedCall(mlir::OpBuilder &builder, stablehlo::CustomCallOp op, mlir::ValueRange operands,
                                       llvm::ArrayRef<bool> isStaged, int64_t numStages);

bool isStagedCall(mlir::Operation *op);

/// Removes all marks inside of `root`: in a program from outside they mean nothing.
void dropStageMarks(mlir::Operation *root);

namespace rules {

OpRule ruleOfStagedCall(stablehlo::CustomCallOp op, RuleContext &context);
Pieces localStagedCall(stablehlo::CustomCallOp op, const LocalContext &local);

} // namespace rules

} // namespace partita::program

#endif
