//===- TickWriter.h - what writes the loop over ticks ---------------------===//
//
// The state that Ticks.cpp, which says what ticks carry, and TickBody.cpp, which
// writes one of them, share.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_TICKWRITER_H
#define PARTITA_PIPELINE_TICKWRITER_H

#include "partita/Pipeline/LayerNest.h"
#include "partita/Pipeline/StagedOps.h"
#include "partita/Pipeline/Ticks.h"
#include "partita/Program/Rules/LocalArithmetic.h"

namespace partita::pipeline {

/// What becomes of a value that the loop over microbatches carries.
enum class BufferKind : uint8_t {
  /// Each stage has a part.
  Stack,
  /// Each stage adds to a sum of its own.
  Sum,
  /// Each stage has one; that of the last position is the result.
  Last
};

struct Buffer {
  BufferKind kind = BufferKind::Last;
  /// Of a stack.
  unsigned dim = 0;
};

class TickWriter {
public:
  TickWriter(const LayerNest &nest, int64_t numStages, JoinedStacks &joined)
      : nest(nest), joined(joined), numStages(numStages), layersPerStage(nest.numLayers / numStages), micro(nest.micro),
        layers(nest.layers), builder(micro), outside(micro), staged(builder, numStages), loc(micro.getLoc()) {}

  Status run();

private:
  // The values that ticks carry.
  void findBuffers();
  std::optional<unsigned> findStackDim(mlir::Value value) const;
  llvm::SmallVector<mlir::Value> emitInitial();
  void emitCondition(stablehlo::WhileOp ticks);
  Status emitBody(stablehlo::WhileOp ticks);
  Result<llvm::SmallVector<mlir::Value>> emitNext();
  Result<mlir::Value> emitNextBuffer(unsigned number);
  Result<mlir::Value> emitCollected(stablehlo::DynamicUpdateSliceOp update, unsigned number);
  void emitResults(stablehlo::WhileOp ticks);

  // A tick.
  void emitPosition(mlir::Value tick);
  Status emitLayers(mlir::Value tick, llvm::ArrayRef<mlir::Value> arrived);
  Result<mlir::Value> emitEntering(mlir::Value value, mlir::Value tick);
  Status bindLayerValues();
  Status emitLayerBody(stablehlo::WhileOp made);
  Status emitLayerOp(mlir::Operation *op, mlir::Value layer);
  void emitAccess(mlir::Operation *op, const StackAccess &access, mlir::Value layer);
  mlir::Value emitCounter(const LoopCounter &counter, mlir::RankedTensorType type, mlir::Value layer);
  mlir::Value selectValid(mlir::Value onTrue, mlir::Value onFalse);

  // Values of a turn, for all stages.
  Status need(mlir::Value value);
  Result<mlir::Value> emitStack(mlir::Value value, unsigned dim);
  mlir::Value emitOuterStack(mlir::Value value, unsigned dim);
  Result<mlir::Value> emitStackOp(mlir::Operation *op, unsigned dim);

  bool isInTurn(mlir::Value value) const { return nest.getTurn().getParent()->isAncestor(value.getParentRegion()); }
  rules::LocalArithmetic emit() { return {builder, loc}; }
  mlir::Value emitNumbers(mlir::Value scalar) { return emit().broadcast(scalar, {numStages}, {}); }

  const LayerNest &nest;
  JoinedStacks &joined;
  int64_t numStages, layersPerStage;
  stablehlo::WhileOp micro, layers;
  mlir::OpBuilder builder;
  /// Before the loop.
  mlir::OpBuilder outside;
  StagedOps staged;
  mlir::Location loc;
  /// For each carried value of the loop over microbatches but the first, which counts.
  std::vector<Buffer> buffers;
  /// Numbers of carried values of the layer loop.
  llvm::SmallVector<unsigned> activations, written;
  /// Stage forms of stacks.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> stacks;
  /// For each stage: its position, its microbatch, whether that exists, whether it is the first of the pipeline.
  mlir::Value position, microbatch, isValid, isFirst;
};

/// Where dim `dim` of a reshape's operand (or of its result, the other way round) is on the other side; nothing if it
/// is merged with others.
std::optional<unsigned> mapReshaped(mlir::RankedTensorType from, mlir::RankedTensorType to, unsigned dim);

} // namespace partita::pipeline

#endif
