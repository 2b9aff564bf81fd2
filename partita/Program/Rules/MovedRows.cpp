//===- MovedRows.cpp - emits moves of rows between devices ----------------===//

#include "partita/Program/Rules/MovedRows.h"

#include "partita/Graph/RowMoves.h"
#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/LocalArithmetic.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::program::rules {

namespace {

class MoveEmitter {
public:
  MoveEmitter(OpBuilder &builder, Location loc, unsigned dim, int64_t rows, const Split &split)
      : builder(builder), loc(loc), emit{builder, loc}, dim(dim), rows(rows), split(split) {}

  Value run(ValueRange pieces, int64_t shift, Value fill);

private:
  /// Entry `split.index` of a table with a number for each device.
  Value pick(ArrayRef<int64_t> numbers);
  /// Indices that are `start` along `dim` and 0 along others.
  SmallVector<Value> makeStarts(unsigned rank, Value start);
  Value takeBlock(Value piece, int64_t count, ArrayRef<int64_t> starts);
  void addRound(Value piece, const graph::MoveRound &round, int64_t shift, bool isKept);

  OpBuilder &builder;
  Location loc;
  LocalArithmetic emit;
  unsigned dim;
  int64_t rows;
  const Split &split;
  /// Rows before and behind the device's own.
  int64_t margin = 0;
  Value buffer;
};

} // namespace

Value MoveEmitter::pick(ArrayRef<int64_t> numbers) {
  if (llvm::all_equal(numbers))
    return emit.integer(numbers.front());
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  Value entry =
      stablehlo::DynamicSliceOp::create(builder, loc, type, emit.integers(numbers), split.index, ArrayRef<int64_t>{1});
  return stablehlo::ReshapeOp::create(builder, loc, type.clone(ArrayRef<int64_t>()), entry);
}

SmallVector<Value> MoveEmitter::makeStarts(unsigned rank, Value start) {
  SmallVector<Value> starts(rank, rank > 1 ? emit.integer(0) : Value());
  starts[dim] = start;
  return starts;
}

Value MoveEmitter::takeBlock(Value piece, int64_t count, ArrayRef<int64_t> starts) {
  auto type = cast<RankedTensorType>(piece.getType());
  if (count == type.getDimSize(dim))
    return piece;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = count;
  return stablehlo::DynamicSliceOp::create(builder, loc, type.clone(shape), piece,
                                           makeStarts(type.getRank(), pick(starts)), shape);
}

void MoveEmitter::addRound(Value piece, const graph::MoveRound &round, int64_t shift, bool isKept) {
  auto type = cast<RankedTensorType>(piece.getType());
  int64_t size = type.getDimSize(dim);
  // Devices that have nothing to send send what they like; where nothing arrives, it goes to the margin.
  SmallVector<int64_t> starts(split.parts, 0), places(split.parts, 0);
  FactorPermute permute{split.factor, {}};
  for (const graph::RowMove &move : round.moves) {
    starts[move.source] = std::min(move.begin - move.source * size, size - round.rows);
    places[move.target] = margin + move.source * size + starts[move.source] - (move.target * rows + shift);
    permute.pairs.emplace_back(move.source, move.target);
  }
  Value block = takeBlock(piece, round.rows, starts);
  if (!isKept)
    block = emitPermute(builder, loc, block, permute);
  buffer = stablehlo::DynamicUpdateSliceOp::create(builder, loc, buffer.getType(), buffer, block,
                                                   makeStarts(type.getRank(), pick(places)));
}

Value MoveEmitter::run(ValueRange pieces, int64_t shift, Value fill) {
  SmallVector<graph::RowMoves> plans;
  for (Value piece : pieces) {
    int64_t size = cast<RankedTensorType>(piece.getType()).getDimSize(dim) * split.parts;
    plans.push_back(graph::planRowMoves(size, rows * split.parts, shift, split.parts));
    margin = std::max(margin, plans.back().maxRows);
    shift -= size;
  }
  auto type = cast<RankedTensorType>(pieces.front().getType());
  SmallVector<int64_t> shape(type.getShape()), starts(shape.size(), 0), strides(shape.size(), 1);
  shape[dim] = rows + 2 * margin;
  buffer = emit.broadcast(fill ? fill : emit.zero(type), shape, {});
  for (auto [piece, plan] : llvm::reverse(llvm::zip_equal(pieces, plans))) {
    shift += cast<RankedTensorType>(piece.getType()).getDimSize(dim) * split.parts;
    if (!plan.kept.moves.empty())
      addRound(piece, plan.kept, shift, /*isKept=*/true);
    for (const graph::MoveRound &round : plan.rounds)
      addRound(piece, round, shift, /*isKept=*/false);
  }
  starts[dim] = margin;
  SmallVector<int64_t> limits(shape);
  limits[dim] = margin + rows;
  shape[dim] = rows;
  return stablehlo::SliceOp::create(builder, loc, type.clone(shape), buffer, starts, limits, strides);
}

/// Pieces of one length before and after: each has rows of two neighboring devices, at the same places everywhere.
static Value emitShift(OpBuilder &builder, Location loc, Value piece, unsigned dim, int64_t shift, const Split &split,
                       Value fill) {
  auto type = cast<RankedTensorType>(piece.getType());
  int64_t rows = type.getDimSize(dim), hops = llvm::divideFloorSigned(shift, rows), first = shift - hops * rows;
  Value begin = emitRowsOf(builder, loc, piece, dim, first, rows - first, -hops, split, fill);
  if (first == 0)
    return begin;
  Value end = emitRowsOf(builder, loc, piece, dim, 0, first, -hops - 1, split, fill);
  return stablehlo::ConcatenateOp::create(builder, loc, type, ValueRange{begin, end}, uint64_t(dim));
}

Value emitMovedRows(OpBuilder &builder, Location loc, ValueRange pieces, unsigned dim, int64_t rows, int64_t shift,
                    const Split &split, Value fill) {
  if (pieces.size() == 1 && getShape(pieces.front())[dim] == rows)
    return emitShift(builder, loc, pieces.front(), dim, shift, split, fill);
  return MoveEmitter(builder, loc, dim, rows, split).run(pieces, shift, fill);
}

} // namespace partita::program::rules
