//===- StageLayout.h - stacks as parts of stages, and back ----------------===//
//
// A stack [a, L, c] of which each of P stages owns a part is [P, a, L/P, c]. To
// and fro it takes a reshape, and a transpose if the stacked dim is not the
// first.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_STAGELAYOUT_H
#define PARTITA_PIPELINE_STAGELAYOUT_H

#include "partita/Pipeline/Rooms.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace partita::pipeline {

/// [P, a, L/P, c] of [a, L, c] with L at `dim`.
mlir::RankedTensorType getStageType(mlir::Type stack, unsigned dim, int64_t numStages);
mlir::Value emitToStages(mlir::OpBuilder &builder, mlir::Value stack, unsigned dim, int64_t numStages);
/// The inverse; `dim` is that of the stack.
mlir::Value emitFromStages(mlir::OpBuilder &builder, mlir::Value stages, unsigned dim);

/// The value of one stage, that at position `position` of dim 0; the same bits.
mlir::Value emitOneStage(mlir::OpBuilder &builder, mlir::Value stages, int64_t position);
/// The sum of all stages.
mlir::Value emitStageSum(mlir::OpBuilder &builder, mlir::Value stages);

} // namespace partita::pipeline

#endif
