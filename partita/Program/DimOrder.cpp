//===- DimOrder.cpp - parts of a dim, piece by piece ----------------------===//

#include "partita/Program/DimOrder.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::program {

static RankedTensorType getTensor(Value value) { return cast<RankedTensorType>(value.getType()); }

RankedTensorType splitDim(RankedTensorType type, unsigned dim, int64_t groups) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= groups;
  shape.insert(shape.begin() + dim, groups);
  return type.clone(shape);
}

Value emitSplitDim(OpBuilder &builder, Location loc, Value value, unsigned dim, int64_t groups) {
  return stablehlo::ReshapeOp::create(builder, loc, splitDim(getTensor(value), dim, groups), value);
}

Value emitJoinDims(OpBuilder &builder, Location loc, Value value, unsigned dim) {
  SmallVector<int64_t> shape(getTensor(value).getShape());
  shape[dim] *= shape[dim + 1];
  shape.erase(shape.begin() + dim + 1);
  return stablehlo::ReshapeOp::create(builder, loc, getTensor(value).clone(shape), value);
}

static Value emitSlice(OpBuilder &builder, Location loc, Value value, unsigned dim, int64_t start, int64_t size) {
  RankedTensorType type = getTensor(value);
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()), strides(type.getRank(), 1);
  starts[dim] = start;
  limits[dim] = start + size;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return stablehlo::SliceOp::create(builder, loc, type.clone(shape), value, starts, limits, strides);
}

/// Ops of several parts look alike; the static check of a local program goes by their locations then.
static Location locatePart(Value value, llvm::StringRef word, size_t part) {
  auto name = StringAttr::get(value.getContext(), (word + "_part" + llvm::Twine(part)).str());
  return NameLoc::get(name, value.getLoc());
}

static Location locate(Value value, llvm::StringRef word) {
  return NameLoc::get(StringAttr::get(value.getContext(), word), value.getLoc());
}

Value emitReorder(OpBuilder &builder, Value value, unsigned dim, const DimOrder &order) {
  SmallVector<Value> parts;
  int64_t start = 0;
  for (auto [number, size] : llvm::enumerate(order.parts)) {
    Location loc = locatePart(value, "reorder", number);
    Value part = emitSlice(builder, loc, value, dim, start, size);
    parts.push_back(emitSplitDim(builder, loc, part, dim, order.groups));
    start += size;
  }
  Location loc = locate(value, "reorder");
  RankedTensorType type = splitDim(getTensor(value), dim, order.groups);
  Value joined = stablehlo::ConcatenateOp::create(builder, loc, type, parts, dim + 1);
  return emitJoinDims(builder, loc, joined, dim);
}

Value emitRestore(OpBuilder &builder, Value value, unsigned dim, const DimOrder &order) {
  SmallVector<Value> parts;
  Value split = emitSplitDim(builder, locate(value, "restore"), value, dim, order.groups);
  int64_t start = 0;
  for (auto [number, size] : llvm::enumerate(order.parts)) {
    Location loc = locatePart(value, "restore", number);
    int64_t piece = size / order.groups;
    parts.push_back(emitJoinDims(builder, loc, emitSlice(builder, loc, split, dim + 1, start, piece), dim));
    start += piece;
  }
  return stablehlo::ConcatenateOp::create(builder, locate(value, "restore"), getTensor(value), parts, dim);
}

Attribute makeOrderAttr(MLIRContext *context, const StoredDim &stored) {
  SmallVector<int64_t> numbers{stored.dim};
  llvm::append_range(numbers, stored.order.parts);
  return DenseI64ArrayAttr::get(context, numbers);
}

std::optional<StoredDim> readOrderAttr(Attribute attribute, Type type) {
  auto numbers = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!numbers || !tensor || numbers.size() < 3 || numbers[0] < 0 || numbers[0] + 1 >= tensor.getRank())
    return std::nullopt;
  StoredDim stored;
  stored.dim = numbers[0];
  stored.order.groups = tensor.getDimSize(stored.dim);
  int64_t left = tensor.getDimSize(stored.dim + 1);
  for (int64_t part : numbers.asArrayRef().drop_front()) {
    if (part < 1 || stored.order.groups < 1 || part % stored.order.groups != 0 || part / stored.order.groups > left)
      return std::nullopt;
    left -= part / stored.order.groups;
    stored.order.parts.push_back(part);
  }
  return left == 0 ? std::optional(stored) : std::nullopt;
}

} // namespace partita::program
