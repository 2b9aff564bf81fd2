//===- SliceOps.cpp - concatenate, slice, pad and dynamic slices ----------===//
//
// Sizes come from the program's text, so all arithmetic on them checks for
// overflow.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/ShapeOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::stablehlo {

//===----------------------------------------------------------------------===//
// Concatenate
//===----------------------------------------------------------------------===//

/// `type` with nothing known of `dim`.
static RankedTensorType forgetDim(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape()), bounds(getBounds(type));
  shape[dim] = ShapedType::kDynamic;
  if (!bounds.empty())
    bounds[dim] = ShapedType::kDynamic;
  return getTensorType(shape, bounds, type.getElementType());
}

/// `total + size`, unknown where either is. False on overflow.
static bool addSize(int64_t &total, int64_t size) {
  if (ShapedType::isDynamic(total) || ShapedType::isDynamic(size)) {
    total = ShapedType::kDynamic;
    return true;
  }
  return !llvm::AddOverflow(total, size, total);
}

/// (C6) The inputs' extents along `dim` in a row: their size, or else their bound.
static bool addExtents(TypeRange inputs, int64_t dim, int64_t &size, int64_t &bound) {
  size = bound = 0;
  for (Type input : inputs) {
    auto type = cast<RankedTensorType>(input);
    ArrayRef<int64_t> bounds = getBounds(type);
    int64_t inputSize = type.getDimSize(dim);
    bool isBounded = ShapedType::isDynamic(inputSize) && !bounds.empty();
    if (!addSize(size, inputSize) || !addSize(bound, isBounded ? bounds[dim] : inputSize))
      return false;
  }
  if (!ShapedType::isDynamic(size))
    bound = ShapedType::kDynamic;
  return true;
}

