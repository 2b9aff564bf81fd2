//===- IndexArithmetic.cpp - emits a piece's offset and index arithmetic --===//

#include "partita/Program/Rules/IndexArithmetic.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

using namespace mlir;

namespace partita::program::rules {

Value IndexEmitter::constant(int64_t value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, builder.getI64Type());
  return stablehlo::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, value));
}

Value IndexEmitter::iota(int64_t size) {
  return stablehlo::IotaOp::create(builder, loc, RankedTensorType::get(size, builder.getI64Type()), 0);
}

Value IndexEmitter::add(Value a, Value b) { return stablehlo::AddOp::create(builder, loc, a.getType(), a, b); }

Value IndexEmitter::subtract(Value a, Value b) {
  return stablehlo::SubtractOp::create(builder, loc, a.getType(), a, b);
}

Value IndexEmitter::clamp(Value value, int64_t low, int64_t high) {
  return stablehlo::ClampOp::create(builder, loc, value.getType(), constant(low), value, constant(high));
}

Value IndexEmitter::compare(Value a, int64_t b, bool isLess) {
  auto type = RankedTensorType::get(getShape(a), builder.getI1Type());
  auto direction = isLess ? stablehlo::ComparisonDirection::LT : stablehlo::ComparisonDirection::GE;
  return stablehlo::CompareOp::create(
      builder, loc, type, a, constant(b, getShape(a)),
      stablehlo::ComparisonDirectionAttr::get(builder.getContext(), direction),
      stablehlo::ComparisonTypeAttr::get(builder.getContext(), stablehlo::ComparisonType::SIGNED));
}

Value IndexEmitter::isWithin(Value value, int64_t low, int64_t high) {
  Value isAbove = compare(value, low, /*isLess=*/false);
  Value isBelow = compare(value, high, /*isLess=*/true);
  return stablehlo::AndOp::create(builder, loc, isAbove.getType(), isAbove, isBelow);
}

Value IndexEmitter::broadcast(Value value, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  return stablehlo::BroadcastInDimOp::create(builder, loc, type, value, dims);
}

Value IndexEmitter::clampIndex(Value index, int64_t limit) {
  Type type = getElementTypeOrSelf(index.getType());
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  if (type == builder.getI64Type())
    return clamp(index, 0, limit);
  if (!type.isUnsignedInteger(64))
    return clamp(stablehlo::ConvertOp::create(builder, loc, scalar, index), 0, limit);
  // The index may exceed i64, so it is clamped before the conversion.
  auto bound = DenseElementsAttr::get(cast<ShapedType>(index.getType()), APInt(64, limit));
  Value limitValue = stablehlo::ConstantOp::create(builder, loc, index.getType(), bound);
  Value bounded = stablehlo::MinOp::create(builder, loc, index.getType(), index, limitValue);
  return stablehlo::ConvertOp::create(builder, loc, scalar, bounded);
}

Value emitPieceOfWhole(const LocalContext &local, Value whole, RankedTensorType type) {
  Location loc = whole.getLoc();
  IndexEmitter index(local.builder, loc);
  SmallVector<Value> starts;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    const Split *split = local.findResultDim(0, dim);
    starts.push_back(split ? local.emitOffset(loc, *split, size, local.builder.getI64Type()) : index.constant(0));
  }
  return stablehlo::DynamicSliceOp::create(local.builder, loc, type, whole, starts, type.getShape());
}

} // namespace partita::program::rules
