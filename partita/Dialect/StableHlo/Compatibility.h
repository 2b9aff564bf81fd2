//===- Compatibility.h - whether two types may describe one value ---------===//
//
// A program may know more about a value at one location than at another:
// dynamic dims, bounds, quantization parameters. Two types are compatible when
// some value has both. All verifiers of the dialect compare types with these
// functions.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_COMPATIBILITY_H
#define PARTITA_DIALECT_STABLEHLO_COMPATIBILITY_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeRange.h"

namespace partita::stablehlo {

bool areCompatible(mlir::Type a, mlir::Type b);
bool areCompatible(mlir::TypeRange a, mlir::TypeRange b);

/// Element types alone: equal, or quantized alike but for scales and zero points.
bool areCompatibleElementTypes(mlir::Type a, mlir::Type b);

/// Shapes alone: same rank (or one unranked), equal where both sizes are static, within bounds.
bool areCompatibleShapes(mlir::Type a, mlir::Type b);

/// Success if all operands and results of `op` are compatible with each other.
llvm::LogicalResult verifyCompatibleTypes(mlir::Operation *op);

/// The upper bounds of a tensor type's dims, empty if it has none.
llvm::ArrayRef<int64_t> getBounds(mlir::Type type);

/// A tensor type of the given shape and bounds (no bounds: no encoding).
mlir::RankedTensorType getTensorType(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> bounds,
                                     mlir::Type elementType);

/// The most specific type of compatible ranked tensors: a static size where any type has one, else the smallest bound.
/// Fails with a message at `loc` if sizes or ranks clash, or if `types` is empty.
llvm::FailureOr<mlir::RankedTensorType> inferMostSpecific(std::optional<mlir::Location> loc, mlir::TypeRange types);

/// The same for tensors of which some, or all, are unranked. Unranked ones are ignored.
llvm::FailureOr<mlir::Type> inferMostSpecificTensor(std::optional<mlir::Location> loc, mlir::TypeRange types);

/// Turns `tensor<4xcomplex<f32>>` into `tensor<4xf32>`; returns other types unchanged.
mlir::ShapedType getRealType(mlir::ShapedType type);

// Predicates behind TypeConstraints.td.
bool isPerTensorQuantized(mlir::Type elementType);
bool isPerAxisQuantized(mlir::Type elementType);
bool hasValidQuantizedDimension(mlir::Type tensorType);
bool hasOneBoundedDim(mlir::Type tensorType);

namespace trait {

/// See `CompatibleTypes` in OpBase.td.
template <typename ConcreteOp> class CompatibleTypes : public mlir::OpTrait::TraitBase<ConcreteOp, CompatibleTypes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyCompatibleTypes(op); }

  static llvm::LogicalResult inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> loc,
                                              mlir::ValueRange operands, mlir::DictionaryAttr, mlir::OpaqueProperties,
                                              mlir::RegionRange, llvm::SmallVectorImpl<mlir::Type> &inferred) {
    llvm::FailureOr<mlir::Type> type = inferMostSpecificTensor(loc, operands.getTypes());
    if (failed(type))
      return llvm::failure();
    inferred.push_back(*type);
    return llvm::success();
  }
};

} // namespace trait
} // namespace partita::stablehlo

#endif
