//===- MicroPieces.cpp - emits pieces of values and what becomes of them --===//

#include "partita/Temporal/MicroPieces.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/LocalArithmetic.h"

using namespace mlir;

namespace partita::temporal {

RankedTensorType MicroPieces::getPieceType(RankedTensorType whole, RowDigit digit) const {
  SmallVector<int64_t> shape(whole.getShape());
  shape[digit.dim] /= count;
  return whole.clone(shape);
}

/// The shape of `whole` with the digit's dim replaced by its view, of which the middle dim has size `size`.
static SmallVector<int64_t> makeViewShape(RankedTensorType whole, RowDigit digit, int64_t count, int64_t size) {
  ArrayRef<int64_t> shape = whole.getShape();
  SmallVector<int64_t> view(shape.take_front(digit.dim));
  view.push_back(shape[digit.dim] / (digit.stride * count));
  view.push_back(size);
  if (digit.stride > 1)
    view.push_back(digit.stride);
  llvm::append_range(view, shape.drop_front(digit.dim + 1));
  return view;
}

RankedTensorType MicroPieces::getViewType(RankedTensorType whole, RowDigit digit) const {
  return whole.clone(makeViewShape(whole, digit, count, count));
}

Value MicroPieces::reshape(Value value, RankedTensorType type) const {
  if (value.getType() == type)
    return value;
  return stablehlo::ReshapeOp::create(builder, loc, type, value);
}

/// Starts of a slice of the view: zero but for the middle dim.
static SmallVector<Value> makeStarts(const MicroPieces &emit, RankedTensorType view, RowDigit digit, Value index) {
  SmallVector<Value> starts(view.getRank(), emit.emitInteger(0));
  starts[digit.dim + 1] = index;
  return starts;
}

Value MicroPieces::emitPiece(Value view, RankedTensorType whole, RowDigit digit, Value index) const {
  auto viewType = cast<RankedTensorType>(view.getType());
  SmallVector<int64_t> shape = makeViewShape(whole, digit, count, 1);
  Value slice = stablehlo::DynamicSliceOp::create(builder, loc, whole.clone(shape), view,
                                                  makeStarts(*this, viewType, digit, index), shape);
  return reshape(slice, getPieceType(whole, digit));
}

Value MicroPieces::emitUpdate(Value view, Value piece, RankedTensorType whole, RowDigit digit, Value index) const {
  auto viewType = cast<RankedTensorType>(view.getType());
  Value slice = reshape(piece, whole.clone(makeViewShape(whole, digit, count, 1)));
  return stablehlo::DynamicUpdateSliceOp::create(builder, loc, viewType, view, slice,
                                                 makeStarts(*this, viewType, digit, index));
}

Value MicroPieces::emitZeros(RankedTensorType type) const {
  rules::LocalArithmetic emit{builder, loc};
  return emit.broadcast(emit.zero(type), type.getShape(), {});
}

Value MicroPieces::emitInteger(int64_t value) const { return rules::LocalArithmetic{builder, loc}.integer(value); }

Value MicroPieces::emitIsFirst(Value index) const {
  rules::LocalArithmetic emit{builder, loc};
  return emit.compare(stablehlo::ComparisonDirection::EQ, index, emit.integer(0));
}

Value MicroPieces::emitCountedOnce(Value value, Value index) const {
  rules::LocalArithmetic emit{builder, loc};
  Value zero = emit.constant(rules::getIdentity(cast<RankedTensorType>(value.getType()), Combiner::Add));
  return emit.select(emitIsFirst(index), value, zero);
}

static Value emitCombination(OpBuilder &builder, Location loc, Combiner combiner, Value a, Value b) {
  using namespace stablehlo;
  Type type = a.getType();
  switch (combiner) {
  case Combiner::Add:
    return AddOp::create(builder, loc, type, a, b);
  case Combiner::Multiply:
    return MulOp::create(builder, loc, type, a, b);
  case Combiner::Maximum:
    return MaxOp::create(builder, loc, type, a, b);
  case Combiner::Minimum:
    return MinOp::create(builder, loc, type, a, b);
  case Combiner::And:
    return AndOp::create(builder, loc, type, a, b);
  case Combiner::Or:
    return OrOp::create(builder, loc, type, a, b);
  case Combiner::Xor:
    return XorOp::create(builder, loc, type, a, b);
  case Combiner::None:
    break;
  }
  llvm_unreachable("a term without a combiner");
}

Value MicroPieces::emitCombined(Combiner combiner, Value sum, Value term, Value index) const {
  Value combined = emitCombination(builder, loc, combiner, sum, term);
  if (combiner == Combiner::Add)
    return combined;
  return rules::LocalArithmetic{builder, loc}.select(emitIsFirst(index), term, combined);
}

} // namespace partita::temporal
