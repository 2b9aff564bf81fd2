//===- ElementwiseOps.cpp - ops on single elements ------------------------===//

#include "partita/Dialect/StableHlo/ElementwiseOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

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

LogicalResult UniformQuantizeOp::verify() {
  Type from = getElementTypeOrSelf(getOperand()), to = getElementTypeOrSelf(getResult());
  auto quantized = dyn_cast<quant::QuantizedType>(from);
  Type expressed = quantized ? quantized.getExpressedType() : from;
  if (cast<quant::QuantizedType>(to).getExpressedType() != expressed)
    return emitOpError("(C2) requires a result that expresses ") << expressed << ", got " << to;
  return success();
}

LogicalResult UniformDequantizeOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                                    DictionaryAttr, OpaqueProperties, RegionRange,
                                                    SmallVectorImpl<Type> &inferred) {
  auto type = cast<ShapedType>(operands.front().getType());
  inferred.push_back(type.clone(cast<quant::QuantizedType>(type.getElementType()).getExpressedType()));
  return success();
}

LogicalResult AddOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands, DictionaryAttr,
                                      OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  FailureOr<RankedTensorType> type = inferMostSpecific(loc, operands.getTypes());
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}

/// (C2) to (C7): one storage and one expressed type; per axis the result where an operand is, along its dim. The
/// result's type is inferred from the left operand, which so must be stored in the same range and granularity.
static LogicalResult verifyQuantizedAdd(AddOp op, quant::QuantizedType result) {
  auto resultAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(result);
  bool isOperandPerAxis = false;
  for (Type type : op->getOperandTypes()) {
    auto operand = dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(type));
    if (!operand || operand.getStorageType() != result.getStorageType() ||
        operand.getExpressedType() != result.getExpressedType())
      return op.emitOpError("(C2) requires operands that store and express what the result does, got ") << type;
    auto axis = dyn_cast<quant::UniformQuantizedPerAxisType>(operand);
    isOperandPerAxis |= axis != nullptr;
    if (axis && resultAxis && axis.getQuantizedDimension() != resultAxis.getQuantizedDimension())
      return op.emitOpError("(C6) requires one quantized dim of operand and result, got ") << type;
  }
  if (isOperandPerAxis != (resultAxis != nullptr))
    return op.emitOpError("(C5) requires a result quantized per axis where an operand is, and only there");
  if (!areCompatibleElementTypes(op.getLhs().getType(), result))
    return op.emitOpError("(C2) requires a result quantized as the left operand is, got ") << op.getType();
  return success();
}

LogicalResult AddOp::verify() {
  Type lhs = getElementTypeOrSelf(getLhs()), rhs = getElementTypeOrSelf(getRhs());
  Type result = getElementTypeOrSelf(getResult());
  if (auto quantized = dyn_cast<quant::QuantizedType>(result))
    return verifyQuantizedAdd(*this, quantized);
  if (lhs != result || rhs != result)
    return emitOpError("(C1) requires one element type of all operands and the result");
  return success();
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  auto type = cast<ShapedType>(operands.front().getType());
  inferred.push_back(type.clone(ComplexType::get(type.getElementType())));
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange operands,
                                          DictionaryAttr, OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &inferred) {
  inferred.push_back(cast<ShapedType>(operands.front().getType()).clone(IntegerType::get(context, 1)));
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
  if (getElementTypeOrSelf(onTrue) != getElementTypeOrSelf(onFalse))
    return emitOptionalError(loc, "(C2) requires equal element types of on_true and on_false");
  if (cast<RankedTensorType>(pred).getRank() != 0 && failed(verifyCompatibleShape(pred, onTrue)))
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
  if (!isScalar && failed(verifyCompatibleShape(bound, operand)))
    return emitOptionalError(loc, label, " requires a scalar or the shape of operand, got ", bound, " for ", operand);
  if (!areCompatibleElementTypes(bound, operand))
    return emitOptionalError(loc, "(C3) requires equal element types of min, operand and max");
  return success();
}

LogicalResult ClampOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands, DictionaryAttr,
                                        OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  auto operand = cast<RankedTensorType>(operands[1].getType());
  if (failed(verifyClampBound(loc, operands[0].getType(), operand, "(C1) min")) ||
      failed(verifyClampBound(loc, operands[2].getType(), operand, "(C2) max")))
    return failure();
  inferred.push_back(RankedTensorType::get(operand.getShape(), operand.getElementType()));
  return success();
}

} // namespace partita::stablehlo
