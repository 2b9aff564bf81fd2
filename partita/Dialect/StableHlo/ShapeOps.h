//===- ShapeOps.h - constants and ops that move elements ------------------===//
//
// The C++ classes of the ops that ShapeOps.td defines: `stablehlo.constant`,
// `iota`, `broadcast_in_dim`, `reshape`, `transpose`, `concatenate`, `slice`,
// `pad`, `dynamic_slice` and the like; and the size arithmetic that their
// verifiers share.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_SHAPEOPS_H
#define PARTITA_DIALECT_STABLEHLO_SHAPEOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ShapeOps.h.inc"

namespace partita::stablehlo {

/// Number of elements of a static shape, saturated.
uint64_t countElements(llvm::ArrayRef<int64_t> shape);

/// Size of a padded dim: low + size + (size - 1) * interior + high, without interior padding for size 0. None if that
/// is negative or overflows.
std::optional<int64_t> computePaddedSize(int64_t size, int64_t low, int64_t high, int64_t interior);

/// (C2) to (C4) of broadcast_in_dim: `dims` has one dim of the result for each of the operand.
llvm::LogicalResult verifyBroadcastDimensions(mlir::Operation *op, mlir::RankedTensorType operand,
                                              llvm::ArrayRef<int64_t> dims, mlir::RankedTensorType result);

} // namespace partita::stablehlo

#endif
