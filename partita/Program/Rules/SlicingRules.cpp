//===- SlicingRules.cpp - dynamic_slice and dynamic_update_slice ----------===//
//
// A dim that is sliced whole has only one possible start, so it is parallel.
// For an indexed dim:
//
//   dynamic_slice:         ([a,b],[],[])->([a,c]) reduce(add)={b}
//   dynamic_update_slice:  ([a,b],[a,c],[],[])->([a,b]) replicate={c}
//
// b, slice: the operand is split. A device takes the rows of the slice that lie
// in its piece and for others the neutral element of addition. Exactly one
// device has a given row, so the sum is exact, -0.0 included. (What addition
// does to a signalling NaN it does here too.)
// c, slice: the result is split. A device takes its rows of the slice, at an
// offset from the slice's start.
// b, update: a device writes the rows of the update that fall in its piece and
// writes back what was there for others. It touches no more rows than the update
// has, so a cache that is updated in place still is.
//
// Start indices are clamped with global sizes, as in the whole op.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/IndexArithmetic.h"
#include "partita/Program/Rules/RuleBuilder.h"

using namespace mlir;

namespace partita::program::rules {

//===----------------------------------------------------------------------===//
// dynamic_slice
//===----------------------------------------------------------------------===//

static OpRule ruleOfDynamicSlice(stablehlo::DynamicSliceOp op, RuleContext &) {
  RuleBuilder rule(op);
  bool hasNeutral = findMaskCombiner(op.getType().getElementType()) != Combiner::None;
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip(getShape(op.getOperand()), op.getSliceSizes()))) {
    auto [size, sliceSize] = sizes;
    if (size == sliceSize) {
      rule.addParallel(size, {ofOperand(0, dim), ofResult(0, dim)});
      continue;
    }
    if (hasNeutral)
      rule.addSum(size, ofOperand(0, dim));
    rule.addParallel(sliceSize, ofResult(0, dim));
  }
  return rule.finish("the indexed dim of the operand stays whole: elements of this type have no zero to mask with");
}

namespace {

/// What a device takes of its piece of a dynamic_slice's operand, dim by dim.
struct LocalSlice {
  SmallVector<Value> starts;
  /// Rows of fill before and after the piece.
  SmallVector<int64_t> padding;
  /// If set, a scalar i1: whether the device has the slice at all.
  Value isPresent;
};

} // namespace

/// The index, in the whole dim, of the first row that the device takes.
static Value emitGlobalStart(stablehlo::DynamicSliceOp op, const LocalContext &local, int64_t dim, int64_t rows) {
  IndexEmitter index(local.builder, op.getLoc());
  int64_t limit = getShape(op.getOperand())[dim] - op.getSliceSizes()[dim];
  Value start = index.clampIndex(local.operands[1 + dim], limit);
  if (const Split *split = local.findResultDim(0, dim))
    start = index.add(start, local.emitOffset(op.getLoc(), *split, rows, local.builder.getI64Type()));
  return start;
}

/// Adds a dim whose operand is split. A single row is in the piece or not. Of several rows, some may be: rows of fill
/// replace the others, as many before and after the piece as the slice has.
static void addSplitDim(stablehlo::DynamicSliceOp op, const LocalContext &local, const Split &split, int64_t dim,
                        int64_t rows, LocalSlice &slice) {
  IndexEmitter index(local.builder, op.getLoc());
  int64_t pieceSize = getShape(local.operands[0])[dim];
  Value offset = local.emitOffset(op.getLoc(), split, pieceSize, local.builder.getI64Type());
  Value start = index.subtract(emitGlobalStart(op, local, dim, rows), offset);
  if (rows > 1) {
    slice.padding[dim] = rows;
    slice.starts.push_back(index.clamp(index.add(start, rows), 0, pieceSize + rows));
    return;
  }
  Value isHere = index.isWithin(start, 0, pieceSize);
  slice.isPresent =
      slice.isPresent
          ? stablehlo::AndOp::create(local.builder, op.getLoc(), isHere.getType(), slice.isPresent, isHere).getResult()
          : isHere;
  slice.starts.push_back(index.clamp(start, 0, pieceSize - 1));
}

