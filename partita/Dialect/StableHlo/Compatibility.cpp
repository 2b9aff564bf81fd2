//===- Compatibility.cpp - whether two types may describe one value -------===//

#include "partita/Dialect/StableHlo/Compatibility.h"

#include "partita/Dialect/StableHlo/StableHloDialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace partita::stablehlo {

static bool areQuantizedAlike(quant::QuantizedType a, quant::QuantizedType b) {
  return a.getStorageType() == b.getStorageType() && a.getStorageTypeMin() == b.getStorageTypeMin() &&
         a.getStorageTypeMax() == b.getStorageTypeMax() && a.getExpressedType() == b.getExpressedType() &&
         isa<quant::UniformQuantizedPerAxisType>(a) == isa<quant::UniformQuantizedPerAxisType>(b);
}

bool areCompatibleElementTypes(Type a, Type b) {
  a = getElementTypeOrSelf(a);
  b = getElementTypeOrSelf(b);
  auto quantA = dyn_cast<quant::QuantizedType>(a);
  auto quantB = dyn_cast<quant::QuantizedType>(b);
  if (quantA && quantB)
    return areQuantizedAlike(quantA, quantB);
  return a == b;
}

/// No static size of `shape` exceeds its bound.
static bool fitsBounds(ArrayRef<int64_t> shape, ArrayRef<int64_t> bounds) {
  if (bounds.empty())
    return true;
  for (auto [size, bound] : llvm::zip(shape, bounds))
    if (!ShapedType::isDynamic(bound) && !ShapedType::isDynamic(size) && size > bound)
      return false;
  return true;
}

bool areCompatibleShapes(Type a, Type b) {
  if (failed(verifyCompatibleShape(a, b)))
    return false;
  auto rankedA = dyn_cast<RankedTensorType>(a);
  auto rankedB = dyn_cast<RankedTensorType>(b);
  if (!rankedA || !rankedB)
    return true;
  return fitsBounds(rankedA.getShape(), getBounds(b)) && fitsBounds(rankedB.getShape(), getBounds(a));
}

bool areCompatible(Type a, Type b) {
  if (a == b)
    return true;
  if (isa<ShapedType>(a) && isa<ShapedType>(b) && !areCompatibleShapes(a, b))
    return false;
  if (isa<ShapedType>(a) != isa<ShapedType>(b))
    return false;
  return areCompatibleElementTypes(a, b);
}

bool areCompatible(TypeRange a, TypeRange b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip(a, b), [](auto pair) { return areCompatible(std::get<0>(pair), std::get<1>(pair)); });
}

LogicalResult verifyCompatibleTypes(Operation *op) {
  Type first = op->getNumOperands() ? op->getOperand(0).getType() : op->getResult(0).getType();
  auto isOff = [&](Type type) { return !areCompatible(first, type); };
  for (Type type : op->getOperandTypes())
    if (isOff(type))
      return op->emitOpError("(C1) requires compatible types for all operands and results, but got ")
             << first << " and operand of type " << type;
  for (Type type : op->getResultTypes())
    if (isOff(type))
      return op->emitOpError("(C1) requires compatible types for all operands and results, but got ")
             << first << " and result of type " << type;
  return success();
}

ArrayRef<int64_t> getBounds(Type type) {
  if (auto ranked = dyn_cast<RankedTensorType>(type))
    if (auto extensions = dyn_cast_or_null<TypeExtensionsAttr>(ranked.getEncoding()))
      return extensions.getBounds();
  return {};
}

RankedTensorType getTensorType(ArrayRef<int64_t> shape, ArrayRef<int64_t> bounds, Type elementType) {
  bool unbounded = llvm::all_of(bounds, [](int64_t bound) { return ShapedType::isDynamic(bound); });
  if (unbounded)
    return RankedTensorType::get(shape, elementType);
  return RankedTensorType::get(shape, elementType, TypeExtensionsAttr::get(elementType.getContext(), bounds));
}

namespace {

/// Size and bound of one dim.
struct Extent {
  int64_t size;
  int64_t bound;

  bool isStatic() const { return !ShapedType::isDynamic(size); }
  bool isBounded() const { return !ShapedType::isDynamic(bound); }
};

} // namespace

static Extent getExtent(RankedTensorType type, int64_t dim) {
  ArrayRef<int64_t> bounds = getBounds(type);
  return {type.getDimSize(dim), bounds.empty() ? ShapedType::kDynamic : bounds[dim]};
}

