//===- ShapeRules.cpp - constants and ops that move data ------------------===//
//
//   constant:          ()->([a,b])               a device has its part of the constant
//   iota:              ()->([a,b])               its part starts at an offset
//   broadcast_in_dim:  ([a,_])->([a,b,c])        expanded and new dims are the result's alone
//   transpose:         ([a,b])->([b,a])
//   reverse:           ([a,b])->([a,b]) reversed={b}    devices swap pieces
//   concatenate:       ([a,(bc)],[a,(bd)])->([a,(be)]) replicate={c,d,e} moved(0)={b}
//   slice, pad:        ([a,(bc)])->([a,(bd)]) replicate={c,d} moved(16)={b}
//   shift of stages:   ([a,b],[])->([a,b])       edges come from neighbors (StageShift.h)
//
// A dim that the op does not change is parallel. Along a dim on which elements
// move, rows go from device to device (MovedRows.h), if both sizes can be cut
// into the same number of pieces; else it is a `window`, and whole.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/IndexArithmetic.h"
#include "partita/Program/Rules/MovedRows.h"
#include "partita/Program/Rules/RuleBuilder.h"
#include "partita/Program/Rules/StageShift.h"

using namespace mlir;

namespace partita::program::rules {

//===----------------------------------------------------------------------===//
// Without operands
//===----------------------------------------------------------------------===//

template <typename OpT> static OpRule ruleOfConstant(OpT op, RuleContext &) {
  RuleBuilder rule(op);
  for (auto [dim, size] : llvm::enumerate(getShape(op->getResult(0))))
    rule.addParallel(size, ofResult(0, dim));
  return rule.finish("");
}

/// The device's index is known only at run time, so a constant that is not a splat is sliced from the whole.
template <typename OpT> static Pieces localConstant(OpT op, const LocalContext &local) {
  auto whole = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType type = local.getResultType(op, 0);
  auto emit = [&](RankedTensorType resultType, ElementsAttr value) -> Value {
    return stablehlo::ConstantOp::create(local.builder, op.getLoc(), resultType, value);
  };
  if (type == whole)
    return {emit(whole, op.getValue())};
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (dense && !dense.empty() && dense.isSplat())
    return {emit(type, dense.resizeSplat(dense.getType().clone(type.getShape())))};
  return {emitPieceOfWhole(local, emit(whole, op.getValue()), type)};
}

static OpRule ruleOfIota(stablehlo::IotaOp op, RuleContext &) {
  RuleBuilder rule(op);
  RankedTensorType type = op.getType();
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (dim != op.getIotaDimension() || !isQuantizedElement(type.getElementType()))
      rule.addParallel(size, ofResult(0, dim));
  return rule.finish("quantized numbers along the counted dim are not split");
}

/// Adds offset and index as integers and then converts: narrow floats would round both.
static Pieces localIota(stablehlo::IotaOp op, const LocalContext &local) {
  int64_t dim = op.getIotaDimension();
  const Split *split = local.findResultDim(0, dim);
  if (!split)
    return emitSame(op, local);
  OpBuilder &builder = local.builder;
  RankedTensorType type = local.getResultType(op, 0);
  bool isShort = op.getType().getDimSize(dim) <= INT32_MAX;
  Type counter = isShort ? builder.getI32Type() : builder.getI64Type();
  auto counterType = RankedTensorType::get(type.getShape(), counter);
  Value steps = stablehlo::IotaOp::create(builder, op.getLoc(), counterType, dim);
  Value start = local.emitOffset(op.getLoc(), *split, type.getDimSize(dim), counter);
  Value starts = stablehlo::BroadcastInDimOp::create(builder, op.getLoc(), counterType, start, ArrayRef<int64_t>());
  Value numbers = stablehlo::AddOp::create(builder, op.getLoc(), counterType, steps, starts);
  if (type == counterType)
    return {numbers};
  return {stablehlo::ConvertOp::create(builder, op.getLoc(), type, numbers)};
}

//===----------------------------------------------------------------------===//
// Broadcasts and order of dims
//===----------------------------------------------------------------------===//

/// Dim n of the operand is dim `dims[n]` of the result, where a dim of size one may be expanded.
static OpRule makePlacingRule(Operation *op, ArrayRef<int64_t> dims) {
  RuleBuilder rule(op);
  ArrayRef<int64_t> operandShape = getShape(op->getOperand(0));
  for (auto [resultDim, size] : llvm::enumerate(getShape(op->getResult(0)))) {
    const int64_t *found = llvm::find(dims, int64_t(resultDim));
    int64_t dim = found - dims.begin();
    if (found != dims.end() && operandShape[dim] == size)
      rule.addParallel(size, {ofOperand(0, dim), ofResult(0, resultDim)});
    else
      rule.addParallel(size, ofResult(0, resultDim));
  }
  return rule.finish("");
}

static OpRule ruleOfBroadcastInDim(stablehlo::BroadcastInDimOp op, RuleContext &) {
  return makePlacingRule(op, op.getBroadcastDimensions());
}

/// All new dims precede the operand's.
static OpRule ruleOfBroadcast(stablehlo::BroadcastOp op, RuleContext &) {
  int64_t numNew = op.getBroadcastSizes().size();
  int64_t rank = getShape(op.getOperand()).size();
  return makePlacingRule(op, llvm::to_vector(llvm::seq(numNew, numNew + rank)));
}

static Pieces localBroadcast(stablehlo::BroadcastOp op, const LocalContext &local) {
  RankedTensorType type = local.getResultType(op, 0);
  ArrayRef<int64_t> sizes = type.getShape().take_front(op.getBroadcastSizes().size());
  return {stablehlo::BroadcastOp::create(local.builder, op.getLoc(), type, local.operands[0], sizes)};
}

static OpRule ruleOfTranspose(stablehlo::TransposeOp op, RuleContext &) {
  RuleBuilder rule(op);
  for (auto [resultDim, dim] : llvm::enumerate(op.getPermutation()))
    rule.addParallel(getShape(op.getOperand()) [dim], { ofOperand(0, dim), ofResult(0, resultDim) });
  return rule.finish("");
}

//===----------------------------------------------------------------------===//
// Dims that stay, and dims along which elements move
//===----------------------------------------------------------------------===//

/// How an op changes a dim.
enum class DimChange {
  /// It is kept as it is.
  None,
  /// One element is taken from each block of the operand, or each element becomes a block of the result: equal blocks
  /// on one side correspond to single elements on the other.
  Blocks,
  /// Elements move.
  Moves,
};

/// The result has the operand's dims, changed as `getChange` says. Dims along which elements move are windows, unless
/// all move by what `getShift` gives.
static OpRule makeKeptDimsRule(Operation *op, llvm::function_ref<DimChange(int64_t dim)> getChange,
                               llvm::function_ref<std::optional<int64_t>(int64_t dim)> getShift, StringRef why) {
  RuleBuilder rule(op);
  ArrayRef<int64_t> resultShape = getShape(op->getResult(0));
  for (auto [dim, size] : llvm::enumerate(getShape(op->getOperand(0)))) {
    DimRef operand = ofOperand(0, dim), result = ofResult(0, dim);
    int64_t resultSize = resultShape[dim];
    DimChange change = getChange(dim);
    if (change == DimChange::Moves) {
      std::optional<int64_t> shift = getShift(dim);
      if (shift && rule.addMoved({operand, result}, *shift))
        continue;
      rule.addWindow(operand);
      rule.addWindow(result);
      continue;
    }
    int64_t count = std::min(size, resultSize);
    rule.addParallel(count, {operand, result});
    if (change == DimChange::Blocks)
      rule.addWhole(std::max(size, resultSize) / count, size < resultSize ? result : operand);
  }
  return rule.finish(why);
}

static OpRule ruleOfReverse(stablehlo::ReverseOp op, RuleContext &) {
  RuleBuilder rule(op);
  for (auto [dim, size] : llvm::enumerate(getShape(op.getOperand()))) {
    if (llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dim)))
      rule.addReversed(size, {ofOperand(0, dim), ofResult(0, dim)});
    else
      rule.addParallel(size, {ofOperand(0, dim), ofResult(0, dim)});
  }
  return rule.finish("");
}

