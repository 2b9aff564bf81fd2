//===- StagedOps.h - the ops of a layer, for all stages at once -----------===//
//
// In a program with stages, a value that differs between stages has one more
// dim, the first, which counts them. An op on such values becomes the same op
// with that dim as a batch:
//
//   dot_general [b,k] x [k,n]       -> [P,b,k] x [P,k,n], batching dims [0] x [0]
//   dynamic_slice at an index       -> the same, if the index is that of all stages
//     that differs between stages   -> gather, with dim 0 as batching dim
//   custom_call                     -> the call of all stages (StagedCalls.h)
//
// Values that are the same for all stages stay as they are, and ops on them too.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_STAGEDOPS_H
#define PARTITA_PIPELINE_STAGEDOPS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Pipeline/Rooms.h"
#include "partita/Support/Error.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace partita::pipeline {

/// A value of the layer's code in the program with stages.
struct StagedValue {
  mlir::Value value;
  /// Dim 0 counts the stages. Otherwise it is the same for all.
  bool isStaged = false;
};

class StagedOps {
public:
  StagedOps(mlir::OpBuilder &builder, int64_t numStages) : builder(builder), numStages(numStages) {}

  void define(mlir::Value original, StagedValue made);
  /// What stands for the value. One that was not defined here is itself, the same for all stages.
  StagedValue find(mlir::Value original) const;
  bool isKnown(mlir::Value original) const { return known.contains(original); }
  /// The same with the dim of stages.
  mlir::Value findStaged(mlir::Value original);

  /// Emits `op` at the builder and defines its results. An error if the op is not known for several stages.
  Status emit(mlir::Operation *op);
  /// Emits all ops of the block but its terminator.
  Status emitBlock(mlir::Block &block);

  /// `type` with the dim of stages.
  mlir::RankedTensorType addStages(mlir::Type type) const;
  /// `value`, which is the same for all stages, once for each.
  mlir::Value spread(mlir::Value value);
  /// `numbers`, one for each stage, along dim 0 of a tensor of `shape`.
  mlir::Value spreadAlong(mlir::Value numbers, llvm::ArrayRef<int64_t> shape, mlir::Location loc);

  /// Slices of `sizes` of each stage's part of `operand`, whose start differs between stages; out of bounds it is
  /// clamped. `starts` has one entry for each dim of a stage's part.
  mlir::Value emitGather(mlir::Location loc, StagedValue operand, llvm::ArrayRef<StagedValue> starts,
                         llvm::ArrayRef<int64_t> sizes);
  /// Writes each stage's `update` to its part of `operand`; out of bounds nothing is written.
  mlir::Value emitScatter(mlir::Location loc, mlir::Value operand, mlir::Value update,
                          llvm::ArrayRef<StagedValue> starts);

private:
  bool hasStagedOperand(mlir::Operation *op) const;
  /// The op with all operands staged, and results of staged types.
  mlir::Operation *emitAllStaged(mlir::Operation *op);
  void defineStaged(mlir::Operation *op, mlir::Operation *made);
  mlir::Value emitIndices(mlir::Location loc, llvm::ArrayRef<StagedValue> starts, llvm::ArrayRef<int64_t> dims);

  Status emitStaged(mlir::Operation *op);
  Status emitElementwise(mlir::Operation *op);
  Status emitShape(mlir::Operation *op);
  Status emitPad(stablehlo::PadOp op);
  Status emitDot(stablehlo::DotGeneralOp op);
  Status emitReduce(mlir::Operation *op);
  Status emitSort(stablehlo::SortOp op);
  Status emitCall(stablehlo::CustomCallOp op);
  Status emitSlice(stablehlo::DynamicSliceOp op);
  Status emitUpdate(stablehlo::DynamicUpdateSliceOp op);
  Status emitGatherOp(stablehlo::GatherOp op);
  Status emitScatterOp(stablehlo::ScatterOp op);
  Status emitBarrier(stablehlo::OptimizationBarrierOp op);
  Status emitWhile(stablehlo::WhileOp op);
  Status emitBranches(mlir::Operation *op);

  mlir::OpBuilder &builder;
  int64_t numStages;
  llvm::DenseMap<mlir::Value, StagedValue> known;
  /// Those that are the same for all stages.
  mlir::IRMapping plain;
};

/// `list` with `more` added to each number, behind `first`.
llvm::SmallVector<int64_t> addFirst(llvm::ArrayRef<int64_t> list, std::optional<int64_t> first, int64_t more = 1);

/// The values of `block` and below that differ between stages if those in `staged` do, which they are added to.
void addStagedValues(mlir::Block &block, llvm::DenseSet<mlir::Value> &staged);

} // namespace partita::pipeline

#endif
