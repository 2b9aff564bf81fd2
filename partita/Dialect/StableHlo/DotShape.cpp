//===- DotShape.cpp - a dot's dims by role, and its result type -----------===//

#include "partita/Dialect/StableHlo/DotShape.h"

#include "partita/Dialect/StableHlo/Compatibility.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace partita::stablehlo {

DotDims getDotDims(DotDimensionNumbersAttr attr) {
  return {attr.getLhsBatchingDimensions(), attr.getRhsBatchingDimensions(), attr.getLhsContractingDimensions(),
          attr.getRhsContractingDimensions()};
}

SmallVector<int64_t> getOtherDims(int64_t rank, ArrayRef<ArrayRef<int64_t>> lists) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (llvm::none_of(lists, [&](ArrayRef<int64_t> list) { return llvm::is_contained(list, dim); }))
      dims.push_back(dim);
  return dims;
}

/// Success if the dims of one operand are distinct.
static LogicalResult verifyDistinct(std::optional<Location> loc, StringRef label, ArrayRef<int64_t> batching,
                                    ArrayRef<int64_t> contracting) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dim : llvm::concat<const int64_t>(batching, contracting))
    if (!seen.insert(dim).second)
      return emitOptionalError(loc, label, " requires distinct batching and contracting dimensions, got ", dim,
                               " twice");
  return success();
}

static LogicalResult verifyInRange(std::optional<Location> loc, StringRef label, ArrayRef<int64_t> dims,
                                   RankedTensorType type) {
  for (int64_t dim : dims)
    if (dim < 0 || dim >= type.getRank())
      return emitOptionalError(loc, label, " requires dimensions in [0, ", type.getRank(), "), got ", dim);
  return success();
}

static LogicalResult verifySizes(std::optional<Location> loc, StringRef label, RankedTensorType lhs,
                                 RankedTensorType rhs, ArrayRef<int64_t> lhsDims, ArrayRef<int64_t> rhsDims) {
  for (auto [lhsDim, rhsDim] : llvm::zip_equal(lhsDims, rhsDims))
    if (failed(verifyCompatibleShape(lhs.getDimSize(lhsDim), rhs.getDimSize(rhsDim))))
      return emitOptionalError(loc, label, " sizes must match, got ", lhs.getDimSize(lhsDim), " in lhs and ",
                               rhs.getDimSize(rhsDim), " in rhs");
  return success();
}

LogicalResult verifyDotDims(std::optional<Location> loc, RankedTensorType lhs, RankedTensorType rhs,
                            const DotDims &dims) {
  if (dims.lhsBatching.size() != dims.rhsBatching.size())
    return emitOptionalError(loc, "(C1) requires as many batching dimensions of lhs as of rhs");
  if (dims.lhsContracting.size() != dims.rhsContracting.size())
    return emitOptionalError(loc, "(C2) requires as many contracting dimensions of lhs as of rhs");
  if (failed(verifyDistinct(loc, "(C3) lhs", dims.lhsBatching, dims.lhsContracting)) ||
      failed(verifyDistinct(loc, "(C4) rhs", dims.rhsBatching, dims.rhsContracting)) ||
      failed(verifyInRange(loc, "(C5) lhs_batching_dimensions", dims.lhsBatching, lhs)) ||
      failed(verifyInRange(loc, "(C6) lhs_contracting_dimensions", dims.lhsContracting, lhs)) ||
      failed(verifyInRange(loc, "(C7) rhs_batching_dimensions", dims.rhsBatching, rhs)) ||
      failed(verifyInRange(loc, "(C8) rhs_contracting_dimensions", dims.rhsContracting, rhs)))
    return failure();
  if (failed(verifySizes(loc, "(C9) batching dimension", lhs, rhs, dims.lhsBatching, dims.rhsBatching)))
    return failure();
  return verifySizes(loc, "(C10) contracting dimension", lhs, rhs, dims.lhsContracting, dims.rhsContracting);
}

/// `type` with these of its dims only, and its bounds of them.
static RankedTensorType keepDims(RankedTensorType type, ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> allBounds = getBounds(type);
  auto sizes = llvm::map_to_vector(dims, [&](int64_t dim) { return type.getDimSize(dim); });
  SmallVector<int64_t> bounds;
  if (!allBounds.empty())
    bounds = llvm::map_to_vector(dims, [&](int64_t dim) { return allBounds[dim]; });
  return getTensorType(sizes, bounds, type.getElementType());
}

FailureOr<RankedTensorType> inferDotType(std::optional<Location> loc, RankedTensorType lhs, RankedTensorType rhs,
                                         const DotDims &dims, Type elementType) {
  if (failed(verifyDotDims(loc, lhs, rhs, dims)))
    return failure();
  FailureOr<RankedTensorType> batch =
      inferMostSpecific(loc, TypeRange{keepDims(lhs, dims.lhsBatching), keepDims(rhs, dims.rhsBatching)});
  if (failed(batch))
    return failure();
  SmallVector<int64_t> sizes, bounds;
  auto append = [&](RankedTensorType type) {
    ArrayRef<int64_t> typeBounds = getBounds(type);
    llvm::append_range(sizes, type.getShape());
    if (typeBounds.empty())
      bounds.append(type.getRank(), ShapedType::kDynamic);
    else
      llvm::append_range(bounds, typeBounds);
  };
  append(*batch);
  append(keepDims(lhs, getOtherDims(lhs.getRank(), {dims.lhsBatching, dims.lhsContracting})));
  append(keepDims(rhs, getOtherDims(rhs.getRank(), {dims.rhsBatching, dims.rhsContracting})));
  return getTensorType(sizes, bounds, elementType);
}

} // namespace partita::stablehlo
