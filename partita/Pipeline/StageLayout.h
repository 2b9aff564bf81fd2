//===- StageLayout.h - stacks as parts of stages, and back ----------------===//
//
// A stack [a, L, c] of which each of P stages owns a part is [P, a, L/P, c]. To
// and fro it takes a reshape, and a transpose if the stacked dim is not the
// first.
//
// In a circular pipeline of v repeats, L layers are v * P blocks of k, and stage p
// owns blocks p, P + p, 2P + p ... one behind the other: [L] = [v, P, k], and with
// stages first [P, v * k]. Where stacks shall be stored in that order, they are cut
// into the v repeats by slices and put together again: these are the parts that
// room Reorder looks for.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_STAGELAYOUT_H
#define PARTITA_PIPELINE_STAGELAYOUT_H

#include "partita/Pipeline/Rooms.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace partita::pipeline {

/// How layers are dealt to stages.
struct StageBlocks {
  int64_t stages = 1, repeats = 1;
  /// Stacks are cut by slices.
  bool areCut = false;

  int64_t count() const { return stages * repeats; }
  /// `4 stages`, `8 blocks of 4 stages`.
  std::string str() const;
};

/// [P, a, L/P, c] of [a, L, c] with L at `dim`; and [P, a, k, c], a block of each stage.
mlir::RankedTensorType getStageType(mlir::Type stack, unsigned dim, int64_t numStages);
mlir::RankedTensorType getBlockType(mlir::Type stack, unsigned dim, StageBlocks blocks);
mlir::Value emitToStages(mlir::OpBuilder &builder, mlir::Value stack, unsigned dim, StageBlocks blocks);
/// The inverse; `dim` is that of the stack.
mlir::Value emitFromStages(mlir::OpBuilder &builder, mlir::Value stages, unsigned dim, StageBlocks blocks);

/// The same with another shape, of a value that is alike along `dim`, the only one in which they differ; null if it is
/// another one.
mlir::Value emitAlike(mlir::OpBuilder &builder, mlir::Value value, unsigned dim, llvm::ArrayRef<int64_t> shape);

/// The value of one stage, that at position `position` of dim 0; the same bits.
mlir::Value emitOneStage(mlir::OpBuilder &builder, mlir::Value stages, int64_t position);
/// The sum of all stages.
mlir::Value emitStageSum(mlir::OpBuilder &builder, mlir::Value stages);

} // namespace partita::pipeline

#endif
