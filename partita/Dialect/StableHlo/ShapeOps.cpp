//===- ShapeOps.cpp - constants and ops that move elements ----------------===//
//
// Registration, and the ops that give whole tensors another shape or order.
// ConstantOp.cpp and SliceOps.cpp hold the others.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/ShapeOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"
#include "partita/Dialect/StableHlo/QuantizedShapes.h"
#include "partita/Dialect/StableHlo/ShapeFormat.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ShapeOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/ShapeOps.cpp.inc"
      >();
}

LogicalResult IotaOp::verify() {
  int64_t rank = getType().getRank();
  if (static_cast<int64_t>(getIotaDimension()) >= rank)
    return emitOpError("(C1) requires iota_dimension below the rank ") << rank << ", got " << getIotaDimension();
  return success();
}

//===----------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  SmallVector<int64_t> shape(adaptor.getBroadcastSizes());
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return emitOptionalError(loc, "requires broadcast_sizes that are not negative, got ", shape);
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  llvm::append_range(shape, operand.getShape());
  inferred.push_back(RankedTensorType::get(shape, operand.getElementType()));
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (failed(verifyBroadcastDimensions(getOperation(), operand, dims, result)))
    return failure();
  for (auto [size, dim] : llvm::zip(operand.getShape(), dims))
    if (!ShapedType::isDynamic(size) && size != 1 && size != result.getDimSize(dim))
      return emitOpError("(C5) requires operand sizes of 1 or of the result's dim ") << dim << ", got " << size;
  return verifyBroadcastQuantization(getOperation(), operand, dims, result);
}

LogicalResult verifyBroadcastDimensions(Operation *op, RankedTensorType operand, ArrayRef<int64_t> dims,
                                        RankedTensorType result) {
  if (static_cast<int64_t>(dims.size()) != operand.getRank())
    return op->emitOpError("(C2) requires ")
           << operand.getRank() << " broadcast_dimensions, as many as operand has dims, got " << dims.size();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= result.getRank())
      return op->emitOpError("(C3) requires broadcast_dimensions in [0, ") << result.getRank() << "), got " << dim;
    if (!seen.insert(dim).second)
      return op->emitOpError("(C4) requires unique broadcast_dimensions, got ") << dim << " twice";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reshape, transpose, reverse
//===----------------------------------------------------------------------===//

uint64_t countElements(ArrayRef<int64_t> shape) {
  uint64_t count = 1;
  for (int64_t size : shape) {
    if (size == 0)
      return 0;
    count = llvm::SaturatingMultiply(count, static_cast<uint64_t>(size));
  }
  return count;
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  if (operand.hasStaticShape() && result.hasStaticShape() &&
      countElements(operand.getShape()) != countElements(result.getShape()))
    return emitOpError("(C2) requires as many elements in result as in operand, got ") << operand << " and " << result;
  return verifyReshapeQuantization(getOperation(), operand, result);
}

/// Each of the dims of a tensor of `rank` once.
static bool isPermutation(ArrayRef<int64_t> dims, int64_t rank) {
  llvm::SmallDenseSet<int64_t> seen;
  auto isNew = [&](int64_t dim) { return dim >= 0 && dim < rank && seen.insert(dim).second; };
  return static_cast<int64_t>(dims.size()) == rank && llvm::all_of(dims, isNew);
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (!isPermutation(permutation, operand.getRank()))
    return emitOptionalError(loc, "(C2) requires a permutation of the ", operand.getRank(), " dims of operand, got ",
                             permutation);
  ArrayRef<int64_t> operandBounds = getBounds(operand);
  SmallVector<int64_t> shape, bounds;
  for (int64_t dim : permutation) {
    shape.push_back(operand.getDimSize(dim));
    if (!operandBounds.empty())
      bounds.push_back(operandBounds[dim]);
  }
  inferred.push_back(getTensorType(shape, bounds, operand.getElementType()));
  return success();
}

