//===- ElementwiseOps.cpp - elementwise ops -------------------------------===//

#include "partita/Dialect/StableHlo/ElementwiseOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ElementwiseOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/ElementwiseOps.cpp.inc"
      >();
}

/// abs, real, imag: the operand's shape with real elements.
static LogicalResult inferReal(ValueRange operands, SmallVectorImpl<Type> &inferred) {
  inferred.push_back(getRealType(cast<ShapedType>(operands.front().getType())));
  return success();
}

LogicalResult AbsOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                      OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  return inferReal(operands, inferred);
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  return inferReal(operands, inferred);
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  return inferReal(operands, inferred);
}

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange operands,
                                           DictionaryAttr, OpaqueProperties, RegionRange,
                                           SmallVectorImpl<Type> &inferred) {
  inferred.push_back(cast<ShapedType>(operands.front().getType()).clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  auto type = cast<ShapedType>(operands.front().getType());
  inferred.push_back(type.clone(ComplexType::get(type.getElementType())));
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, ValueRange operands,
                                          DictionaryAttr, OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &inferred) {
  FailureOr<RankedTensorType> type = inferMostSpecific(loc, operands.getTypes());
  if (failed(type))
    return failure();
  inferred.push_back(type->clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult CompareOp::verify() {
  if (!areCompatibleElementTypes(getLhs().getType(), getRhs().getType()))
    return emitOpError("(C1) requires compatible element types of lhs and rhs");
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                         DictionaryAttr, OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &inferred) {
  Type pred = operands[0].getType(), onTrue = operands[1].getType(), onFalse = operands[2].getType();
  if (!areCompatible(onTrue, onFalse))
    return emitOptionalError(loc, "(C2) requires compatible types for on_true and on_false");
  if (cast<RankedTensorType>(pred).getRank() != 0 && !areCompatibleShapes(pred, onTrue))
    return emitOptionalError(loc, "(C1) requires pred to be a scalar or of the shape of on_true");
  FailureOr<RankedTensorType> type = inferMostSpecific(loc, TypeRange(operands.drop_front().getTypes()));
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}

/// `bound` is a scalar or has the operand's shape.
static LogicalResult verifyClampBound(std::optional<Location> loc, Type bound, Type operand, StringRef label) {
  bool isScalar = cast<RankedTensorType>(bound).getRank() == 0;
  if (!isScalar && !areCompatibleShapes(bound, operand))
    return emitOptionalError(loc, label, " requires a scalar or the shape of operand, got ", bound, " for ", operand);
  if (!areCompatibleElementTypes(bound, operand))
    return emitOptionalError(loc, "(C3) requires equal element types of min, operand and max");
  return success();
}

LogicalResult ClampOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands, DictionaryAttr,
                                        OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  Type operand = operands[1].getType();
  if (failed(verifyClampBound(loc, operands[0].getType(), operand, "(C1) min")) ||
      failed(verifyClampBound(loc, operands[2].getType(), operand, "(C2) max")))
    return failure();
  inferred.push_back(operand);
  return success();
}

} // namespace partita::stablehlo
