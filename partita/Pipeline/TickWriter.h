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
  /// What all stages have of what enters the pipeline: the place of a microbatch that has entered is free for what
  /// leaves it.
  mlir::Value start = {};
};

class TickWriter {
public:
  TickWriter(const LayerNest &nest, StageBlocks blocks, JoinedStacks &joined)
      : nest(nest), joined(joined), blocks(blocks), numStages(blocks.stages),
        layersPerBlock(nest.numLayers / blocks.count()), micro(nest.micro), layers(nest.layers), builder(micro),
        outside(micro), staged(builder, numStages), loc(micro.getLoc()) {}

  Status run();

private:
  // The values that ticks carry.
  void findBuffers();
  void shareBuffers();
  std::optional<unsigned> findStackDim(mlir::Value value) const;
  llvm::SmallVector<mlir::Value> emitInitial();
  void emitCondition(stablehlo::WhileOp ticks);
  Status emitBody(stablehlo::WhileOp ticks);
  Result<llvm::SmallVector<mlir::Value>> emitNext();
  Result<mlir::Value> emitNextBuffer(unsigned number);
  Result<mlir::Value> emitNextStack(mlir::Value next, unsigned dim, mlir::Value old);
  Result<mlir::Value> emitCollected(stablehlo::DynamicUpdateSliceOp update, unsigned number);
  void emitResults(stablehlo::WhileOp ticks);

  // A tick.
  void emitPosition(mlir::Value tick);
  void emitMicrobatch(mlir::Value turn);
  mlir::Value emitArrived(mlir::Value given);
  mlir::Value emitEnteringNumber(mlir::Value tick);
  Status emitLayers(mlir::Value tick, llvm::ArrayRef<mlir::Value> arrived);
  Result<mlir::Value> emitEntering(mlir::Value value, mlir::Value tick);
  mlir::Value emitEnteringRows(stablehlo::DynamicSliceOp read);
  Status bindLayerValues();
  Status emitLayerBody(stablehlo::WhileOp made);
  Status emitLayerOp(mlir::Operation *op, mlir::Value layer);
  void emitAccess(mlir::Operation *op, const StackAccess &access, mlir::Value layer);
  void emitBlockAccess(mlir::Operation *op, unsigned dim, mlir::Value start, int64_t blockSize);
  mlir::Value emitCounter(const LoopCounter &counter, mlir::RankedTensorType type, mlir::Value layer);
  mlir::Value selectValid(mlir::Value onTrue, mlir::Value onFalse);

  // Values of a turn, for all stages.
  Status need(mlir::Value value);
  Result<mlir::Value> emitStack(mlir::Value value, unsigned dim);
  mlir::Value emitOuterStack(mlir::Value value, unsigned dim);
  Result<mlir::Value> emitStackOp(mlir::Operation *op, unsigned dim);
  Result<mlir::Value> emitStackSlice(stablehlo::DynamicSliceOp op, unsigned dim);
  Result<mlir::Value> emitMadeStack(mlir::Operation *op, unsigned dim);
  Result<mlir::Value> emitBlock(mlir::Value value, unsigned dim);
  Result<mlir::Value> emitWrittenStack(mlir::Value initial, unsigned dim);
  StagedValue emitBlockStart(int64_t blockSize);

  bool isInTurn(mlir::Value value) const { return nest.getTurn().getParent()->isAncestor(value.getParentRegion()); }
  rules::LocalArithmetic emit() { return {builder, loc}; }
  mlir::Value emitNumbers(mlir::Value scalar) { return emit().broadcast(scalar, {numStages}, {}); }
  mlir::Value emitNumbers(int64_t number) { return emitNumbers(emit().integer(number)); }
  bool isCircular() const { return blocks.repeats > 1; }

  const LayerNest &nest;
  JoinedStacks &joined;
  StageBlocks blocks;
  int64_t numStages, layersPerBlock;
  stablehlo::WhileOp micro, layers;
  mlir::OpBuilder builder;
  /// Before the loop.
  mlir::OpBuilder outside;
  StagedOps staged;
  mlir::Location loc;
  /// For each carried value of the loop over microbatches but the first, which counts.
  std::vector<Buffer> buffers;
  /// What all stages have of values from which a turn reads its microbatch: the number of a buffer, or a value made
  /// before the loop.
  llvm::DenseMap<mlir::Operation *, unsigned> sharedReads;
  llvm::DenseMap<mlir::Value, mlir::Value> enteringRows;
  /// Numbers of carried values of the layer loop.
  llvm::SmallVector<unsigned> activations, written;
  /// Stage forms of stacks: all that a stage has of those that come from outside of a tick, the block that it runs of
  /// those that are made in it.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> stacks;
  /// For each stage: its position, its microbatch, whether that exists, whether one enters here.
  mlir::Value position, microbatch, isValid, isEntering;
  /// Of a circular pipeline: how often the microbatch has gone around, whether it ends its way, and which of the
  /// stage's blocks runs, in the order in which they are stored; without a microbatch, one that does not exist.
  mlir::Value repeat, isLeaving, block;
};

/// Where dim `dim` of a reshape's operand (or of its result, the other way round) is on the other side; nothing if it
/// is merged with others.
std::optional<unsigned> mapReshaped(mlir::RankedTensorType from, mlir::RankedTensorType to, unsigned dim);

} // namespace partita::pipeline

#endif
