//===- DynamicOps.cpp - ops that take their result shape as an operand ----===//

#include "partita/Dialect/StableHlo/DynamicOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"
#include "partita/Dialect/StableHlo/QuantizedShapes.h"
#include "partita/Dialect/StableHlo/ShapeOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/DynamicOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerDynamicOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/DynamicOps.cpp.inc"
      >();
}

/// The numbers of `value` where it is a constant.
static std::optional<SmallVector<int64_t>> getConstantInts(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  return llvm::map_to_vector(elements.getValues<APInt>(), [](const APInt &number) { return number.getSExtValue(); });
}

/// A constant shape operand is a shape that `result` may have.
static LogicalResult verifyShapeOperand(Operation *op, Value shapeOperand, RankedTensorType result, StringRef label) {
  std::optional<SmallVector<int64_t>> shape = getConstantInts(shapeOperand);
  if (!shape)
    return success();
  bool isShape = llvm::all_of(*shape, [](int64_t size) { return size >= 0; });
  if (!isShape || !areCompatibleShapes(RankedTensorType::get(*shape, result.getElementType()), result)) {
    InFlightDiagnostic error = op->emitOpError(label) << " requires a shape of " << result << ", got ";
    llvm::interleaveComma(*shape, error);
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Broadcast
//===----------------------------------------------------------------------===//

/// (C8) to (C10): each dim of the operand is hinted at once at most.
static LogicalResult verifyExpansionHints(DynamicBroadcastInDimOp op) {
  SmallVector<int64_t> hints;
  llvm::append_range(hints, op.getKnownExpandingDimensions().value_or(ArrayRef<int64_t>()));
  llvm::append_range(hints, op.getKnownNonexpandingDimensions().value_or(ArrayRef<int64_t>()));
  llvm::SmallDenseSet<int64_t> seen;
  int64_t rank = op.getOperand().getType().getRank();
  for (int64_t dim : hints) {
    if (!seen.insert(dim).second)
      return op.emitOpError("(C8) requires unique hints of expansion, got ") << dim << " twice";
    if (dim < 0 || dim >= rank)
      return op.emitOpError("(C9) requires hints of expansion in [0, ") << rank << "), got " << dim;
  }
  return success();
}

/// (C5) Sizes of the operand are 1 or those of `shape`, in which dims may be dynamic.
static LogicalResult verifyExpandedSizes(DynamicBroadcastInDimOp op, ArrayRef<int64_t> shape) {
  for (auto [size, dim] : llvm::zip(op.getOperand().getType().getShape(), op.getBroadcastDimensions()))
    if (size != 1 && failed(verifyCompatibleShape({size}, {shape[dim]})))
      return op.emitOpError("(C5) requires operand sizes of 1 or of the result's dim ") << dim << ", got " << size;
  return success();
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  if (failed(verifyBroadcastDimensions(getOperation(), operand, getBroadcastDimensions(), result)) ||
      failed(verifyExpandedSizes(*this, result.getShape())) ||
      failed(verifyShapeOperand(getOperation(), getOutputDimensions(), result, "(C7)")) ||
      failed(verifyExpansionHints(*this)))
    return failure();
  std::optional<SmallVector<int64_t>> shape = getConstantInts(getOutputDimensions());
  if (shape && operand.hasStaticShape() && failed(verifyExpandedSizes(*this, *shape)))
    return failure();
  return verifyBroadcastQuantization(getOperation(), operand, getBroadcastDimensions(), result);
}

//===----------------------------------------------------------------------===//
// Iota, pad, reshape, slice
//===----------------------------------------------------------------------===//

LogicalResult DynamicIotaOp::verify() {
  RankedTensorType result = getType();
  if (static_cast<int64_t>(getIotaDimension()) >= result.getRank())
    return emitOpError("(C1) requires iota_dimension below the rank ")
           << result.getRank() << ", got " << getIotaDimension();
  return verifyShapeOperand(getOperation(), getOutputShape(), result, "(C2)");
}

LogicalResult DynamicPadOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  int64_t count = getEdgePaddingLow().getType().getDimSize(0);
  if (count != operand.getRank())
    return emitOpError("(C2) requires paddings for ") << operand.getRank() << " dims, got " << count;
  std::optional<SmallVector<int64_t>> interiors = getConstantInts(getInteriorPadding());
  if (interiors && llvm::any_of(*interiors, [](int64_t interior) { return interior < 0; }))
    return emitOpError("(C3) requires interior padding that is not negative");
  std::optional<SmallVector<int64_t>> lows = getConstantInts(getEdgePaddingLow());
  std::optional<SmallVector<int64_t>> highs = getConstantInts(getEdgePaddingHigh());
  if (!lows || !highs || !interiors || !operand.hasStaticShape() || !result.hasStaticShape())
    return success();
  for (auto [dim, size, padded] : llvm::enumerate(operand.getShape(), result.getShape()))
    if (computePaddedSize(size, (*lows)[dim], (*highs)[dim], (*interiors)[dim]) != padded)
      return emitOpError("(C4) requires the padded size of dim ") << dim << ", got " << padded;
  return success();
}

LogicalResult DynamicReshapeOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  if (operand.hasStaticShape() && result.hasStaticShape() &&
      countElements(operand.getShape()) != countElements(result.getShape()))
    return emitOpError("(C2) requires as many elements in result as in operand, got ") << operand << " and " << result;
  if (getOutputShape().getType().getDimSize(0) != result.getRank())
    return emitOpError("(C4) requires output_shape to have a size for each of ") << result.getRank() << " dims";
  if (failed(verifyShapeOperand(getOperation(), getOutputShape(), result, "(C4)")))
    return failure();
  std::optional<SmallVector<int64_t>> shape = getConstantInts(getOutputShape());
  if (shape && operand.hasStaticShape() && countElements(operand.getShape()) != countElements(*shape))
    return emitOpError("(C2) requires an output_shape of as many elements as operand has, ") << operand;
  return verifyReshapeQuantization(getOperation(), operand, result);
}

LogicalResult RealDynamicSliceOp::verify() {
  int64_t rank = getOperand().getType().getRank(), count = getStartIndices().getType().getDimSize(0);
  if (count != rank)
    return emitOpError("requires a start, limit and stride for each of ") << rank << " dims, got " << count;
  return success();
}

} // namespace partita::stablehlo