/// Combines what `a` and `b` know about one dim.
static FailureOr<Extent> meet(std::optional<Location> loc, int64_t dim, Extent a, Extent b) {
  if (a.isStatic() && b.isStatic() && a.size != b.size)
    return emitOptionalError(loc, "mismatched dimension sizes ", a.size, " and ", b.size, " in dimension ", dim);
  int64_t bound = a.bound;
  if (b.isBounded())
    bound = a.isBounded() ? std::min(a.bound, b.bound) : b.bound;
  if (!a.isStatic() && !b.isStatic())
    return Extent{ShapedType::kDynamic, bound};
  int64_t size = a.isStatic() ? a.size : b.size;
  if (!ShapedType::isDynamic(bound) && size > bound)
    return emitOptionalError(loc, "mismatched dimension size ", size, " and bound ", bound, " in dimension ", dim);
  return Extent{size, ShapedType::kDynamic};
}

FailureOr<RankedTensorType> inferMostSpecific(std::optional<Location> loc, TypeRange types) {
  if (types.empty())
    return emitOptionalError(loc, "requires at least one operand");
  auto first = cast<RankedTensorType>(types.front());
  // Fast path: nearly all types are static and equal.
  if (first.hasStaticShape() && llvm::all_equal(types))
    return first;
  for (Type type : types)
    if (cast<RankedTensorType>(type).getRank() != first.getRank())
      return emitOptionalError(loc, "mismatched ranks of types ", first, " and ", type);
  SmallVector<int64_t> sizes, bounds;
  for (int64_t dim = 0; dim < first.getRank(); ++dim) {
    Extent extent = getExtent(first, dim);
    for (Type type : types.drop_front()) {
      FailureOr<Extent> met = meet(loc, dim, extent, getExtent(cast<RankedTensorType>(type), dim));
      if (failed(met))
        return failure();
      extent = *met;
    }
    sizes.push_back(extent.size);
    bounds.push_back(extent.bound);
  }
  return getTensorType(sizes, bounds, first.getElementType());
}

FailureOr<Type> inferMostSpecificTensor(std::optional<Location> loc, TypeRange types) {
  SmallVector<Type> ranked = llvm::filter_to_vector(types, llvm::IsaPred<RankedTensorType>);
  if (ranked.empty() && !types.empty())
    return types.front();
  FailureOr<RankedTensorType> type = inferMostSpecific(loc, ranked);
  return failed(type) ? FailureOr<Type>(failure()) : FailureOr<Type>(*type);
}

ShapedType getRealType(ShapedType type) {
  auto complexType = dyn_cast<ComplexType>(type.getElementType());
  return complexType ? type.clone(complexType.getElementType()) : type;
}

/// Whether the specification allows the storage of a quantized type: 2 to 32 bits, a signless type for signed storage,
/// zero points within its range.
static bool hasValidStorage(quant::QuantizedType type, ArrayRef<int64_t> zeroPoints) {
  auto isStored = [&](int64_t zeroPoint) {
    return zeroPoint >= type.getStorageTypeMin() && zeroPoint <= type.getStorageTypeMax();
  };
  return llvm::is_contained({2, 4, 8, 16, 32}, type.getStorageTypeIntegralWidth()) &&
         (!type.isSigned() || type.getStorageType().isSignlessInteger()) && llvm::all_of(zeroPoints, isStored);
}

bool isPerTensorQuantized(Type elementType) {
  auto type = dyn_cast<quant::UniformQuantizedType>(elementType);
  return type && hasValidStorage(type, type.getZeroPoint());
}

bool isPerAxisQuantized(Type elementType) {
  auto type = dyn_cast<quant::UniformQuantizedPerAxisType>(elementType);
  return type && hasValidStorage(type, type.getZeroPoints());
}

bool hasValidQuantizedDimension(Type tensorType) {
  auto ranked = dyn_cast<RankedTensorType>(tensorType);
  if (!ranked)
    return true;
  auto type = dyn_cast<quant::UniformQuantizedPerAxisType>(ranked.getElementType());
  if (!type)
    return true;
  int64_t dim = type.getQuantizedDimension();
  if (dim < 0 || dim >= ranked.getRank())
    return false;
  return ranked.isDynamicDim(dim) || ranked.getDimSize(dim) == static_cast<int64_t>(type.getScales().size());
}

bool hasOneBoundedDim(Type tensorType) {
  auto ranked = dyn_cast<RankedTensorType>(tensorType);
  if (!ranked || ranked.getNumDynamicDims() != 1)
    return false;
  ArrayRef<int64_t> bounds = getBounds(ranked);
  return llvm::any_of(bounds, [](int64_t bound) { return !ShapedType::isDynamic(bound); });
}

} // namespace partita::stablehlo
