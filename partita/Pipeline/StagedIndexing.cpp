//===- StagedIndexing.cpp - slices of all stages at once ------------------===//
//
// Slices and updates whose start is the same for all stages stay what they are,
// with the dim of stages taken whole. If it differs between stages, they become
// gathers and scatters with that dim as a batch.
//
//===----------------------------------------------------------------------===//

#include "partita/Pipeline/StagedOps.h"

#include "partita/Program/Rules/LocalArithmetic.h"

using namespace mlir;

namespace partita::pipeline {

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// `tensor<stages x dims>`: the starts along `dims`.
Value StagedOps::emitIndices(Location loc, ArrayRef<StagedValue> starts, ArrayRef<int64_t> dims) {
  SmallVector<Value> columns;
  for (int64_t dim : dims) {
    StagedValue start = starts[dim];
    Value column = start.isStaged ? start.value : spread(start.value);
    // Scalars of one op have one type, but those of callers may differ.
    column = rules::LocalArithmetic{builder, loc}.convert(column, builder.getI64Type());
    columns.push_back(
        stablehlo::ReshapeOp::create(builder, loc, getType(column).clone({numStages, int64_t(1)}), column));
  }
  if (columns.size() == 1)
    return columns.front();
  auto count = static_cast<int64_t>(columns.size());
  return stablehlo::ConcatenateOp::create(builder, loc, getType(columns.front()).clone({numStages, count}), columns, 1);
}

/// Dims that are not taken whole.
static SmallVector<int64_t> findIndexed(ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (shape[dim] != size)
      dims.push_back(static_cast<int64_t>(dim));
  return dims;
}

Value StagedOps::emitGather(Location loc, StagedValue operand, ArrayRef<StagedValue> starts, ArrayRef<int64_t> sizes) {
  ArrayRef<int64_t> shape = getType(operand.value).getShape().drop_front(operand.isStaged ? 1 : 0);
  SmallVector<int64_t> dims = findIndexed(shape, sizes);
  if (dims.empty())
    return operand.isStaged ? operand.value : spread(operand.value);
  Value indices = emitIndices(loc, starts, dims);
  SmallVector<int64_t> batch, sliceSizes(sizes);
  if (operand.isStaged) {
    batch.push_back(0);
    sliceSizes.insert(sliceSizes.begin(), 1);
    dims = addFirst(dims, std::nullopt);
  }
  auto offsets = llvm::to_vector(llvm::seq<int64_t>(1, static_cast<int64_t>(sizes.size()) + 1));
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(builder.getContext(), offsets, {}, batch, batch, dims,
                                                            /*indexVectorDim=*/1);
  RankedTensorType type = getType(operand.value).clone(addFirst(sizes, numStages, 0));
  return stablehlo::GatherOp::create(builder, loc, type, operand.value, indices, numbers, sliceSizes,
                                     /*indices_are_sorted=*/false);
}

Value StagedOps::emitScatter(Location loc, Value operand, Value update, ArrayRef<StagedValue> starts) {
  ArrayRef<int64_t> sizes = getType(update).getShape().drop_front();
  SmallVector<int64_t> dims = findIndexed(getType(operand).getShape().drop_front(), sizes);
  if (dims.empty())
    return update;
  Value indices = emitIndices(loc, starts, dims);
  auto windows = llvm::to_vector(llvm::seq<int64_t>(1, static_cast<int64_t>(sizes.size()) + 1));
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(builder.getContext(), windows, {}, {0}, {0},
                                                             addFirst(dims, std::nullopt), /*indexVectorDim=*/1);
  auto made = stablehlo::ScatterOp::create(builder, loc, TypeRange{operand.getType()}, ValueRange{operand}, indices,
                                           ValueRange{update}, numbers, /*indices_are_sorted=*/false,
                                           /*unique_indices=*/false);
  OpBuilder::InsertionGuard guard(builder);
  auto scalar = getType(operand).clone(ArrayRef<int64_t>());
  Block *block = builder.createBlock(&made.getUpdateComputation(), {}, {scalar, scalar}, {loc, loc});
  stablehlo::ReturnOp::create(builder, loc, block->getArgument(1));
  return made.getResult(0);
}

Status StagedOps::emitSlice(stablehlo::DynamicSliceOp op) {
  SmallVector<StagedValue> starts;
  for (Value start : op.getStartIndices())
    starts.push_back(find(start));
  StagedValue operand = find(op.getOperand());
  if (llvm::any_of(starts, [](const StagedValue &start) { return start.isStaged; })) {
    define(op, {emitGather(op.getLoc(), operand, starts, op.getSliceSizes()), true});
    return std::nullopt;
  }
  rules::LocalArithmetic emit{builder, op.getLoc()};
  Type type = starts.empty() ? Type(builder.getI64Type()) : getElementTypeOrSelf(starts.front().value.getType());
  SmallVector<Value> values{emit.convert(emit.integer(0), type)};
  for (const StagedValue &start : starts)
    values.push_back(start.value);
  Value made = stablehlo::DynamicSliceOp::create(builder, op.getLoc(), addStages(op.getType()), operand.value, values,
                                                 addFirst(op.getSliceSizes(), numStages, 0));
  define(op, {made, true});
  return std::nullopt;
}

Status StagedOps::emitUpdate(stablehlo::DynamicUpdateSliceOp op) {
  Location loc = op.getLoc();
  rules::LocalArithmetic emit{builder, loc};
  Value operand = findStaged(op.getOperand()), update = findStaged(op.getUpdate());
  SmallVector<StagedValue> starts;
  SmallVector<Value> values;
  for (Value start : op.getStartIndices()) {
    starts.push_back(find(start));
    values.push_back(starts.back().value);
  }
  if (llvm::none_of(starts, [](const StagedValue &start) { return start.isStaged; })) {
    Type type = values.empty() ? Type(builder.getI64Type()) : getElementTypeOrSelf(values.front().getType());
    values.insert(values.begin(), emit.convert(emit.integer(0), type));
    Value made = stablehlo::DynamicUpdateSliceOp::create(builder, loc, operand.getType(), operand, update, values);
    define(op, {made, true});
    return std::nullopt;
  }
  // An update stays within bounds; a scatter would drop it.
  for (auto [dim, start] : llvm::enumerate(starts)) {
    int64_t limit = getType(op.getOperand()).getDimSize(dim) - getType(op.getUpdate()).getDimSize(dim);
    Value wide = emit.convert(start.value, builder.getI64Type());
    start.value = stablehlo::ClampOp::create(builder, loc, wide.getType(), emit.integer(0), wide, emit.integer(limit));
  }
  define(op, {emitScatter(loc, operand, update, starts), true});
  return std::nullopt;
}

Status StagedOps::emitGatherOp(stablehlo::GatherOp op) {
  auto dims = op.getDimensionNumbers();
  StagedValue operand = find(op.getOperand());
  Value indices = findStaged(op.getStartIndices());
  int64_t more = operand.isStaged ? 1 : 0;
  std::optional<int64_t> first = operand.isStaged ? std::optional<int64_t>(0) : std::nullopt;
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      op.getContext(), addFirst(dims.getOffsetDims(), std::nullopt),
      addFirst(dims.getCollapsedSliceDims(), std::nullopt, more), addFirst(dims.getOperandBatchingDims(), first, more),
      addFirst(dims.getStartIndicesBatchingDims(), first), addFirst(dims.getStartIndexMap(), std::nullopt, more),
      dims.getIndexVectorDim() + 1);
  SmallVector<int64_t> sizes(op.getSliceSizes());
  if (operand.isStaged)
    sizes.insert(sizes.begin(), 1);
  Value made = stablehlo::GatherOp::create(builder, op.getLoc(), addStages(op.getType()), operand.value, indices,
                                           numbers, sizes, /*indices_are_sorted=*/false);
  define(op.getResult(), {made, true});
  return std::nullopt;
}

Status StagedOps::emitScatterOp(stablehlo::ScatterOp op) {
  auto made = cast<stablehlo::ScatterOp>(emitAllStaged(op));
  auto dims = op.getScatterDimensionNumbers();
  made.setScatterDimensionNumbersAttr(stablehlo::ScatterDimensionNumbersAttr::get(
      op.getContext(), addFirst(dims.getUpdateWindowDims(), std::nullopt),
      addFirst(dims.getInsertedWindowDims(), std::nullopt), addFirst(dims.getInputBatchingDims(), 0),
      addFirst(dims.getScatterIndicesBatchingDims(), 0), addFirst(dims.getScatterDimsToOperandDims(), std::nullopt),
      dims.getIndexVectorDim() + 1));
  made.setIndicesAreSorted(false);
  defineStaged(op, made);
  return std::nullopt;
}

} // namespace partita::pipeline
