//===- IndexedPieces.cpp - gather and scatter on pieces of the operand ----===//

#include "partita/Program/Rules/IndexedPieces.h"

using namespace mlir;

namespace partita::program::rules {

using stablehlo::IndexedDims;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

void addFactor(Rule &rule, const IndexedRoles &roles, Factor factor, const RoleDims &dims) {
  if (factor.size <= 1)
    return;
  uint8_t index = rule.addFactor(factor.kind, factor.size, factor.combiner);
  if (dims.operand >= 0)
    for (ValueFactors *value : roles.operands)
      (*value)[dims.operand].push_back(index);
  if (dims.indices >= 0)
    (*roles.indices)[dims.indices].push_back(index);
  if (dims.slices >= 0)
    for (ValueFactors *value : roles.slices)
      (*value)[dims.slices].push_back(index);
}

int64_t findOperandBatchingDim(const IndexedDims &dims, int64_t indicesDim) {
  for (auto [operand, indices] : llvm::zip(dims.operandBatching.dims, dims.indicesBatching.dims))
    if (indices == indicesDim)
      return operand;
  return -1;
}

bool isIndexedDim(const IndexedDims &dims, const IndexedShapes &shapes, int64_t operandDim) {
  return !llvm::is_contained(dims.operandBatching.dims, operandDim) && shapes.windows[operandDim] == 1 &&
         shapes.operand[operandDim] > 1;
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

bool IndexedSplits::hasComponents() const {
  return llvm::any_of(components, [](const Split *split) { return split; });
}

IndexedSplits findIndexedSplits(const IndexedDims &dims, const IndexedShapes &shapes, const LocalContext &local) {
  auto findSplit = [&](int64_t dim) -> const Split * {
    const Split *split = isIndexedDim(dims, shapes, dim) ? local.findOperandDim(0, dim) : nullptr;
    return split && split->parts > 1 ? split : nullptr;
  };
  IndexedSplits splits;
  for (int64_t dim : dims.indexMap.dims)
    splits.components.push_back(findSplit(dim));
  for (int64_t dim = 0, rank = shapes.operand.size(); dim < rank; ++dim)
    if (const Split *split = llvm::is_contained(dims.indexMap.dims, dim) ? nullptr : findSplit(dim))
      splits.fixed.push_back(*split);
  return splits;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value emitWideIndices(const LocalArithmetic &emit, Value indices) {
  auto type = cast<RankedTensorType>(indices.getType());
  if (type.getElementType().isUnsignedInteger(64)) {
    // Beyond the largest i64 an index is as far outside as there.
    Value largest = emit.constant(DenseElementsAttr::get(type, APInt::getSignedMaxValue(64)));
    indices = stablehlo::MinOp::create(emit.builder, emit.loc, type, indices, largest);
  }
  return emit.convert(indices, emit.builder.getI64Type());
}

Value emitPerComponent(const LocalArithmetic &emit, Value numbers, const IndexedDims &dims, Value indices) {
  ArrayRef<int64_t> shape = getShape(indices);
  if (dims.indexVectorDim < static_cast<int64_t>(shape.size()))
    return emit.broadcast(numbers, shape, dims.indexVectorDim);
  // Without a dim for it, the vector has one component.
  auto scalar = RankedTensorType::get({}, emit.builder.getI64Type());
  Value number = stablehlo::ReshapeOp::create(emit.builder, emit.loc, scalar, numbers);
  return emit.broadcast(number, shape, {});
}

Value emitShifted(const LocalArithmetic &emit, const LocalContext &local, const IndexedDims &dims,
                  const IndexedSplits &splits, ArrayRef<int64_t> operandShape, Value indices) {
  SmallVector<Value> offsets;
  for (auto [dim, split] : llvm::zip(dims.indexMap.dims, splits.components))
    offsets.push_back(
        split ? local.emitOffset(emit.loc, *split, operandShape[dim] / split->parts, emit.builder.getI64Type())
              : emit.integer(0));
  Value offset = emitPerComponent(emit, emit.stack(offsets), dims, indices);
  return stablehlo::SubtractOp::create(emit.builder, emit.loc, indices.getType(), indices, offset);
}

} // namespace partita::program::rules