/// Devices swap their pieces, and each reverses what it has.
static Pieces localReverse(stablehlo::ReverseOp op, const LocalContext &local) {
  Value rows = local.operands[0];
  for (const Split &split : local.splits) {
    if (!local.rule.factors[split.factor].isReversed)
      continue;
    FactorPermute swap{split.factor, {}};
    for (int64_t source = 0; source < split.parts; ++source)
      swap.pairs.emplace_back(source, split.parts - 1 - source);
    rows = emitPermute(local.builder, op.getLoc(), rows, swap);
  }
  SmallVector<Value> operands{rows};
  return emitSame(op, {local.builder, local.rule, operands, local.splits});
}

static OpRule ruleOfSlice(stablehlo::SliceOp op, RuleContext &) {
  ArrayRef<int64_t> shape = getShape(op.getOperand()), resultShape = getShape(op.getResult());
  return makeKeptDimsRule(
      op,
      [&](int64_t dim) {
        int64_t stride = op.getStrides()[dim];
        if (shape[dim] == resultShape[dim])
          return DimChange::None;
        return resultShape[dim] > 0 && shape[dim] == resultShape[dim] * stride && op.getStartIndices()[dim] < stride
                   ? DimChange::Blocks
                   : DimChange::Moves;
      },
      [&](int64_t dim) { return op.getStrides()[dim] == 1 ? std::optional(op.getStartIndices()[dim]) : std::nullopt; },
      "a dim that is cut stays whole if its rows are taken with a stride, or if no number of devices divides both "
      "sizes");
}

