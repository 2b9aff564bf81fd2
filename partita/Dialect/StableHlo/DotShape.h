//===- DotShape.h - a dot's dims by role, and its result type -------------===//
//
// A dim of a dot's operand is batching, contracting or free. The result has
// the batching dims, then the free dims of lhs, then those of rhs.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_DOTSHAPE_H
#define PARTITA_DIALECT_STABLEHLO_DOTSHAPE_H

#include "partita/Dialect/StableHlo/StableHloDialect.h"

namespace partita::stablehlo {

/// Batching and contracting dims; the n-th of lhs goes with the n-th of rhs.
struct DotDims {
  llvm::ArrayRef<int64_t> lhsBatching;
  llvm::ArrayRef<int64_t> rhsBatching;
  llvm::ArrayRef<int64_t> lhsContracting;
  llvm::ArrayRef<int64_t> rhsContracting;
};

DotDims getDotDims(DotDimensionNumbersAttr attr);

/// The dims in [0, rank) that are in none of the given lists.
llvm::SmallVector<int64_t> getOtherDims(int64_t rank, llvm::ArrayRef<llvm::ArrayRef<int64_t>> lists);

/// Success if `dims` are in range, distinct, and of compatible sizes.
llvm::LogicalResult verifyDotDims(std::optional<mlir::Location> loc, mlir::RankedTensorType lhs,
                                  mlir::RankedTensorType rhs, const DotDims &dims);

/// Verifies `dims` and gives the type of the result, which accumulates in `elementType`.
llvm::FailureOr<mlir::RankedTensorType> inferDotType(std::optional<mlir::Location> loc, mlir::RankedTensorType lhs,
                                                     mlir::RankedTensorType rhs, const DotDims &dims,
                                                     mlir::Type elementType);

} // namespace partita::stablehlo

#endif
