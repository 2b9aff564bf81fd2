//===- BroadcastOps.cpp - elementwise ops that broadcast their operands ---===//
//
// Infers result shapes by two rules. Operands that are static or bounded in
// every dim broadcast exactly: sizes and bounds must agree or be 1. Otherwise
// an unknown size agrees with any other. Where operands do not broadcast at
// all, the result is unranked and any type is accepted, as in jaxlib.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/BroadcastOps.h"

#include "mlir/Dialect/Traits.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using partita::stablehlo::areCompatibleElementTypes;
using partita::stablehlo::getBounds;
using partita::stablehlo::getTensorType;

namespace partita::chlo {

/// Infers the result of a binary op whose `broadcast_dimensions` are `dims`. Its element type is that of the operands
/// unless one is given.
static LogicalResult inferBinary(std::optional<Location> loc, ValueRange operands,
                                 std::optional<ArrayRef<int64_t>> dims, SmallVectorImpl<Type> &inferred,
                                 Type elementType = {});

} // namespace partita::chlo

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/BroadcastOps.cpp.inc"

namespace partita::chlo {

void ChloDialect::registerBroadcastOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/Chlo/BroadcastOps.cpp.inc"
      >();
}

namespace {

/// A dim of a tensor each of whose dims is static or bounded.
struct Extent {
  int64_t limit = 1;
  bool isBound = false;
};

} // namespace

static SmallVector<Extent> getExtents(RankedTensorType type) {
  ArrayRef<int64_t> bounds = getBounds(type);
  SmallVector<Extent> extents;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    bool isBound = ShapedType::isDynamic(size) && !bounds.empty();
    extents.push_back({isBound ? bounds[dim] : size, isBound});
  }
  return extents;
}

/// The broadcast extent; nothing if the two do not broadcast.
static std::optional<Extent> broadcastExtent(Extent a, Extent b) {
  if (a.limit == 1)
    return b;
  if (b.limit == 1)
    return a;
  if (a.limit != b.limit || a.isBound != b.isBound)
    return std::nullopt;
  return a;
}

static std::optional<SmallVector<Extent>> broadcastExtents(SmallVector<Extent> a, SmallVector<Extent> b) {
  size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), Extent());
  b.insert(b.begin(), rank - b.size(), Extent());
  for (auto [out, other] : llvm::zip_equal(a, b)) {
    std::optional<Extent> extent = broadcastExtent(out, other);
    if (!extent)
      return std::nullopt;
    out = *extent;
  }
  return a;
}

static Type broadcastBounded(ArrayRef<RankedTensorType> types, Type elementType) {
  SmallVector<Extent> extents = getExtents(types.front());
  for (RankedTensorType type : types.drop_front()) {
    std::optional<SmallVector<Extent>> merged = broadcastExtents(extents, getExtents(type));
    if (!merged)
      return UnrankedTensorType::get(elementType);
    extents = std::move(*merged);
  }
  auto sizes =
      llvm::map_to_vector(extents, [](Extent extent) { return extent.isBound ? ShapedType::kDynamic : extent.limit; });
  auto bounds =
      llvm::map_to_vector(extents, [](Extent extent) { return extent.isBound ? extent.limit : ShapedType::kDynamic; });
  return getTensorType(sizes, bounds, elementType);
}

static Type broadcastDynamic(ArrayRef<RankedTensorType> types, Type elementType) {
  SmallVector<int64_t> shape(types.front().getShape());
  for (RankedTensorType type : types.drop_front()) {
    SmallVector<int64_t> merged;
    if (!OpTrait::util::getBroadcastedShape(shape, type.getShape(), merged))
      return UnrankedTensorType::get(elementType);
    shape = std::move(merged);
  }
  return RankedTensorType::get(shape, elementType);
}

/// The type of operands aligned at their last dims.
static Type broadcastAligned(TypeRange types, Type elementType) {
  SmallVector<RankedTensorType> ranked;
  for (Type type : types) {
    ranked.push_back(dyn_cast<RankedTensorType>(type));
    if (!ranked.back())
      return UnrankedTensorType::get(elementType);
  }
  bool areBounded =
      llvm::all_of(ranked, [](RankedTensorType type) { return type.hasStaticShape() || !getBounds(type).empty(); });
  return areBounded ? broadcastBounded(ranked, elementType) : broadcastDynamic(ranked, elementType);
}

/// The type of two operands, where dim n of the smaller one is dim `dims[n]` of the larger one.
static Type broadcastPlaced(Type a, Type b, ArrayRef<int64_t> dims, Type elementType) {
  auto large = dyn_cast<RankedTensorType>(a), small = dyn_cast<RankedTensorType>(b);
  Type unranked = UnrankedTensorType::get(elementType);
  if (!large || !small)
    return unranked;
  if (large.getRank() <= small.getRank())
    std::swap(large, small);
  auto isInRange = [&](int64_t dim) { return dim >= 0 && dim < large.getRank(); };
  if (static_cast<int64_t>(dims.size()) != small.getRank() || !llvm::all_of(dims, isInRange))
    return unranked;
  auto facing = llvm::map_to_vector(dims, [&](int64_t dim) { return large.getDimSize(dim); });
  SmallVector<int64_t> merged, shape(large.getShape());
  if (!OpTrait::util::getBroadcastedShape(small.getShape(), facing, merged))
    return unranked;
  for (auto [dim, size] : llvm::zip_equal(dims, merged))
    shape[dim] = size;
  return RankedTensorType::get(shape, elementType);
}

static LogicalResult inferBinary(std::optional<Location> loc, ValueRange operands,
                                 std::optional<ArrayRef<int64_t>> dims, SmallVectorImpl<Type> &inferred,
                                 Type elementType) {
  Type lhs = operands[0].getType(), rhs = operands[1].getType();
  if (!areCompatibleElementTypes(lhs, rhs))
    return emitOptionalError(loc, "requires operands of one element type, got ", lhs, " and ", rhs);
  if (!elementType)
    elementType = getElementTypeOrSelf(lhs);
  inferred.push_back(dims ? broadcastPlaced(lhs, rhs, *dims, elementType)
                          : broadcastAligned(operands.getTypes(), elementType));
  return success();
}

LogicalResult BroadcastComplexOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                                   DictionaryAttr attributes, OpaqueProperties properties,
                                                   RegionRange regions, SmallVectorImpl<Type> &inferred) {
  BroadcastComplexOp::Adaptor adaptor(operands, attributes, properties, regions);
  Type elementType = ComplexType::get(getElementTypeOrSelf(operands.front()));
  return inferBinary(loc, operands, adaptor.getBroadcastDimensions(), inferred, elementType);
}

LogicalResult BroadcastCompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                   ValueRange operands, DictionaryAttr attributes,
                                                   OpaqueProperties properties, RegionRange regions,
                                                   SmallVectorImpl<Type> &inferred) {
  BroadcastCompareOp::Adaptor adaptor(operands, attributes, properties, regions);
  return inferBinary(loc, operands, adaptor.getBroadcastDimensions(), inferred, IntegerType::get(context, 1));
}

LogicalResult BroadcastSelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                                  DictionaryAttr, OpaqueProperties, RegionRange,
                                                  SmallVectorImpl<Type> &inferred) {
  Type elementType = getElementTypeOrSelf(operands[1]);
  if (elementType != getElementTypeOrSelf(operands[2]))
    return emitOptionalError(loc, "requires on_true and on_false of one element type, got ", operands[1].getType(),
                             " and ", operands[2].getType());
  inferred.push_back(broadcastAligned(operands.getTypes(), elementType));
  return success();
}

} // namespace partita::chlo
