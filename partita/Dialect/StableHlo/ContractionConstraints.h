//===- ContractionConstraints.h - constraints of dots and convolutions ----===//
//
// Constraints that the specification states for dot_general and for the
// convolutions alike, and the algorithms a dot may name.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONTRACTIONCONSTRAINTS_H
#define PARTITA_DIALECT_STABLEHLO_CONTRACTIONCONSTRAINTS_H

#include "partita/Dialect/StableHlo/StableHloDialect.h"

namespace partita::stablehlo {

/// At most one precision per operand.
llvm::LogicalResult verifyPrecisionConfig(std::optional<mlir::Location> loc, std::optional<mlir::ArrayAttr> config,
                                          llvm::StringRef label);

/// Labels of the constraints on quantized operands, which the ops number differently.
struct QuantizationLabels {
  llvm::StringRef isQuantized;
  llvm::StringRef storageTypes;
  llvm::StringRef expressedTypes;
  llvm::StringRef granularity;
  llvm::StringRef hybrid;
};

bool isQuantized(mlir::Type tensorType);

/// Success if the element types, of which one at least is quantized, may meet in a contraction: all quantized, or
/// rhs alone with the expressed type of lhs and result (a hybrid op).
llvm::LogicalResult verifyQuantizedContraction(std::optional<mlir::Location> loc, mlir::Type lhs, mlir::Type rhs,
                                               mlir::Type result, const QuantizationLabels &labels);

/// Whether some hardware is known to compute dots with this algorithm.
bool isKnownDotAlgorithm(mlir::Type lhsPrecision, mlir::Type rhsPrecision, mlir::Type accumulation,
                         int64_t lhsComponents, int64_t rhsComponents, int64_t primitiveOperations,
                         bool allowImpreciseAccumulation);

} // namespace partita::stablehlo

#endif