LogicalResult TransposeOp::verify() {
  return verifyTransposeQuantization(getOperation(), getOperand().getType(), getPermutation(), getType());
}

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  inferred.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult ReverseOp::verify() {
  llvm::SmallDenseSet<int64_t> seen;
  int64_t rank = getType().getRank();
  for (int64_t dim : getDimensions()) {
    if (!seen.insert(dim).second)
      return emitOpError("(C2) requires unique dimensions, got ") << dim << " twice";
    if (dim < 0 || dim >= rank)
      return emitOpError("(C3) requires dimensions in [0, ") << rank << "), got " << dim;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bitcast
//===----------------------------------------------------------------------===//

/// Bits of one element as it is stored.
static int64_t getNumBits(Type elementType) {
  if (auto complexType = dyn_cast<ComplexType>(elementType))
    return 2 * getNumBits(complexType.getElementType());
  if (auto quantized = dyn_cast<quant::QuantizedType>(elementType))
    return quantized.getStorageTypeIntegralWidth();
  return elementType.getIntOrFloatBitWidth();
}

/// (C1) `narrow` has the shape of `wide` and a last dim over the parts of a wide element.
static LogicalResult verifySplitElements(Operation *op, RankedTensorType narrow, RankedTensorType wide) {
  int64_t narrowBits = getNumBits(narrow.getElementType()), wideBits = getNumBits(wide.getElementType());
  if (narrow.getRank() != wide.getRank() + 1)
    return op->emitOpError("(C1) requires one dim more for narrower elements, got ") << narrow << " and " << wide;
  int64_t parts = narrow.getShape().back();
  bool isWhole = wideBits % narrowBits == 0 && parts == wideBits / narrowBits;
  if (!ShapedType::isDynamic(parts) && !isWhole)
    return op->emitOpError("(C1) requires a last dim over the parts of ")
           << wideBits << " bits of " << narrowBits << " each, got " << parts;
  if (failed(verifyCompatibleShape(narrow.getShape().drop_back(), wide.getShape())))
    return op->emitOpError("(C1) requires equal sizes but for the last dim, got ") << narrow << " and " << wide;
  return success();
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  if (isa<ComplexType>(operand.getElementType()) != isa<ComplexType>(result.getElementType()))
    return emitOpError("(C2) requires both element types complex or neither, got ") << operand << " and " << result;
  int64_t operandBits = getNumBits(operand.getElementType()), resultBits = getNumBits(result.getElementType());
  if (operandBits < resultBits)
    return verifySplitElements(getOperation(), operand, result);
  if (operandBits > resultBits)
    return verifySplitElements(getOperation(), result, operand);
  if (failed(verifyCompatibleShape(operand.getShape(), result.getShape())))
    return emitOpError("(C1) requires equal shapes for elements of one width, got ") << operand << " and " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes of bounded dims
//===----------------------------------------------------------------------===//

static LogicalResult verifyDimension(std::optional<Location> loc, RankedTensorType operand, int64_t dimension) {
  if (dimension >= operand.getRank())
    return emitOptionalError(loc, "(C1) requires dimension below the rank ", operand.getRank(), ", got ", dimension);
  return success();
}

LogicalResult GetDimensionSizeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                                   SmallVectorImpl<Type> &inferred) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (failed(verifyDimension(loc, operand, adaptor.getDimension())))
    return failure();
  inferred.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return success();
}

LogicalResult SetDimensionSizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                   SmallVectorImpl<Type> &inferred) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t dimension = adaptor.getDimension();
  if (cast<RankedTensorType>(adaptor.getSize().getType()).getRank() != 0)
    return emitOptionalError(loc, "requires a scalar size");
  if (failed(verifyDimension(loc, operand, dimension)))
    return failure();
  SmallVector<int64_t> shape(operand.getShape()), bounds(getBounds(operand));
  bounds.resize(shape.size(), ShapedType::kDynamic);
  int64_t size = std::exchange(shape[dimension], ShapedType::kDynamic);
  if (!ShapedType::isDynamic(size))
    bounds[dimension] = size;
  // A constant size that is all of the dim leaves it static.
  APInt constant;
  if (matchPattern(adaptor.getSize(), m_ConstantInt(&constant)) && constant.getSExtValue() == bounds[dimension])
    std::swap(shape[dimension], bounds[dimension]);
  inferred.push_back(getTensorType(shape, bounds, operand.getElementType()));
  return success();
}

} // namespace partita::stablehlo
