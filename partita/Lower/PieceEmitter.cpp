//===- PieceEmitter.cpp - emits products in pieces and their permutes -----===//

#include "partita/Lower/PieceEmitter.h"

#include "partita/Program/PieceLocations.h"

using namespace mlir;

namespace partita::lower {

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

static RankedTensorType withDim(RankedTensorType type, uint32_t dim, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

static Value emitNumber(OpBuilder &builder, Location loc, int64_t number) {
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  return stablehlo::ConstantOp::create(builder, loc, DenseElementsAttr::get(scalar, number));
}

/// `size` elements of `dim` from `start` on.
static Value emitSliceAt(OpBuilder &builder, Location loc, Value value, uint32_t dim, Value start, int64_t size) {
  RankedTensorType type = withDim(getType(value), dim, size);
  SmallVector<Value> starts(type.getRank(), type.getRank() > 1 ? emitNumber(builder, loc, 0) : start);
  starts[dim] = start;
  return stablehlo::DynamicSliceOp::create(builder, loc, type, value, starts, type.getShape());
}

Value PieceEmitter::emitReshard(OpBuilder &builder, Location loc, ReshardId id, Value value) {
  const PiecedReshard &reshard = *pieced.find(id);
  if (reshard.isScatter)
    return value;
  SmallVector<Value> &rows = gathered[id];
  rows.assign(1, value);
  while (static_cast<int64_t>(rows.size()) < reshard.parts)
    rows.push_back(collectives.emitRotation(builder, loc, rows.back(), reshard.axes, 1));
  return reshard.isWhole ? putTogether(builder, loc, reshard, rows, reshard.dim) : Value();
}

/// The rows of all devices in order. The device has its own first, those of the next device behind them, and so on: in
/// two rounds of them, those of device 0 stand as far from the first end as the device from the last one.
Value PieceEmitter::putTogether(OpBuilder &builder, Location loc, const PiecedReshard &reshard, ArrayRef<Value> rows,
                                uint32_t dim) {
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  int64_t size = getType(rows.front()).getDimSize(dim), all = size * reshard.parts;
  SmallVector<Value> rounds(rows);
  llvm::append_range(rounds, rows);
  RankedTensorType type = withDim(getType(rows.front()), dim, 2 * all);
  Value row = stablehlo::ConcatenateOp::create(builder, loc, type, rounds, dim);
  Value back = stablehlo::MulOp::create(builder, loc, scalar, index.get(reshard.axes), emitNumber(builder, loc, -size));
  Value start = stablehlo::AddOp::create(builder, loc, scalar, back, emitNumber(builder, loc, all));
  return emitSliceAt(builder, loc, row, dim, start, all);
}

/// Of `dim`, the rows of the device whose place is larger by `shift`.
Value PieceEmitter::emitSlice(OpBuilder &builder, Location loc, const PiecedReshard &reshard, Value value, uint32_t dim,
                              int64_t shift) {
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  int64_t size = getType(value).getDimSize(dim) / reshard.parts;
  Value place = index.get(reshard.axes);
  if (shift != 0) {
    place = stablehlo::AddOp::create(builder, loc, scalar, place, emitNumber(builder, loc, shift));
    place = stablehlo::RemOp::create(builder, loc, scalar, place, emitNumber(builder, loc, reshard.parts));
  }
  Value start = stablehlo::MulOp::create(builder, loc, scalar, place, emitNumber(builder, loc, size));
  return emitSliceAt(builder, loc, value, dim, start, size);
}

/// Of all ops that a product becomes but its products, its permutes and the last op.
Location PieceEmitter::getHelperLocation(OpBuilder &builder, OpId op) const {
  return NameLoc::get(builder.getStringAttr(pieceLocationName), pieces.getLocation(op));
}

/// The product for `rows` in place of its operand.
Value PieceEmitter::emitRows(OpBuilder &builder, const PiecedReshard &reshard, const PiecedProduct &product,
                             SmallVector<Value> operands, Value rows) {
  Value &other = operands[1 - product.operand];
  auto barrier =
      stablehlo::OptimizationBarrierOp::create(builder, getHelperLocation(builder, product.op),
                                               TypeRange{rows.getType(), other.getType()}, ValueRange{rows, other});
  operands[product.operand] = barrier->getResult(0);
  other = barrier->getResult(1);
  return pieces.emitRows(builder, product.op, operands, product.factor, reshard.parts);
}

/// The terms of the other devices' rows first: they are on their way while the next ones are computed.
Value PieceEmitter::emitTerms(OpBuilder &builder, const PiecedReshard &reshard, const PiecedProduct &product,
                              SmallVector<Value> operands) {
  SmallVector<Value> terms;
  Location loc = NameLoc::get(builder.getStringAttr("partita/reduce"), pieces.getLocation(product.op));
  for (int64_t number = 1; number <= reshard.parts; ++number) {
    int64_t shift = number % reshard.parts;
    Value rows = emitSlice(builder, getHelperLocation(builder, product.op), reshard, operands[product.operand],
                           product.operandDim, shift);
    Value term = emitRows(builder, reshard, product, operands, rows);
    terms.push_back(shift == 0 ? term
                               : collectives.emitRotation(builder, loc, term, reshard.axes, reshard.parts - shift));
  }
  Value sum = terms.front();
  for (Value term : ArrayRef(terms).drop_front())
    sum = stablehlo::AddOp::create(builder, loc, sum.getType(), sum, term);
  return sum;
}

Value PieceEmitter::emitProduct(OpBuilder &builder, OpId op, ValueRange operands) {
  auto [reshard, product] = *pieced.find(op);
  if (reshard->isScatter)
    return emitTerms(builder, *reshard, *product, SmallVector<Value>(operands));
  SmallVector<Value> rows;
  for (Value piece : gathered[reshard->reshard])
    rows.push_back(emitRows(builder, *reshard, *product, SmallVector<Value>(operands), piece));
  Value result = putTogether(builder, getHelperLocation(builder, op), *reshard, rows, product->dim);
  result.getDefiningOp()->setLoc(pieces.getLocation(op));
  return result;
}

} // namespace partita::lower
