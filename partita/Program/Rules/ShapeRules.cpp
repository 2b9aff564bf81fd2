//===- ShapeRules.cpp - constants and ops that move data ------------------===//
//
//   constant:          ()->([a,b])               a device has its part of the constant
//   iota:              ()->([a,b])               its part starts at an offset
//   broadcast_in_dim:  ([a,_])->([a,b,c])        expanded and new dims are the result's alone
//   transpose:         ([a,b])->([b,a])
//   reverse:           ([a,b])->([a,c]) window={b,c}
//   concatenate:       ([a,b],[a,c])->([a,d]) window={b,c,d}
//   slice, pad:        ([a,b])->([a,c]) window={b,c}
//   shift of stages:   ([a,b],[])->([a,b])       edges come from neighbors (StageShift.h)
//
// A dim that the op does not change is parallel. A dim along which elements
// move needs its neighbors: `window`.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/IndexArithmetic.h"
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

/// The result has the operand's dims, changed as `getChange` says; dims along which elements move are windows.
static OpRule makeKeptDimsRule(Operation *op, llvm::function_ref<DimChange(int64_t dim)> getChange, StringRef why) {
  RuleBuilder rule(op);
  ArrayRef<int64_t> resultShape = getShape(op->getResult(0));
  for (auto [dim, size] : llvm::enumerate(getShape(op->getOperand(0)))) {
    DimRef operand = ofOperand(0, dim), result = ofResult(0, dim);
    int64_t resultSize = resultShape[dim];
    DimChange change = getChange(dim);
    if (change == DimChange::Moves) {
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
  return makeKeptDimsRule(
      op, [&](int64_t dim) { return llvm::is_contained(op.getDimensions(), dim) ? DimChange::Moves : DimChange::None; },
      "a reversed dim stays whole: the pieces would change places between devices");
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
      "a dim that is cut stays whole: its pieces would move between devices");
}

/// The limit of a dim that is taken whole, or a part of each block, is the size of the piece.
static Pieces localSlice(stablehlo::SliceOp op, const LocalContext &local) {
  SmallVector<int64_t> limits(op.getLimitIndices());
  ArrayRef<int64_t> whole = getShape(op.getOperand());
  for (auto [dim, size] : llvm::enumerate(getShape(local.operands[0])))
    if (size != whole[dim])
      limits[dim] = size;
  return {stablehlo::SliceOp::create(local.builder, op.getLoc(), local.getResultType(op, 0), local.operands[0],
                                     op.getStartIndices(), limits, op.getStrides())};
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
      "a padded dim stays whole: its pieces would move between devices");
}

/// A device's rows after a shift by one: all but one are its own, that one comes from its neighbor.
static Value emitShiftedRows(stablehlo::PadOp op, const LocalContext &local, uint8_t factor) {
  OpBuilder &builder = local.builder;
  Location loc = op.getLoc();
  Value rows = local.operands[0];
  auto type = cast<RankedTensorType>(rows.getType());
  int64_t count = type.getDimSize(0), by = getShift(op);
  auto take = [&](int64_t from, int64_t to) -> Value {
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()), strides(type.getRank(), 1);
    starts.front() = from;
    limits.front() = to;
    SmallVector<int64_t> shape(limits);
    shape.front() = to - from;
    return stablehlo::SliceOp::create(builder, loc, type.clone(shape), rows, starts, limits, strides);
  };
  if (count == 1)
    return emitNeighbor(builder, loc, rows, {factor, by});
  Value edge = by > 0 ? take(count - 1, count) : take(0, 1);
  Value arrived = emitNeighbor(builder, loc, edge, {factor, by});
  Value own = by > 0 ? take(0, count - 1) : take(1, count);
  SmallVector<Value> parts{arrived, own};
  if (by < 0)
    std::swap(parts[0], parts[1]);
  return stablehlo::ConcatenateOp::create(builder, loc, type, parts, uint64_t(0));
}

static Pieces localPad(stablehlo::PadOp op, const LocalContext &local) {
  if (!isStageShift(op))
    return emitSame(op, local);
  if (const Split *split = local.findOperandDim(0, 0))
    return {emitShiftedRows(op, local, split->factor)};
  return {stablehlo::PadOp::create(local.builder, op.getLoc(), local.getResultType(op, 0), local.operands[0],
                                   local.operands[1], op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
                                   op.getInteriorPadding())};
}

/// Along the joined dim pieces would move, unless all but one of the operands are empty.
static void addJoinedDim(stablehlo::ConcatenateOp op, RuleBuilder &rule) {
  int64_t dim = op.getDimension();
  int64_t size = rule.getSize(ofResult(0, dim));
  auto inputs = llvm::seq<unsigned>(0, op.getInputs().size());
  auto onlyFull = llvm::find_if(inputs, [&](unsigned index) { return rule.getSize(ofOperand(index, dim)) == size; });
  if (onlyFull != inputs.end()) {
    rule.addParallel(size, {ofOperand(*onlyFull, dim), ofResult(0, dim)});
    return;
  }
  rule.addWindow(ofResult(0, dim));
  for (unsigned index : inputs)
    rule.addWindow(ofOperand(index, dim));
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
  return rule.finish("the joined dim stays whole: its pieces would move between devices");
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
  table.add<ReverseOp, ruleOfReverse>();
  table.add<SliceOp, ruleOfSlice, localSlice>();
  table.add<PadOp, ruleOfPad, localPad>();
  table.add<ConcatenateOp, ruleOfConcatenate>();
  table.add<GetDimensionSizeOp, ruleOfGetDimensionSize, localGetDimensionSize>();
  addComputedShapes<DynamicBroadcastInDimOp, DynamicIotaOp, DynamicPadOp, DynamicReshapeOp, RealDynamicSliceOp,
                    SetDimensionSizeOp>(table);
}

} // namespace partita::program::rules
