//===- RaggedDotRules.cpp - ragged dots: rows in groups -------------------===//
//
// `group_sizes` divides the ragged dim r of lhs into runs, one for each group
// g:
//
//   free         ([b,r,k],[g,b,k,n],[h])->([b,r,n]) reduce(add)={g,k} replicate={h}
//   contracting  ([b,m,r],[b,r,n],[h])->([g,b,m,n]) reduce(add)={r} replicate={h}
//   batching     ([r,m,k],[r,k,n],[h])->([r,m,n]) reduce(add)={k} replicate={h}
//
// The last case does not read the sizes: r is a batching dim like others. The
// sizes themselves, h, are whole on every device. In the other cases:
//
// Group j has the rows from s_j up to s_(j+1), where s is the running sum of
// the sizes. Of a piece of m rows that starts at row o it has those from
// clamp(s_j - o, 0, m) up to clamp(s_(j+1) - o, 0, m), so the differences of
// these are the sizes of the groups in the piece; rows behind the last group
// stay behind it. A size below 0 counts as 0, and one beyond the rows as all of
// them, so that the sums never decrease.
//
// A device with groups j up to j' computes their rows alone. It shifts them to
// the front, so that its op has the sizes of its own groups and no others, and
// shifts the rows of the result back, in the free case. Rows of other groups are
// zero there: a device adds nothing to them. Sizes that differ by batch would
// need a shift for each, so their groups stay whole.
//
//===----------------------------------------------------------------------===//

#include "partita/Program/Rules/RaggedDotRules.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/DotShape.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/IndexArithmetic.h"
#include "partita/Program/Rules/LocalArithmetic.h"
#include "partita/Program/Rules/RuleBuilder.h"

using namespace mlir;

namespace partita::program::rules {

namespace {

/// The dims of a ragged dot by role.
struct RaggedDims {
  stablehlo::DotDims dot;
  int64_t ragged;
  SmallVector<int64_t> lhsFree;
  /// Of rhs, without its group dim.
  SmallVector<int64_t> rhsFree;
  /// The dims of lhs that `group_sizes` has before the groups; none if the sizes hold for all alike.
  SmallVector<int64_t> prefix;

  /// Of rhs; in the contracting case it has none, and the result's groups are its dim 0.
  std::optional<int64_t> rhsGroup;