static LocalSlice emitLocalSlice(stablehlo::DynamicSliceOp op, const LocalContext &local, ArrayRef<int64_t> rows) {
  LocalSlice slice;
  slice.padding.assign(rows.size(), 0);
  IndexEmitter index(local.builder, op.getLoc());
  for (auto [dim, size] : llvm::enumerate(getShape(op.getOperand()))) {
    const Split *split = local.findOperandDim(0, dim);
    if (size == op.getSliceSizes()[dim])
      slice.starts.push_back(index.constant(0));
    else if (split)
      addSplitDim(op, local, *split, dim, rows[dim], slice);
    else
      slice.starts.push_back(emitGlobalStart(op, local, dim, rows[dim]));
  }
  return slice;
}

static Value emitPadding(OpBuilder &builder, Value value, Value fill, ArrayRef<int64_t> padding) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, rows] : llvm::zip_equal(shape, padding))
    size += 2 * rows;
  SmallVector<int64_t> interior(shape.size(), 0);
  return stablehlo::PadOp::create(builder, fill.getLoc(), type.clone(shape), value, fill, padding, padding, interior);
}

static Value emitNeutral(OpBuilder &builder, Location loc, Type elementType) {
  DenseElementsAttr neutral = getIdentity(RankedTensorType::get({}, elementType), findMaskCombiner(elementType));
  return stablehlo::ConstantOp::create(builder, loc, neutral.getType(), neutral);
}

static bool isAnySplit(const LocalContext &local, Value whole, Value slice) {
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(getShape(whole), getShape(slice)))) {
    auto [size, sliceSize] = sizes;
    if (size != sliceSize && (local.findOperandDim(0, dim) || local.findResultDim(0, dim)))
      return true;
  }
  return false;
}

static Pieces localDynamicSlice(stablehlo::DynamicSliceOp op, const LocalContext &local) {
  OpBuilder &builder = local.builder;
  RankedTensorType type = local.getResultType(op, 0);
  if (!isAnySplit(local, op.getOperand(), op.getResult()))
    return {stablehlo::DynamicSliceOp::create(builder, op.getLoc(), type, local.operands[0],
                                              local.operands.drop_front(), type.getShape())};
  LocalSlice slice = emitLocalSlice(op, local, type.getShape());
  bool isPadded = llvm::any_of(slice.padding, [](int64_t rows) { return rows > 0; });
  Value piece = local.operands[0], fill;
  if (isPadded || slice.isPresent)
    fill = emitNeutral(builder, op.getLoc(), type.getElementType());
  if (isPadded)
    piece = emitPadding(builder, piece, fill, slice.padding);
  Value rows = stablehlo::DynamicSliceOp::create(builder, op.getLoc(), type, piece, slice.starts, type.getShape());
  if (!slice.isPresent)
    return {rows};
  Value absent = IndexEmitter(builder, op.getLoc()).broadcast(fill, type.getShape(), {});
  return {stablehlo::SelectOp::create(builder, op.getLoc(), type, slice.isPresent, rows, absent)};
}

//===----------------------------------------------------------------------===//
// dynamic_update_slice
//===----------------------------------------------------------------------===//

static OpRule ruleOfDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op, RuleContext &) {
  RuleBuilder rule(op);
  bool hasZero = findMaskCombiner(op.getType().getElementType()) != Combiner::None;
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip(getShape(op.getOperand()), getShape(op.getUpdate())))) {
    auto [size, updateSize] = sizes;
    if (size == updateSize)
      rule.addParallel(size, {ofOperand(0, dim), ofOperand(1, dim), ofResult(0, dim)});
    else if (hasZero)
      rule.addParallel(size, {ofOperand(0, dim), ofResult(0, dim)});
  }
  return rule.finish(hasZero ? "the update stays whole along the indexed dim: any device may hold its place"
                             : "the indexed dim stays whole: elements of this type have no zero to pad with");
}

namespace {

/// The window of a device's piece that an update may touch, and the rows of the update that fall in it.
struct LocalUpdate {
  SmallVector<Value> windowStarts;
  SmallVector<int64_t> windowShape;
  /// Rows added before and after the update so that any window can be taken from it, and the start of the window.
  SmallVector<int64_t> padding;
  SmallVector<Value> updateStarts;
  /// For each dim that is split: whether a row of the window is one of the update.
  SmallVector<std::pair<int64_t, Value>> masks;
};

} // namespace