/// The splits of dims along which rows move, by dim; null for others.
static SmallVector<const Split *> findMoves(const LocalContext &local) {
  SmallVector<const Split *> moves;
  for (const DimFactors &factors : local.rule.results[0]) {
    const Split *split = factors.empty() ? nullptr : local.find(factors.front());
    moves.push_back(split && local.rule.factors[split->factor].shift ? split : nullptr);
  }
  return moves;
}

/// Moves rows of the value along each of these dims, one after the other.
static Value emitMoves(const LocalContext &local, Location loc, Value value, RankedTensorType type,
                       ArrayRef<const Split *> moves, Value fill = {}) {
  for (auto [dim, split] : llvm::enumerate(moves))
    if (split)
      value = emitMovedRows(local.builder, loc, value, dim, type.getDimSize(dim),
                            *local.rule.factors[split->factor].shift, *split, fill);
  return value;
}

/// The limit of a dim that is taken whole, or a part of each block, is the size of the piece. Dims along which rows
/// move come last.
static Pieces localSlice(stablehlo::SliceOp op, const LocalContext &local) {
  SmallVector<int64_t> starts(op.getStartIndices()), limits(op.getLimitIndices());
  SmallVector<const Split *> moves = findMoves(local);
  RankedTensorType type = local.getResultType(op, 0);
  ArrayRef<int64_t> whole = getShape(op.getOperand()), piece = getShape(local.operands[0]);
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(piece)) {
    if (size != whole[dim])
      limits[dim] = size;
    if (moves[dim]) {
      starts[dim] = 0;
      shape[dim] = size;
    }
  }
  Value rows = local.operands[0];
  if (shape != piece || llvm::none_of(moves, [](const Split *split) { return split; }))
    rows = stablehlo::SliceOp::create(local.builder, op.getLoc(), type.clone(shape), rows, starts, limits,
                                      op.getStrides());
  return {emitMoves(local, op.getLoc(), rows, type, moves)};
}