  bool isBatching() const { return llvm::is_contained(dot.lhsBatching, ragged); }
  bool isContracting() const { return llvm::is_contained(dot.lhsContracting, ragged); }
};

} // namespace

static SmallVector<int64_t> getPrefix(const RaggedDims &dims) {
  auto isBeforeRagged = [&](int64_t dim) { return dim != dims.ragged; };
  if (dims.isBatching())
    return SmallVector<int64_t>(dims.dot.lhsBatching.take_while(isBeforeRagged));
  SmallVector<int64_t> prefix(dims.dot.lhsBatching);
  ArrayRef<int64_t> alike = dims.isContracting() ? dims.dot.lhsContracting : ArrayRef(dims.lhsFree);
  llvm::append_range(prefix, alike.take_while(isBeforeRagged));
  return prefix;
}

static RaggedDims getRaggedDims(chlo::RaggedDotOp op) {
  chlo::RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  RaggedDims dims;
  dims.dot = {numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions(),
              numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()};
  dims.ragged = numbers.getLhsRaggedDimensions().front();
  dims.lhsFree = stablehlo::getOtherDims(getShape(op.getLhs()).size(), {dims.dot.lhsBatching, dims.dot.lhsContracting});
  dims.rhsFree = stablehlo::getOtherDims(
      getShape(op.getRhs()).size(), {dims.dot.rhsBatching, dims.dot.rhsContracting, numbers.getRhsGroupDimensions()});
  if (!numbers.getRhsGroupDimensions().empty())
    dims.rhsGroup = numbers.getRhsGroupDimensions().front();
  if (getShape(op.getGroupSizes()).size() > 1)
    dims.prefix = getPrefix(dims);
  return dims;
}

/// Sums of narrow sizes may wrap around in the whole op; ours do not.
static bool canSplitRagged(chlo::RaggedDotOp op, const RaggedDims &dims) {
  return dims.isBatching() || getElementTypeOrSelf(op.getGroupSizes().getType()).getIntOrFloatBitWidth() >= 32;
}

/// Rows are shifted by one number, and what stands in for those of other groups is a zero.
static bool canSplitGroups(chlo::RaggedDotOp op, const RaggedDims &dims) {
  auto hasZero = [](Value value) { return findMaskCombiner(getElementTypeOrSelf(value.getType())) != Combiner::None; };
  return !dims.isBatching() && canSplitRagged(op, dims) && getShape(op.getGroupSizes()).size() == 1 &&
         hasZero(op.getLhs()) && hasZero(op.getRhs()) && hasZero(op.getResult());
}

static OpRule ruleOfRaggedDot(chlo::RaggedDotOp op, RuleContext &) {
  static constexpr StringRef why = "sizes of groups stay whole: where a group begins depends on all before it";
  RuleBuilder rule(op);
  if (!hasStaticShapes(op))
    return rule.finish(why);
  RaggedDims dims = getRaggedDims(op);
  ArrayRef<int64_t> lhs = getShape(op.getLhs()), rhs = getShape(op.getRhs());
  /// The dim of lhs, and that of `group_sizes` which goes with it.
  auto dimsOfLhs = [&](int64_t dim) {
    SmallVector<DimRef> list = {ofOperand(0, dim)};
    if (auto it = llvm::find(dims.prefix, dim); it != dims.prefix.end())
      list.push_back(ofOperand(2, it - dims.prefix.begin()));
    return list;
  };
  auto isWhole = [&](int64_t dim) { return dim == dims.ragged && !canSplitRagged(op, dims); };
  auto addParallel = [&](int64_t lhsDim, SmallVector<DimRef> others) {
    if (isWhole(lhsDim))
      return;
    llvm::append_range(others, dimsOfLhs(lhsDim));
    rule.addParallel(lhs[lhsDim], others);
  };
  int64_t resultDim = dims.isContracting() ? 1 : 0;
  for (auto [lhsDim, rhsDim] : llvm::zip_equal(dims.dot.lhsBatching, dims.dot.rhsBatching))
    addParallel(lhsDim, {ofOperand(1, rhsDim), ofResult(0, resultDim++)});
  for (int64_t dim : dims.lhsFree)
    addParallel(dim, {ofResult(0, resultDim++)});
  for (int64_t dim : dims.rhsFree)
    rule.addParallel(rhs[dim], {ofOperand(1, dim), ofResult(0, resultDim++)});
  for (auto [lhsDim, rhsDim] : llvm::zip_equal(dims.dot.lhsContracting, dims.dot.rhsContracting)) {
    SmallVector<DimRef> list = dimsOfLhs(lhsDim);
    list.push_back(ofOperand(1, rhsDim));
    if (!isWhole(lhsDim))
      rule.addSum(lhs[lhsDim], list);
  }
  if (canSplitGroups(op, dims)) {
    int64_t numGroups = getShape(op.getGroupSizes()).back();
    if (dims.isContracting())
      rule.addParallel(numGroups, {ofResult(0, 0)});
    else
      rule.addSum(numGroups, {ofOperand(1, *dims.rhsGroup)});
  }
  return rule.finish(why);
}

//===----------------------------------------------------------------------===//
// Local form
//===----------------------------------------------------------------------===//

/// Running sums of i64 sizes along their last dim: entry j of the result is the sum of the entries i with
/// i < j (or i <= j). A product with a triangle of ones.
static Value emitRunningSums(OpBuilder &builder, Location loc, Value sizes, bool isInclusive) {
  auto type = cast<RankedTensorType>(sizes.getType());
  int64_t last = type.getRank() - 1, numGroups = type.getDimSize(last);
  auto square = RankedTensorType::get({numGroups, numGroups}, builder.getI64Type());
  Value rows = stablehlo::IotaOp::create(builder, loc, square, 0);
  Value columns = stablehlo::IotaOp::create(builder, loc, square, 1);
  auto direction = isInclusive ? stablehlo::ComparisonDirection::LE : stablehlo::ComparisonDirection::LT;
  Value isBefore = stablehlo::CompareOp::create(
      builder, loc, square.clone(builder.getI1Type()), rows, columns,
      stablehlo::ComparisonDirectionAttr::get(builder.getContext(), direction),
      stablehlo::ComparisonTypeAttr::get(builder.getContext(), stablehlo::ComparisonType::SIGNED));
  Value triangle = stablehlo::ConvertOp::create(builder, loc, square, isBefore);
  int64_t rowDim = 0;
  auto dims = stablehlo::DotDimensionNumbersAttr::get(builder.getContext(), {}, {}, last, rowDim);
  return stablehlo::DotGeneralOp::create(builder, loc, type, sizes, triangle, dims, ArrayAttr(),
                                         stablehlo::DotAlgorithmAttr());
}

namespace {

/// Where the groups begin and end in the device's rows, in i64.
struct GroupBounds {
  Value starts, ends;
};

} // namespace

/// The bounds of all groups in the device's `numRows` rows. `rows` is the split of the ragged dim, if it is split.
static GroupBounds emitGroupBounds(chlo::RaggedDotOp op, const LocalContext &local, const Split *rows,
                                   int64_t numRows) {
  OpBuilder &builder = local.builder;
  Location loc = op.getLoc();
  IndexEmitter index(builder, loc);
  int64_t wholeRows = getShape(op.getLhs())[getRaggedDims(op).ragged];
  Value sizes =
      index.clamp(LocalArithmetic{builder, loc}.convert(local.operands[2], builder.getI64Type()), 0, wholeRows);
  Value offsets;
  if (rows)
    offsets = index.broadcast(local.emitOffset(loc, *rows, numRows, builder.getI64Type()), getShape(sizes), {});
  auto emitBounds = [&](bool isInclusive) {
    Value sums = emitRunningSums(builder, loc, sizes, isInclusive);
    return index.clamp(rows ? index.subtract(sums, offsets) : sums, 0, numRows);
  };
  Value ends = emitBounds(/*isInclusive=*/true);
  return {emitBounds(/*isInclusive=*/false), ends};
}

/// Sizes of groups, in the type of the op's own.
static Value emitSizes(chlo::RaggedDotOp op, OpBuilder &builder, const GroupBounds &bounds) {
  Value sizes = IndexEmitter(builder, op.getLoc()).subtract(bounds.ends, bounds.starts);
  Type elementType = getElementTypeOrSelf(op.getGroupSizes().getType());
  return LocalArithmetic{builder, op.getLoc()}.convert(sizes, elementType);
}

static Value emitZero(OpBuilder &builder, Location loc, Type elementType) {
  DenseElementsAttr zero = getIdentity(RankedTensorType::get({}, elementType), findMaskCombiner(elementType));
  return stablehlo::ConstantOp::create(builder, loc, zero.getType(), zero);
}

/// `value` with its rows along `dim` moved by a scalar number of rows: toward row 0, or away from it. Rows that are
/// moved in are zero.
static Value emitShifted(OpBuilder &builder, Location loc, Value value, int64_t dim, Value distance, bool isForward) {
  auto type = cast<RankedTensorType>(value.getType());
  IndexEmitter index(builder, loc);
  int64_t size = type.getDimSize(dim);
  SmallVector<int64_t> none(type.getRank(), 0), more(none), shape(type.getShape());
  more[dim] = size;
  shape[dim] *= 2;
  Value zero = emitZero(builder, loc, type.getElementType());
  Value padded = stablehlo::PadOp::create(builder, loc, type.clone(shape), value, zero, isForward ? none : more,
                                          isForward ? more : none, none);
  SmallVector<Value> starts(type.getRank(), index.constant(0));
  starts[dim] = isForward ? distance : index.subtract(index.constant(size), distance);
  return stablehlo::DynamicSliceOp::create(builder, loc, type, padded, starts, type.getShape());
}

/// `value` where its row along `dim` is below `numRows`, and zero elsewhere. What an op leaves in rows of no group is
/// not the same on every platform.
static Value emitFirstRows(OpBuilder &builder, Location loc, Value value, int64_t dim, Value numRows) {
  ArrayRef<int64_t> shape = getShape(value);
  IndexEmitter index(builder, loc);
  LocalArithmetic arithmetic{builder, loc};
  Value limits = index.broadcast(numRows, shape[dim], {});
  Value isBelow = arithmetic.compare(stablehlo::ComparisonDirection::LT, index.iota(shape[dim]), limits);
  Value zero = emitZero(builder, loc, getElementTypeOrSelf(value.getType()));
  return arithmetic.select(index.broadcast(isBelow, shape, dim), value, index.broadcast(zero, shape, {}));
}

/// Entry `position`, a scalar, of a vector.
static Value emitEntry(OpBuilder &builder, Location loc, Value vector, Value position) {
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  Value entry =
      stablehlo::DynamicSliceOp::create(builder, loc, scalar.clone(1), vector, position, ArrayRef<int64_t>(1));
  return stablehlo::ReshapeOp::create(builder, loc, scalar, entry);
}

/// The op on the device's own groups.
static Pieces emitOwnGroups(chlo::RaggedDotOp op, const LocalContext &local, const RaggedDims &dims,
                            const Split &groups, const GroupBounds &bounds) {
  OpBuilder &builder = local.builder;
  Location loc = op.getLoc();
  IndexEmitter index(builder, loc);
  int64_t numGroups = getShape(op.getGroupSizes()).back() / groups.parts;
  Value first = local.emitOffset(loc, groups, numGroups, builder.getI64Type());
  auto type = RankedTensorType::get(numGroups, builder.getI64Type());
  auto emitOwn = [&](Value ofAll) -> Value {
    return stablehlo::DynamicSliceOp::create(builder, loc, type, ofAll, first, ArrayRef<int64_t>(numGroups));
  };
  GroupBounds own = {emitOwn(bounds.starts), emitOwn(bounds.ends)};
  Value start = emitEntry(builder, loc, own.starts, index.constant(0));
  SmallVector<Value> operands(local.operands);
  operands[0] = emitShifted(builder, loc, operands[0], dims.ragged, start, /*isForward=*/true);
  operands[2] = emitSizes(op, builder, own);
  if (dims.isContracting()) {
    size_t position = llvm::find(dims.dot.lhsContracting, dims.ragged) - dims.dot.lhsContracting.begin();
    operands[1] = emitShifted(builder, loc, operands[1], dims.dot.rhsContracting[position], start, /*isForward=*/true);
  }
  Pieces pieces = emitSame(op, LocalContext{builder, local.rule, operands, local.splits});
  if (dims.isContracting())
    return pieces;
  int64_t rowDim = dims.dot.lhsBatching.size() + (llvm::find(dims.lhsFree, dims.ragged) - dims.lhsFree.begin());
  Value end = emitEntry(builder, loc, own.ends, index.constant(numGroups - 1));
  Value rows = emitFirstRows(builder, loc, pieces.front(), rowDim, index.subtract(end, start));
  return {emitShifted(builder, loc, rows, rowDim, start, /*isForward=*/false)};
}

static Pieces localRaggedDot(chlo::RaggedDotOp op, const LocalContext &local) {
  RaggedDims dims = getRaggedDims(op);
  const Split *rows = local.findOperandDim(0, dims.ragged);
  const Split *groups = nullptr;
  if (dims.isContracting())
    groups = local.findResultDim(0, 0);
  else if (dims.rhsGroup)
    groups = local.findOperandDim(1, *dims.rhsGroup);
  if (dims.isBatching() || (!rows && !groups))
    return emitSame(op, local);
  GroupBounds bounds = emitGroupBounds(op, local, rows, getShape(local.operands[0])[dims.ragged]);
  if (groups)
    return emitOwnGroups(op, local, dims, *groups, bounds);
  SmallVector<Value> operands(local.operands);
  operands[2] = emitSizes(op, local.builder, bounds);
  return emitSame(op, LocalContext{local.builder, local.rule, operands, local.splits});
}

void registerRaggedDotRules(RuleTable &table) { table.add<chlo::RaggedDotOp, ruleOfRaggedDot, localRaggedDot>(); }

} // namespace partita::program::rules
