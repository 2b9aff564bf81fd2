//===- QuantizedShapes.cpp - quantization under changes of shape ----------===//

#include "partita/Dialect/StableHlo/QuantizedShapes.h"

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

using namespace mlir;
using quant::UniformQuantizedPerAxisType;
using quant::UniformQuantizedType;

namespace partita::stablehlo {

/// (C1) Element types alike; per tensor they are equal.
static LogicalResult verifyElementTypes(Operation *op, RankedTensorType operand, RankedTensorType result) {
  if (!areCompatibleElementTypes(operand, result))
    return op->emitOpError("(C1) requires compatible element types of operand and result, got ")
           << operand << " and " << result;
  if (isa<UniformQuantizedType>(operand.getElementType()) && operand.getElementType() != result.getElementType())
    return op->emitOpError("(C1) requires one scale and zero point of operand and result, got ")
           << operand << " and " << result;
  return success();
}

/// (C1) Per axis: the same scales and zero points in the same order.
static LogicalResult verifyAxisParameters(Operation *op, UniformQuantizedPerAxisType operand,
                                          UniformQuantizedPerAxisType result) {
  if (operand.getScales() == result.getScales() && operand.getZeroPoints() == result.getZeroPoints())
    return success();
  return op->emitOpError("(C1) requires the same scales and zero points of operand and result, got ")
         << operand << " and " << result;
}

/// Elements per index of the dims before `dim`, saturated.
static uint64_t countBefore(RankedTensorType type, int64_t dim) {
  uint64_t count = 1;
  for (int64_t size : type.getShape().take_front(dim))
    count = llvm::SaturatingMultiply(count, static_cast<uint64_t>(size));
  return count;
}

LogicalResult verifyReshapeQuantization(Operation *op, RankedTensorType operand, RankedTensorType result) {
  if (failed(verifyElementTypes(op, operand, result)))
    return failure();
  auto from = dyn_cast<UniformQuantizedPerAxisType>(operand.getElementType());
  auto to = dyn_cast<UniformQuantizedPerAxisType>(result.getElementType());
  if (!from || !to)
    return success();
  if (failed(verifyAxisParameters(op, from, to)))
    return failure();
  if (!operand.hasStaticShape() || !result.hasStaticShape())
    return success();
  if (countBefore(operand, from.getQuantizedDimension()) != countBefore(result, to.getQuantizedDimension()))
    return op->emitOpError("(C3) requires as many elements before the quantized dim of operand and of result");
  return success();
}

LogicalResult verifyTransposeQuantization(Operation *op, RankedTensorType operand, ArrayRef<int64_t> permutation,
                                          RankedTensorType result) {
  if (failed(verifyElementTypes(op, operand, result)))
    return failure();
  auto from = dyn_cast<UniformQuantizedPerAxisType>(operand.getElementType());
  auto to = dyn_cast<UniformQuantizedPerAxisType>(result.getElementType());
  if (!from || !to)
    return success();
  if (failed(verifyAxisParameters(op, from, to)))
    return failure();
  int64_t moved = permutation[to.getQuantizedDimension()];
  if (from.getQuantizedDimension() != moved)
    return op->emitOpError("(C4) requires quantized dim ") << moved << " of operand, got " << from;
  return success();
}

LogicalResult verifyBroadcastQuantization(Operation *op, RankedTensorType operand, ArrayRef<int64_t> dimensions,
                                          RankedTensorType result) {
  if (failed(verifyElementTypes(op, operand, result)))
    return failure();
  auto from = dyn_cast<UniformQuantizedPerAxisType>(operand.getElementType());
  auto to = dyn_cast<UniformQuantizedPerAxisType>(result.getElementType());
  if (!from || !to)
    return success();
  if (to.getQuantizedDimension() != dimensions[from.getQuantizedDimension()])
    return op->emitOpError("(C6) requires the quantized dim of result where that of operand goes, got ")
           << from << " and " << to;
  if (operand.getDimSize(from.getQuantizedDimension()) != 1)
    return success();
  auto isScale = [&](double scale) { return scale == from.getScales().front(); };
  auto isZeroPoint = [&](int64_t zeroPoint) { return zeroPoint == from.getZeroPoints().front(); };
  if (!llvm::all_of(to.getScales(), isScale) || !llvm::all_of(to.getZeroPoints(), isZeroPoint))
    return op->emitOpError("(C6) requires the operand's one scale and zero point throughout the result, got ") << to;
  return success();
}

} // namespace partita::stablehlo