static OpRule ruleOfPad(stablehlo::PadOp op, RuleContext &) {
  ArrayRef<int64_t> shape = getShape(op.getOperand());
  return makeKeptDimsRule(
      op,
      [&](int64_t dim) {
        int64_t low = op.getEdgePaddingLow()[dim], high = op.getEdgePaddingHigh()[dim];
        int64_t interior = op.getInteriorPadding()[dim];
        if (dim == 0 && isStageShift(op))
          return DimChange::None;
        if (low == 0 && high == 0 && (interior == 0 || shape[dim] <= 1))
          return DimChange::None;
        return low >= 0 && high >= 0 && low + high == interior && shape[dim] > 0 ? DimChange::Blocks : DimChange::Moves;
      },
      [&](int64_t dim) {
        return op.getInteriorPadding()[dim] == 0 ? std::optional(-op.getEdgePaddingLow()[dim]) : std::nullopt;
      },
      "a padded dim stays whole if its elements are spread, or if no number of devices divides both sizes");
}

/// Whether it is a constant of zeros: what a permute gives where nothing arrives.
static bool isZero(Value value) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return elements && llvm::all_of(elements.getRawData(), [](char byte) { return byte == 0; });
}

static Pieces localPad(stablehlo::PadOp op, const LocalContext &local) {
  RankedTensorType type = local.getResultType(op, 0);
  auto emitPad = [&](RankedTensorType padded, ArrayRef<int64_t> low, ArrayRef<int64_t> high) -> Value {
    return stablehlo::PadOp::create(local.builder, op.getLoc(), padded, local.operands[0], local.operands[1], low, high,
                                    op.getInteriorPadding());
  };
  if (isStageShift(op)) {
    if (const Split *split = local.findOperandDim(0, 0))
      return {emitShiftedRows(op, local.operands[0], *split, local.builder)};
    return {emitPad(type, op.getEdgePaddingLow(), op.getEdgePaddingHigh())};
  }
  SmallVector<const Split *> moves = findMoves(local);
  if (llvm::none_of(moves, [](const Split *split) { return split; }))
    return emitSame(op, local);
  SmallVector<int64_t> low(op.getEdgePaddingLow()), high(op.getEdgePaddingHigh()), shape(type.getShape());
  for (auto [dim, split] : llvm::enumerate(moves))
    if (split) {
      low[dim] = high[dim] = 0;
      shape[dim] = getShape(local.operands[0])[dim];
    }
  // The size alone does not tell: a dim may lose as many rows as it gets.
  auto isPadded = [&](ArrayRef<int64_t> sizes) { return llvm::any_of(sizes, [](int64_t size) { return size != 0; }); };
  bool hasOthers = isPadded(low) || isPadded(high) || isPadded(op.getInteriorPadding());
  Value rows = hasOthers ? emitPad(type.clone(shape), low, high) : Value(local.operands[0]);
  Value fill = isZero(op.getPaddingValue()) ? Value() : Value(local.operands[1]);
  return {emitMoves(local, op.getLoc(), rows, type, moves, fill)};
}

/// Along the joined dim rows move, unless all but one of the operands are empty.
static void addJoinedDim(stablehlo::ConcatenateOp op, RuleBuilder &rule) {
  int64_t dim = op.getDimension();
  int64_t size = rule.getSize(ofResult(0, dim));
  auto inputs = llvm::seq<unsigned>(0, op.getInputs().size());
  auto onlyFull = llvm::find_if(inputs, [&](unsigned index) { return rule.getSize(ofOperand(index, dim)) == size; });
  if (onlyFull != inputs.end()) {
    rule.addParallel(size, {ofOperand(*onlyFull, dim), ofResult(0, dim)});
    return;
  }
  SmallVector<DimRef> dims{ofResult(0, dim)};
  for (unsigned index : inputs)
    dims.push_back(ofOperand(index, dim));
  if (rule.addMoved(dims, /*shift=*/0))
    return;
  for (DimRef joined : dims)
    rule.addWindow(joined);
}

