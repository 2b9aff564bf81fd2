//===- ShapeOps.h - constants and ops that move data ----------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_SHAPEOPS_H
#define PARTITA_DIALECT_STABLEHLO_SHAPEOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ShapeOps.h.inc"

namespace partita::stablehlo {

/// Number of elements of a static shape, saturated.
uint64_t countElements(llvm::ArrayRef<int64_t> shape);

/// Size of a dim of `size` behind `low`, before `high` and with `interior` between its elements; none where
/// that is negative or overflows.
std::optional<int64_t> computePaddedSize(int64_t size, int64_t low, int64_t high, int64_t interior);

/// (C2) to (C4) of broadcast_in_dim: `dims` has one dim of the result for each of the operand.
llvm::LogicalResult verifyBroadcastDimensions(mlir::Operation *op, mlir::RankedTensorType operand,
                                              llvm::ArrayRef<int64_t> dims, mlir::RankedTensorType result);

} // namespace partita::stablehlo

#endif
