//===- IndexedDims.h - dimension numbers of gather and scatter ------------===//
//
// Gather reads windows of an operand, scatter writes them. An index vector says
// where a window starts. The dimension numbers of both ops say the same things
// under different names:
//
//                    gather                        scatter
//   window           offset_dims                   update_window_dims
//   dropped          collapsed_slice_dims          inserted_window_dims
//   operandBatching  operand_batching_dims         input_batching_dims
//   indicesBatching  start_indices_batching_dims   scatter_indices_batching_dims
//   indexMap         start_index_map               scatter_dims_to_operand_dims
//
// `window` lists dims of the slices tensor (gather's result, scatter's
// updates): those that run within a window, in the order of the operand dims
// that are neither dropped nor batching. The other dims of the slices tensor
// run over the index vectors.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_INDEXEDDIMS_H
#define PARTITA_DIALECT_STABLEHLO_INDEXEDDIMS_H

#include "partita/Dialect/StableHlo/StableHloDialect.h"

namespace partita::stablehlo {

/// A list of dims and the name that programs give it.
struct DimNumbers {
  llvm::StringLiteral name;
  llvm::ArrayRef<int64_t> dims;
};

/// The constraints on dimension numbers, by the specification's label in the op at hand.
struct IndexedDimsLabels {
  llvm::StringLiteral operandRank;
  llvm::StringLiteral indexVectorRange, indexVectorSize;
  llvm::StringLiteral windowOrder, windowRange;
  llvm::StringLiteral operandDimsUnique, droppedOrder, droppedRange;
  llvm::StringLiteral operandBatchingOrder, operandBatchingRange;
  llvm::StringLiteral indicesBatchingUnique, indicesBatchingRange, indexVectorNotBatching;
  llvm::StringLiteral batchingNumber, batchingSizes;
  llvm::StringLiteral indexMapUnique, indexMapRange;
};

struct IndexedDims {
  DimNumbers window, dropped, operandBatching, indicesBatching, indexMap;
  int64_t indexVectorDim;
  const IndexedDimsLabels *labels;
};

/// Views of the attributes under the common names.
IndexedDims getIndexedDims(GatherDimensionNumbersAttr attr);
IndexedDims getIndexedDims(ScatterDimensionNumbersAttr attr);

/// Success if `dims` fit an operand and indices of the given types; else a message at `loc`.
llvm::LogicalResult verifyIndexedDims(std::optional<mlir::Location> loc, const IndexedDims &dims,
                                      mlir::RankedTensorType operand, mlir::RankedTensorType indices);

/// Operand dims that a window extends over: those neither dropped nor batching. As many as `dims.window` where
/// `dims` are verified.
llvm::SmallVector<int64_t> getWindowedOperandDims(const IndexedDims &dims, int64_t operandRank);

/// Dims of the indices that enumerate index vectors: all but the index vector dim.
llvm::SmallVector<int64_t> getIndexCountDims(const IndexedDims &dims, int64_t indicesRank);

/// Rank of the slices tensor.
int64_t getSlicesRank(const IndexedDims &dims, int64_t indicesRank);

/// Dims of the slices tensor that run over index vectors: the i-th goes with the i-th of `getIndexCountDims`.
llvm::SmallVector<int64_t> getIndexedSlicesDims(const IndexedDims &dims, int64_t indicesRank);

} // namespace partita::stablehlo

#endif