static OpRule ruleOfConcatenate(stablehlo::ConcatenateOp op, RuleContext &) {
  RuleBuilder rule(op);
  for (auto [dim, size] : llvm::enumerate(getShape(op.getResult()))) {
    if (dim == op.getDimension())
      continue;
    SmallVector<DimRef> dims = {ofResult(0, dim)};
    for (unsigned index = 0; index < op.getInputs().size(); ++index)
      dims.push_back(ofOperand(index, dim));
    rule.addParallel(size, dims);
  }
  addJoinedDim(op, rule);
  return rule.finish("the joined dim stays whole if no number of devices divides the sizes of all operands");
}

static Pieces localConcatenate(stablehlo::ConcatenateOp op, const LocalContext &local) {
  auto dim = static_cast<unsigned>(op.getDimension());
  const Split *split = findMoves(local)[dim];
  if (!split)
    return emitSame(op, local);
  return {emitMovedRows(local.builder, op.getLoc(), local.operands, dim, local.getResultType(op, 0).getDimSize(dim),
                        *local.rule.factors[split->factor].shift, *split)};
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The size of the whole, whatever the device's piece is.
static OpRule ruleOfGetDimensionSize(stablehlo::GetDimensionSizeOp op, RuleContext &) {
  RuleBuilder rule(op);
  for (auto [dim, size] : llvm::enumerate(getShape(op.getOperand())))
    rule.addParallel(size, ofOperand(0, dim));
  return rule.finish("");
}

static Pieces localGetDimensionSize(stablehlo::GetDimensionSizeOp op, const LocalContext &local) {
  RankedTensorType operand = op.getOperand().getType();
  if (!operand.hasStaticShape())
    return emitSame(op, local);
  auto size = static_cast<int32_t>(operand.getDimSize(op.getDimension()));
  RankedTensorType type = op.getResult().getType();
  return {stablehlo::ConstantOp::create(local.builder, op.getLoc(), type, DenseElementsAttr::get(type, size))};
}

template <typename OpT> static OpRule ruleOfComputedShape(OpT op, RuleContext &) {
  return RuleBuilder(op).finish("an op whose shape is computed when the program runs is not split");
}

template <typename... Ops> static void addComputedShapes(RuleTable &table) {
  (table.add<Ops, ruleOfComputedShape<Ops>>(), ...);
}

void registerShapeRules(RuleTable &table) {
  using namespace stablehlo;
  table.add<ConstantOp, ruleOfConstant<ConstantOp>, localConstant<ConstantOp>>();
  table.add<chlo::ConstantOp, ruleOfConstant<chlo::ConstantOp>, localConstant<chlo::ConstantOp>>();
  table.add<sdy::ConstantOp, ruleOfConstant<sdy::ConstantOp>, localConstant<sdy::ConstantOp>>();
  table.add<IotaOp, ruleOfIota, localIota>();
  table.add<BroadcastInDimOp, ruleOfBroadcastInDim>();
  table.add<BroadcastOp, ruleOfBroadcast, localBroadcast>();
  table.add<TransposeOp, ruleOfTranspose>();
  table.add<ReverseOp, ruleOfReverse, localReverse>();
  table.add<SliceOp, ruleOfSlice, localSlice>();
  table.add<PadOp, ruleOfPad, localPad>();
  table.add<ConcatenateOp, ruleOfConcatenate, localConcatenate>();
  table.add<GetDimensionSizeOp, ruleOfGetDimensionSize, localGetDimensionSize>();
  addComputedShapes<DynamicBroadcastInDimOp, DynamicIotaOp, DynamicPadOp, DynamicReshapeOp, RealDynamicSliceOp,
                    SetDimensionSizeOp>(table);
}

} // namespace partita::program::rules
