//===- IndexingOps.cpp - gather; registration of gather and scatter -------===//
//
// dynamic_gather has gather's constraints under gather's labels: the
// specification's own list for it leaves out batching dims, which it has too.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/IndexingOps.h"

#include "partita/Dialect/StableHlo/IndexedDims.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/IndexingOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/IndexingOps.cpp.inc"
      >();
}

/// A slice has at most one element along each of `dims`.
static LogicalResult verifyThinSlices(std::optional<Location> loc, StringRef label, const DimNumbers &numbers,
                                      ArrayRef<int64_t> sliceSizes) {
  for (int64_t dim : numbers.dims)
    if (sliceSizes[dim] > 1)
      return emitOptionalError(loc, label, " expects slice_sizes of at most 1 in ", numbers.name, ", got ",
                               sliceSizes[dim], " in dim ", dim);
  return success();
}

/// `sliceSizes` has the operand's rank.
static LogicalResult verifySliceSizes(std::optional<Location> loc, const IndexedDims &dims, RankedTensorType operand,
                                      ArrayRef<int64_t> sliceSizes) {
  if (failed(verifyThinSlices(loc, "(C9)", dims.dropped, sliceSizes)) ||
      failed(verifyThinSlices(loc, "(C12)", dims.operandBatching, sliceSizes)))
    return failure();
  for (auto [dim, size] : llvm::enumerate(sliceSizes)) {
    bool isTooLarge = !operand.isDynamicDim(dim) && size > operand.getDimSize(dim);
    if (size < 0 || isTooLarge)
      return emitOptionalError(loc, "(C21) expects slice_sizes within the operand, got ", size, " in dim ", dim, " of ",
                               operand);
  }
  return success();
}

/// Dims in `window` have window sizes, the others sizes of the indices. Windows have no bounds, since their sizes are
/// static.
static RankedTensorType buildGatheredType(const IndexedDims &dims, RankedTensorType operand, RankedTensorType indices,
                                          ArrayRef<int64_t> sliceSizes) {
  int64_t rank = getSlicesRank(dims, indices.getRank());
  SmallVector<int64_t> sizes(rank), bounds(rank, ShapedType::kDynamic);
  for (auto [dim, operandDim] : llvm::zip(dims.window.dims, getWindowedOperandDims(dims, operand.getRank())))
    sizes[dim] = sliceSizes[operandDim];
  ArrayRef<int64_t> indicesBounds = getBounds(indices);
  for (auto [dim, indicesDim] :
       llvm::zip(getIndexedSlicesDims(dims, indices.getRank()), getIndexCountDims(dims, indices.getRank()))) {
    sizes[dim] = indices.getDimSize(indicesDim);
    if (!indicesBounds.empty())
      bounds[dim] = indicesBounds[indicesDim];
  }
  return getTensorType(sizes, bounds, operand.getElementType());
}

/// The result's type, if the constraints hold. Without `sliceSizes` the number of them alone is known.
static FailureOr<RankedTensorType> inferGathered(std::optional<Location> loc, ValueRange operands,
                                                 GatherDimensionNumbersAttr attr, int64_t numSliceSizes,
                                                 std::optional<ArrayRef<int64_t>> sliceSizes) {
  auto operand = cast<RankedTensorType>(operands[0].getType());
  auto indices = cast<RankedTensorType>(operands[1].getType());
  IndexedDims dims = getIndexedDims(attr);
  if (failed(verifyIndexedDims(loc, dims, operand, indices)))
    return failure();
  if (numSliceSizes != operand.getRank())
    return emitOptionalError(loc, "(C20) expects slice_sizes per dim of the operand, got ", numSliceSizes, " for ",
                             operand);
  if (sliceSizes && failed(verifySliceSizes(loc, dims, operand, *sliceSizes)))
    return failure();
  SmallVector<int64_t> unknown(numSliceSizes, ShapedType::kDynamic);
  return buildGatheredType(dims, operand, indices, sliceSizes.value_or(unknown));
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                         DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                         SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  ArrayRef<int64_t> sliceSizes = adaptor.getSliceSizes();
  FailureOr<RankedTensorType> type =
      inferGathered(loc, operands, adaptor.getDimensionNumbers(), sliceSizes.size(), sliceSizes);
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}

/// An unsorted index under a promise of order has no meaning.
Speculation::Speculatability GatherOp::getSpeculatability() {
  return getIndicesAreSorted() ? Speculation::NotSpeculatable : Speculation::Speculatable;
}

/// The elements of `value` where it is a constant.
static std::optional<SmallVector<int64_t>> getConstantIntegers(Value value) {
  DenseIntElementsAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return llvm::map_to_vector(attr.getValues<APInt>(), [](const APInt &element) { return element.getSExtValue(); });
}

LogicalResult DynamicGatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                                DictionaryAttr attributes, OpaqueProperties properties,
                                                RegionRange regions, SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  int64_t rank = cast<RankedTensorType>(adaptor.getOperand().getType()).getRank();
  int64_t numSliceSizes = cast<RankedTensorType>(adaptor.getSliceSizes().getType()).getDimSize(0);
  // A constant of the wrong size may be too large to be listed.
  std::optional<SmallVector<int64_t>> sliceSizes;
  if (numSliceSizes == rank)
    sliceSizes = getConstantIntegers(adaptor.getSliceSizes());
  FailureOr<RankedTensorType> type =
      inferGathered(loc, operands, adaptor.getDimensionNumbers(), numSliceSizes, sliceSizes);
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}

} // namespace partita::stablehlo
