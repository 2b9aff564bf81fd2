//===- QuantizedShapes.h - quantization under changes of shape ------------===//
//
// An op that moves elements keeps the numbers they stand for: scales and zero
// points stay, and where they belong to one dim, that dim moves with the shape.
// Tensors that are not quantized pass all of these.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_QUANTIZEDSHAPES_H
#define PARTITA_DIALECT_STABLEHLO_QUANTIZEDSHAPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace partita::stablehlo {

/// reshape, dynamic_reshape: (C1) and (C3).
llvm::LogicalResult verifyReshapeQuantization(mlir::Operation *op, mlir::RankedTensorType operand,
                                              mlir::RankedTensorType result);

/// transpose: (C1) and (C4). `permutation` is one.
llvm::LogicalResult verifyTransposeQuantization(mlir::Operation *op, mlir::RankedTensorType operand,
                                                llvm::ArrayRef<int64_t> permutation, mlir::RankedTensorType result);

/// broadcast_in_dim, dynamic_broadcast_in_dim: (C1) and (C6). `dimensions` has one entry per dim of the operand.
llvm::LogicalResult verifyBroadcastQuantization(mlir::Operation *op, mlir::RankedTensorType operand,
                                                llvm::ArrayRef<int64_t> dimensions, mlir::RankedTensorType result);

} // namespace partita::stablehlo

#endif
