//===- StageShift.cpp - hands values from one stage to the next -----------===//

#include "partita/Program/Rules/StageShift.h"

#include "partita/Program/Rules/LocalArithmetic.h"

using namespace mlir;

namespace partita::program {

static constexpr llvm::StringLiteral shiftName = "part.shift";

Value emitStageShift(OpBuilder &builder, Location loc, Value value, int64_t by) {
  auto type = cast<RankedTensorType>(value.getType());
  Value fill = rules::LocalArithmetic{builder, loc}.zero(type);
  SmallVector<int64_t> low(type.getRank(), 0), high(type.getRank(), 0), interior(type.getRank(), 0);
  low.front() = by;
  high.front() = -by;
  auto made = stablehlo::PadOp::create(builder, loc, type, value, fill, low, high, interior);
  made->setDiscardableAttr(shiftName, builder.getUnitAttr());
  return made;
}

/// The rows that come to each place, of so many.
static SmallVector<int64_t> listRotated(int64_t count, int64_t by) {
  return llvm::map_to_vector(llvm::seq<int64_t>(0, count), [&](int64_t row) { return (row + count - by) % count; });
}

/// Of a gather of whole rows along dim 0, by their numbers.
static stablehlo::GatherDimensionNumbersAttr makeRowDims(MLIRContext *context, int64_t rank) {
  return stablehlo::GatherDimensionNumbersAttr::get(context, llvm::to_vector(llvm::seq<int64_t>(1, rank)),
                                                    /*collapsedSliceDims=*/{0}, {}, {}, /*startIndexMap=*/{0},
                                                    /*indexVectorDim=*/1);
}

Value emitStageRotation(OpBuilder &builder, Location loc, Value value, int64_t by) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sizes(type.getShape());
  sizes.front() = 1;
  auto rows = RankedTensorType::get({type.getDimSize(0), 1}, builder.getI64Type());
  Value numbers = rules::LocalArithmetic{builder, loc}.constant(
      DenseIntElementsAttr::get(rows, listRotated(type.getDimSize(0), by)));
  auto made = stablehlo::GatherOp::create(builder, loc, type, value, numbers,
                                          makeRowDims(builder.getContext(), type.getRank()), sizes,
                                          /*indices_are_sorted=*/false);
  made->setDiscardableAttr(shiftName, builder.getUnitAttr());
  return made;
}

/// By how much a gather moves all rows along dim 0, 1 or -1; nothing if it is no rotation.
static std::optional<int64_t> findRotation(stablehlo::GatherOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto constant = op.getStartIndices().getDefiningOp<stablehlo::ConstantOp>();
  auto rows = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : DenseIntElementsAttr();
  if (!rows || op.getOperand().getType() != type || type.getRank() == 0 ||
      op.getDimensionNumbers() != makeRowDims(op.getContext(), type.getRank()))
    return std::nullopt;
  for (int64_t by : {1, -1})
    if (llvm::equal(rows, listRotated(type.getDimSize(0), by),
                    [](const APInt &row, int64_t wanted) { return row.getSExtValue() == wanted; }))
      return by;
  return std::nullopt;
}

/// By how much the op moves elements, 1 or -1; nothing if it is neither shift nor rotation.
static std::optional<int64_t> findShift(Operation *op) {
  if (!op->hasAttr(shiftName))
    return std::nullopt;
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
    return findRotation(gather);
  auto pad = dyn_cast<stablehlo::PadOp>(op);
  if (!pad || pad.getEdgePaddingLow().empty())
    return std::nullopt;
  int64_t by = pad.getEdgePaddingLow().front();
  auto isZero = [](int64_t size) { return size == 0; };
  bool isAlongStages = llvm::all_of(pad.getEdgePaddingLow().drop_front(), isZero) &&
                       llvm::all_of(pad.getEdgePaddingHigh().drop_front(), isZero) &&
                       llvm::all_of(pad.getInteriorPadding(), isZero);
  return std::abs(by) == 1 && pad.getEdgePaddingHigh().front() == -by && isAlongStages ? std::optional(by)
                                                                                       : std::nullopt;
}

bool isStageShift(Operation *op) { return findShift(op).has_value(); }

Value emitShiftedRows(Operation *op, Value rows, const Split &split, OpBuilder &builder) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(rows.getType());
  int64_t count = type.getDimSize(0), by = *findShift(op);
  FactorPermute permute = makeNeighbors(split, by, /*isAround=*/isa<stablehlo::GatherOp>(op));
  auto take = [&](int64_t from, int64_t to) -> Value {
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()), strides(type.getRank(), 1);
    starts.front() = from;
    limits.front() = to;
    SmallVector<int64_t> shape(limits);
    shape.front() = to - from;
    return stablehlo::SliceOp::create(builder, loc, type.clone(shape), rows, starts, limits, strides);
  };
  if (count == 1)
    return emitPermute(builder, loc, rows, permute);
  Value edge = by > 0 ? take(count - 1, count) : take(0, 1);
  Value arrived = emitPermute(builder, loc, edge, permute);
  Value own = by > 0 ? take(0, count - 1) : take(1, count);
  SmallVector<Value> parts{arrived, own};
  if (by < 0)
    std::swap(parts[0], parts[1]);
  return stablehlo::ConcatenateOp::create(builder, loc, type, parts, uint64_t(0));
}

} // namespace partita::program