/// (C2) The inputs' most specific type, but for `dim`.
static FailureOr<RankedTensorType> inferOtherDims(std::optional<Location> loc, TypeRange inputs, int64_t dim) {
  SmallVector<Type> types;
  for (Type input : inputs) {
    auto type = cast<RankedTensorType>(input);
    if (type.getRank() <= dim)
      return emitOptionalError(loc, "(C4) requires dimension below the rank of all inputs, got ", dim, " for ", type);
    types.push_back(forgetDim(type, dim));
  }
  return inferMostSpecific(loc, types);
}

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                              SmallVectorImpl<Type> &inferred) {
  TypeRange inputs = adaptor.getInputs().getTypes();
  int64_t dim = adaptor.getDimension();
  if (inputs.empty())
    return emitOptionalError(loc, "(C3) requires at least one input");
  FailureOr<RankedTensorType> others = inferOtherDims(loc, inputs, dim);
  if (failed(others))
    return failure();
  SmallVector<int64_t> shape(others->getShape()), bounds(getBounds(*others));
  bounds.resize(shape.size(), ShapedType::kDynamic);
  if (!addExtents(inputs, dim, shape[dim], bounds[dim]))
    return emitOptionalError(loc, "(C6) requires a size of dim ", dim, " within 64 bits");
  inferred.push_back(getTensorType(shape, bounds, others->getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// The size of a dim, its bound where it is dynamic, `kDynamic` where it has none.
static int64_t getSizeOrBound(RankedTensorType type, int64_t dim) {
  ArrayRef<int64_t> bounds = getBounds(type);
  return type.isDynamicDim(dim) && !bounds.empty() ? bounds[dim] : type.getDimSize(dim);
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> starts = adaptor.getStartIndices(), limits = adaptor.getLimitIndices(),
                    strides = adaptor.getStrides();
  size_t rank = operand.getRank();
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return emitOptionalError(loc, "(C2) requires a start, limit and stride for each of ", rank, " dims");
  SmallVector<int64_t> shape;
  for (auto [dim, start, limit, stride] : llvm::enumerate(starts, limits, strides)) {
    int64_t size = getSizeOrBound(operand, dim);
    if (start < 0 || start > limit || (!ShapedType::isDynamic(size) && limit > size))
      return emitOptionalError(loc, "(C3) requires a range within dim ", dim, " of ", operand, ", got ", start, " to ",
                               limit);
    if (stride <= 0)
      return emitOptionalError(loc, "(C4) requires positive strides, got ", stride, " in dim ", dim);
    shape.push_back(llvm::divideCeil(static_cast<uint64_t>(limit - start), static_cast<uint64_t>(stride)));
  }
  inferred.push_back(RankedTensorType::get(shape, operand.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

std::optional<int64_t> computePaddedSize(int64_t size, int64_t low, int64_t high, int64_t interior) {
  int64_t padded = 0, gaps = std::max<int64_t>(size - 1, 0);
  if (llvm::MulOverflow(gaps, interior, padded) || llvm::AddOverflow(padded, size, padded) ||
      llvm::AddOverflow(padded, low, padded) || llvm::AddOverflow(padded, high, padded) || padded < 0)
    return std::nullopt;
  return padded;
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> lows = adaptor.getEdgePaddingLow(), highs = adaptor.getEdgePaddingHigh(),
                    interiors = adaptor.getInteriorPadding();
  size_t rank = operand.getRank();
  if (lows.size() != rank || highs.size() != rank || interiors.size() != rank)
    return emitOptionalError(loc, "(C2) requires low, high and interior padding for each of ", rank, " dims");
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic), bounds(rank, ShapedType::kDynamic);
  for (auto [dim, low, high, interior] : llvm::enumerate(lows, highs, interiors)) {
    if (interior < 0)
      return emitOptionalError(loc, "(C3) requires interior padding that is not negative, got ", interior);
    int64_t size = getSizeOrBound(operand, dim);
    if (ShapedType::isDynamic(size))
      continue;
    std::optional<int64_t> padded = computePaddedSize(size, low, high, interior);
    if (!padded)
      return emitOptionalError(loc, "(C4) requires a size of dim ", dim, " from 0 to 2^63 - 1");
    (operand.isDynamicDim(dim) ? bounds : shape)[dim] = *padded;
  }
  inferred.push_back(getTensorType(shape, bounds, operand.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Dynamic slices
//===----------------------------------------------------------------------===//

/// `label`: one type for all start indices.
static LogicalResult verifyStartIndices(std::optional<Location> loc, ValueRange indices, StringRef label) {
  if (!llvm::all_equal(indices.getTypes()))
    return emitOptionalError(loc, label, " requires start indices of one type");
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                               SmallVectorImpl<Type> &inferred) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  size_t rank = operand.getRank();
  if (sizes.size() != rank || adaptor.getStartIndices().size() != rank)
    return emitOptionalError(loc, "(C2) requires a start index and a size for each of ", rank, " dims, got ",
                             adaptor.getStartIndices().size(), " and ", sizes.size());
  if (failed(verifyStartIndices(loc, adaptor.getStartIndices(), "(C3)")))
    return failure();
  for (auto [size, whole] : llvm::zip(sizes, operand.getShape()))
    if (size < 0 || (!ShapedType::isDynamic(whole) && size > whole))
      return emitOptionalError(loc, "(C4) requires slice sizes within ", operand, ", got ", sizes);
  inferred.push_back(RankedTensorType::get(sizes, operand.getElementType()));
  return success();
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                     SmallVectorImpl<Type> &inferred) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto update = cast<RankedTensorType>(adaptor.getUpdate().getType());
  if (update.getRank() != operand.getRank())
    return emitOptionalError(loc, "(C3) requires update and operand of one rank, got ", update, " and ", operand);
  if (static_cast<int64_t>(adaptor.getStartIndices().size()) != operand.getRank())
    return emitOptionalError(loc, "(C4) requires ", operand.getRank(), " start indices, got ",
                             adaptor.getStartIndices().size());
  if (failed(verifyStartIndices(loc, adaptor.getStartIndices(), "(C5)")))
    return failure();
  for (auto [size, whole] : llvm::zip(update.getShape(), operand.getShape()))
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(whole) && size > whole)
      return emitOptionalError(loc, "(C6) requires an update within operand, got ", update, " and ", operand);
  inferred.push_back(operand);
  return success();
}

} // namespace partita::stablehlo
