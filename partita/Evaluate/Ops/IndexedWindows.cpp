//===- IndexedWindows.cpp - windows that gather reads or scatter writes ---===//

#include "partita/Evaluate/Ops/IndexedWindows.h"

#include <algorithm>

using namespace mlir;

namespace partita::evaluate {

static SmallVector<int64_t> pick(ArrayRef<int64_t> values, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> picked;
  for (int64_t dim : dims)
    picked.push_back(values[dim]);
  return picked;
}

static BoxPair buildBoxes(const stablehlo::IndexedDims &dims, ArrayRef<int64_t> operandShape,
                          ArrayRef<int64_t> slicesShape, ArrayRef<int64_t> windowSizes, WindowDirection direction) {
  SmallVector<int64_t> windowed = stablehlo::getWindowedOperandDims(dims, operandShape.size());
  SmallVector<int64_t> inOperand = pick(computeStrides(operandShape), windowed);
  SmallVector<int64_t> inSlices = pick(computeStrides(slicesShape), dims.window.dims);
  if (direction == WindowDirection::ToSlices)
    return BoxPair(pick(windowSizes, windowed), inSlices, inOperand);
  return BoxPair(pick(windowSizes, windowed), inOperand, inSlices);
}

IndexedWindows::IndexedWindows(const stablehlo::IndexedDims &dims, ArrayRef<int64_t> operandShape,
                               ArrayRef<int64_t> indicesShape, ArrayRef<int64_t> slicesShape,
                               ArrayRef<int64_t> windowSizes, WindowDirection direction)
    : boxes(buildBoxes(dims, operandShape, slicesShape, windowSizes, direction)) {
  int64_t indicesRank = indicesShape.size();
  SmallVector<int64_t> operandStrides = computeStrides(operandShape), strides = computeStrides(indicesShape);
  SmallVector<int64_t> countDims = stablehlo::getIndexCountDims(dims, indicesRank);
  countShape = pick(indicesShape, countDims);
  indicesStrides = pick(strides, countDims);
  slicesStrides = pick(computeStrides(slicesShape), stablehlo::getIndexedSlicesDims(dims, indicesRank));
  // A batching dim of the indices moves the window along its dim of the operand.
  batchStrides.assign(countDims.size(), 0);
  for (auto [operandDim, indicesDim] : llvm::zip_equal(dims.operandBatching.dims, dims.indicesBatching.dims))
    batchStrides[llvm::find(countDims, indicesDim) - countDims.begin()] = operandStrides[operandDim];
  // Scalars are index vectors of length 1 where the index vector's dim is past the last.
  int64_t vectorStride = dims.indexVectorDim < indicesRank ? strides[dims.indexVectorDim] : 0;
  for (auto [number, dim] : llvm::enumerate(dims.indexMap.dims))
    components.push_back(
        {static_cast<int64_t>(number) * vectorStride, operandStrides[dim], operandShape[dim] - windowSizes[dim]});
}

int64_t IndexedWindows::findClamped(const BoxWalk &walk, const Tensor &indices) const {
  int64_t offset = walk.offset(Operand);
  for (const Component &component : components) {
    int64_t index = readIndex(indices, walk.offset(Indices) + component.indicesOffset);
    offset += std::clamp<int64_t>(index, 0, component.maxStart) * component.operandStride;
  }
  return offset;
}

std::optional<int64_t> IndexedWindows::findInside(const BoxWalk &walk, const Tensor &indices) const {
  int64_t offset = walk.offset(Operand);
  for (const Component &component : components) {
    int64_t index = readIndex(indices, walk.offset(Indices) + component.indicesOffset);
    if (index < 0 || index > component.maxStart)
      return std::nullopt;
    offset += index * component.operandStride;
  }
  return offset;
}

} // namespace partita::evaluate