/// The window is as long as the update or, if that is shorter, the piece. Row j of the window is row j + shift of the
/// update, if it has such a row.
static void addSplitDim(stablehlo::DynamicUpdateSliceOp op, const LocalContext &local, const Split &split, int64_t dim,
                        Value start, LocalUpdate &update) {
  IndexEmitter index(local.builder, op.getLoc());
  int64_t pieceSize = getShape(local.operands[0])[dim], updateSize = getShape(op.getUpdate())[dim];
  int64_t rows = std::min(pieceSize, updateSize);
  Value offset = local.emitOffset(op.getLoc(), split, pieceSize, local.builder.getI64Type());
  Value localStart = index.subtract(start, offset);
  Value windowStart = index.clamp(localStart, 0, pieceSize - rows);
  Value shift = index.subtract(windowStart, localStart);
  Value sources = index.add(index.iota(rows), index.broadcast(shift, rows, {}));
  update.windowStarts.push_back(windowStart);
  update.windowShape.push_back(rows);
  update.masks.push_back({dim, index.isWithin(sources, 0, updateSize)});
  // A single row is either there unshifted or masked.
  update.padding.push_back(updateSize == 1 ? 0 : rows);
  update.updateStarts.push_back(updateSize == 1 ? index.constant(0)
                                                : index.clamp(index.add(shift, rows), 0, updateSize + rows));
}

static LocalUpdate emitLocalUpdate(stablehlo::DynamicUpdateSliceOp op, const LocalContext &local) {
  LocalUpdate update;
  IndexEmitter index(local.builder, op.getLoc());
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip(getShape(op.getOperand()), getShape(op.getUpdate())))) {
    auto [size, updateSize] = sizes;
    const Split *split = local.findOperandDim(0, dim);
    Value start = index.clampIndex(local.operands[2 + dim], size - updateSize);
    if (split && size != updateSize) {
      addSplitDim(op, local, *split, dim, start, update);
      continue;
    }
    update.windowStarts.push_back(start);
    update.windowShape.push_back(getShape(local.operands[1])[dim]);
    update.padding.push_back(0);
    update.updateStarts.push_back(index.constant(0));
  }
  return update;
}

/// The update's rows in the window; arbitrary elements where the update has no row.
static Value emitUpdateRows(stablehlo::DynamicUpdateSliceOp op, const LocalContext &local, const LocalUpdate &update) {
  Value whole = local.operands[1];
  if (llvm::all_of(update.padding, [](int64_t rows) { return rows == 0; }))
    return whole;
  auto type = cast<RankedTensorType>(whole.getType());
  Value fill = emitNeutral(local.builder, op.getLoc(), type.getElementType());
  Value padded = emitPadding(local.builder, whole, fill, update.padding);
  return stablehlo::DynamicSliceOp::create(local.builder, op.getLoc(), type.clone(update.windowShape), padded,
                                           update.updateStarts, update.windowShape);
}

static Value emitMask(stablehlo::DynamicUpdateSliceOp op, const LocalContext &local, const LocalUpdate &update) {
  IndexEmitter index(local.builder, op.getLoc());
  Value mask;
  for (auto [dim, rowMask] : update.masks) {
    Value dimMask = index.broadcast(rowMask, update.windowShape, dim);
    mask = mask ? stablehlo::AndOp::create(local.builder, op.getLoc(), mask.getType(), mask, dimMask).getResult()
                : dimMask;
  }
  return mask;
}

static Pieces localDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op, const LocalContext &local) {
  OpBuilder &builder = local.builder;
  if (op.getUpdate().getType().getNumElements() == 0)
    return {local.operands[0]};
  if (!isAnySplit(local, op.getOperand(), op.getUpdate()))
    return emitSame(op, local);
  LocalUpdate update = emitLocalUpdate(op, local);
  auto windowType = op.getUpdate().getType().clone(update.windowShape);
  Value before = stablehlo::DynamicSliceOp::create(builder, op.getLoc(), windowType, local.operands[0],
                                                   update.windowStarts, update.windowShape);
  Value rows = emitUpdateRows(op, local, update);
  Value window =
      stablehlo::SelectOp::create(builder, op.getLoc(), windowType, emitMask(op, local, update), rows, before);
  return {stablehlo::DynamicUpdateSliceOp::create(builder, op.getLoc(), local.getResultType(op, 0), local.operands[0],
                                                  window, update.windowStarts)};
}

void registerSlicingRules(RuleTable &table) {
  table.add<stablehlo::DynamicSliceOp, ruleOfDynamicSlice, localDynamicSlice>();
  table.add<stablehlo::DynamicUpdateSliceOp, ruleOfDynamicUpdateSlice, localDynamicUpdateSlice>();
}

} // namespace partita::program::rules
