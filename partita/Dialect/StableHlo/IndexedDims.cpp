//===- IndexedDims.cpp - dimension numbers of gather and scatter ----------===//

#include "partita/Dialect/StableHlo/IndexedDims.h"

using namespace mlir;

namespace partita::stablehlo {

static constexpr IndexedDimsLabels gatherLabels = {
    .operandRank = "(C1)",
    .indexVectorRange = "(C2)",
    .indexVectorSize = "(C3)",
    .windowOrder = "(C4)",
    .windowRange = "(C5)",
    .operandDimsUnique = "(C6)",
    .droppedOrder = "(C7)",
    .droppedRange = "(C8)",
    .operandBatchingOrder = "(C10)",
    .operandBatchingRange = "(C11)",
    .indicesBatchingUnique = "(C13)",
    .indicesBatchingRange = "(C14)",
    .indexVectorNotBatching = "(C15)",
    .batchingNumber = "(C16)",
    .batchingSizes = "(C17)",
    .indexMapUnique = "(C18)",
    .indexMapRange = "(C19)",
};

static constexpr IndexedDimsLabels scatterLabels = {
    .operandRank = "(C2)",
    .indexVectorRange = "(C22)",
    .indexVectorSize = "(C19)",
    .windowOrder = "(C7)",
    .windowRange = "(C8)",
    .operandDimsUnique = "(C9)",
    .droppedOrder = "(C10)",
    .droppedRange = "(C11)",
    .operandBatchingOrder = "(C12)",
    .operandBatchingRange = "(C13)",
    .indicesBatchingUnique = "(C14)",
    .indicesBatchingRange = "(C15)",
    .indexVectorNotBatching = "(C16)",
    .batchingNumber = "(C17)",
    .batchingSizes = "(C18)",
    .indexMapUnique = "(C20)",
    .indexMapRange = "(C21)",
};

IndexedDims getIndexedDims(GatherDimensionNumbersAttr attr) {
  return {.window = {"offset_dims", attr.getOffsetDims()},
          .dropped = {"collapsed_slice_dims", attr.getCollapsedSliceDims()},
          .operandBatching = {"operand_batching_dims", attr.getOperandBatchingDims()},
          .indicesBatching = {"start_indices_batching_dims", attr.getStartIndicesBatchingDims()},
          .indexMap = {"start_index_map", attr.getStartIndexMap()},
          .indexVectorDim = attr.getIndexVectorDim(),
          .labels = &gatherLabels};
}

IndexedDims getIndexedDims(ScatterDimensionNumbersAttr attr) {
  return {.window = {"update_window_dims", attr.getUpdateWindowDims()},
          .dropped = {"inserted_window_dims", attr.getInsertedWindowDims()},
          .operandBatching = {"input_batching_dims", attr.getInputBatchingDims()},
          .indicesBatching = {"scatter_indices_batching_dims", attr.getScatterIndicesBatchingDims()},
          .indexMap = {"scatter_dims_to_operand_dims", attr.getScatterDimsToOperandDims()},
          .indexVectorDim = attr.getIndexVectorDim(),
          .labels = &scatterLabels};
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static LogicalResult verifySorted(std::optional<Location> loc, StringRef label, const DimNumbers &numbers) {
  if (llvm::is_sorted(numbers.dims))
    return success();
  return emitOptionalError(loc, label, " expects ", numbers.name, " to be sorted, got [", numbers.dims, "]");
}

static LogicalResult verifyInRange(std::optional<Location> loc, StringRef label, const DimNumbers &numbers,
                                   int64_t rank) {
  for (int64_t dim : numbers.dims)
    if (dim < 0 || dim >= rank)
      return emitOptionalError(loc, label, " expects ", numbers.name, " in range [0, ", rank, "), got ", dim);
  return success();
}

/// No dim twice in `first` and `second` together. They may hold any numbers yet.
static LogicalResult verifyUnique(std::optional<Location> loc, StringRef label, const DimNumbers &first,
                                  ArrayRef<int64_t> second = {}) {
  SmallVector<int64_t> all(first.dims);
  llvm::append_range(all, second);
  llvm::sort(all);
  auto repeated = std::adjacent_find(all.begin(), all.end());
  if (repeated == all.end())
    return success();
  return emitOptionalError(loc, label, " expects ", first.name, " not to repeat a dim, got ", *repeated, " twice");
}

static LogicalResult verifyIndexVector(std::optional<Location> loc, const IndexedDims &dims, RankedTensorType indices) {
  int64_t dim = dims.indexVectorDim, rank = indices.getRank();
  if (dim < 0 || dim > rank)
    return emitOptionalError(loc, dims.labels->indexVectorRange, " expects index_vector_dim in range [0, ", rank,
                             "], got ", dim);
  int64_t size = dim == rank ? 1 : indices.getDimSize(dim);
  int64_t numMapped = dims.indexMap.dims.size();
  if (!ShapedType::isDynamic(size) && size != numMapped)
    return emitOptionalError(loc, dims.labels->indexVectorSize, " expects as many of ", dims.indexMap.name,
                             " as indices in a vector, got ", numMapped, " for ", size);
  return success();
}

/// Which operand dims a window extends over.
static LogicalResult verifyOperandDims(std::optional<Location> loc, const IndexedDims &dims, int64_t rank) {
  const IndexedDimsLabels &labels = *dims.labels;
  if (failed(verifyUnique(loc, labels.operandDimsUnique, dims.dropped, dims.operandBatching.dims)) ||
      failed(verifySorted(loc, labels.droppedOrder, dims.dropped)) ||
      failed(verifyInRange(loc, labels.droppedRange, dims.dropped, rank)) ||
      failed(verifySorted(loc, labels.operandBatchingOrder, dims.operandBatching)) ||
      failed(verifyInRange(loc, labels.operandBatchingRange, dims.operandBatching, rank)) ||
      failed(verifyUnique(loc, labels.indexMapUnique, dims.indexMap, dims.operandBatching.dims)))
    return failure();
  return verifyInRange(loc, labels.indexMapRange, dims.indexMap, rank);
}

/// Batching dims go in pairs of one size.
static LogicalResult verifyBatching(std::optional<Location> loc, const IndexedDims &dims, RankedTensorType operand,
                                    RankedTensorType indices) {
  const IndexedDimsLabels &labels = *dims.labels;
  if (failed(verifyUnique(loc, labels.indicesBatchingUnique, dims.indicesBatching)) ||
      failed(verifyInRange(loc, labels.indicesBatchingRange, dims.indicesBatching, indices.getRank())))
    return failure();
  if (llvm::is_contained(dims.indicesBatching.dims, dims.indexVectorDim))
    return emitOptionalError(loc, labels.indexVectorNotBatching, " expects ", dims.indicesBatching.name,
                             " without index_vector_dim ", dims.indexVectorDim);
  if (dims.operandBatching.dims.size() != dims.indicesBatching.dims.size())
    return emitOptionalError(loc, labels.batchingNumber, " expects as many ", dims.operandBatching.name, " as ",
                             dims.indicesBatching.name);
  for (auto [operandDim, indicesDim] : llvm::zip(dims.operandBatching.dims, dims.indicesBatching.dims)) {
    int64_t operandSize = operand.getDimSize(operandDim), indicesSize = indices.getDimSize(indicesDim);
    if (failed(verifyCompatibleShape(ArrayRef(operandSize), ArrayRef(indicesSize))))
      return emitOptionalError(loc, labels.batchingSizes, " expects batching dims of equal sizes, got ", operandSize,
                               " and ", indicesSize);
  }
  return success();
}

LogicalResult verifyIndexedDims(std::optional<Location> loc, const IndexedDims &dims, RankedTensorType operand,
                                RankedTensorType indices) {
  const IndexedDimsLabels &labels = *dims.labels;
  int64_t numOperandDims = dims.window.dims.size() + dims.dropped.dims.size() + dims.operandBatching.dims.size();
  if (operand.getRank() != numOperandDims)
    return emitOptionalError(loc, labels.operandRank, " expects ", dims.window.name, ", ", dims.dropped.name, " and ",
                             dims.operandBatching.name, " to number the operand's rank ", operand.getRank(), ", got ",
                             numOperandDims);
  if (failed(verifyIndexVector(loc, dims, indices)) || failed(verifyOperandDims(loc, dims, operand.getRank())) ||
      failed(verifyBatching(loc, dims, operand, indices)) ||
      failed(verifySorted(loc, labels.windowOrder, dims.window)) ||
      failed(verifyUnique(loc, labels.windowOrder, dims.window)))
    return failure();
  return verifyInRange(loc, labels.windowRange, dims.window, getSlicesRank(dims, indices.getRank()));
}

//===----------------------------------------------------------------------===//
// Correspondence of dims
//===----------------------------------------------------------------------===//

SmallVector<int64_t> getWindowedOperandDims(const IndexedDims &dims, int64_t operandRank) {
  SmallVector<int64_t> windowed;
  for (int64_t dim = 0; dim < operandRank; ++dim)
    if (!llvm::is_contained(dims.dropped.dims, dim) && !llvm::is_contained(dims.operandBatching.dims, dim))
      windowed.push_back(dim);
  return windowed;
}

SmallVector<int64_t> getIndexCountDims(const IndexedDims &dims, int64_t indicesRank) {
  SmallVector<int64_t> counted;
  for (int64_t dim = 0; dim < indicesRank; ++dim)
    if (dim != dims.indexVectorDim)
      counted.push_back(dim);
  return counted;
}

int64_t getSlicesRank(const IndexedDims &dims, int64_t indicesRank) {
  bool hasVectorDim = dims.indexVectorDim < indicesRank;
  return dims.window.dims.size() + indicesRank - (hasVectorDim ? 1 : 0);
}

SmallVector<int64_t> getIndexedSlicesDims(const IndexedDims &dims, int64_t indicesRank) {
  SmallVector<int64_t> indexed;
  for (int64_t dim = 0, rank = getSlicesRank(dims, indicesRank); dim < rank; ++dim)
    if (!llvm::is_contained(dims.window.dims, dim))
      indexed.push_back(dim);
  return indexed;
}

} // namespace partita::stablehlo
