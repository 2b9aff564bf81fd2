//===- RaggedDotRules.cpp - ragged dots: rows in groups -------------------===//
//
// `group_sizes` divides the ragged dim r of lhs into runs, one for each group
// g:
//
//   free         ([b,r,k],[g,b,k,n],[b,g])->([b,r,n]) reduce(add)={k} replicate={g}
//   contracting  ([b,m,r],[b,r,n],[b,g])->([g,b,m,n]) reduce(add)={r} replicate={g}
//   batching     ([r,m,k],[r,k,n],[g])->([r,m,n]) reduce(add)={k} replicate={g}
//
// The last case does not read the sizes: r is a batching dim like others, and
// splitting g would split no work. In the others:
//
// Group j has the rows from s_j up to s_(j+1), where s is the running sum of
// the sizes. Of a piece of m rows that starts at row o it has those from
// clamp(s_j - o, 0, m) up to clamp(s_(j+1) - o, 0, m), so the differences of
// these are the sizes of the groups in the piece; rows behind the last group
// stay behind it. Groups stay whole: otherwise rows that a device does not
// compute would have to be zero in its result.
//
//===----------------------------------------------------------------------===//

#include "partita/Program/Rules/RaggedDotRules.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/DotShape.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/IndexArithmetic.h"
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
  if (getShape(op.getGroupSizes()).size() > 1)
    dims.prefix = getPrefix(dims);
  return dims;
}

/// Sums of narrow sizes may wrap around in the whole op; ours do not.
static bool canSplitRagged(chlo::RaggedDotOp op, const RaggedDims &dims) {
  return dims.isBatching() || getElementTypeOrSelf(op.getGroupSizes().getType()).getIntOrFloatBitWidth() >= 32;
}

static OpRule ruleOfRaggedDot(chlo::RaggedDotOp op, RuleContext &) {
  static constexpr StringRef why = "groups stay whole: rows of any of them may be on any device";
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

/// The sizes of the groups in the device's piece of the ragged dim.
static Value emitLocalSizes(chlo::RaggedDotOp op, const LocalContext &local, const Split &split, int64_t pieceSize) {
  OpBuilder &builder = local.builder;
  Location loc = op.getLoc();
  IndexEmitter index(builder, loc);
  auto type = cast<RankedTensorType>(local.operands[2].getType());
  auto wideType = RankedTensorType::get(type.getShape(), builder.getI64Type());
  Value sizes = local.operands[2];
  if (type != wideType)
    sizes = stablehlo::ConvertOp::create(builder, loc, wideType, sizes);
  Value offset = local.emitOffset(loc, split, pieceSize, builder.getI64Type());
  Value offsets = index.broadcast(offset, type.getShape(), {});
  auto emitBounds = [&](bool isInclusive) {
    Value sums = emitRunningSums(builder, loc, sizes, isInclusive);
    return index.clamp(index.subtract(sums, offsets), 0, pieceSize);
  };
  Value ends = emitBounds(/*isInclusive=*/true), starts = emitBounds(/*isInclusive=*/false);
  Value localSizes = index.subtract(ends, starts);
  if (type == wideType)
    return localSizes;
  return stablehlo::ConvertOp::create(builder, loc, type, localSizes);
}

static Pieces localRaggedDot(chlo::RaggedDotOp op, const LocalContext &local) {
  RaggedDims dims = getRaggedDims(op);
  const Split *split = local.findOperandDim(0, dims.ragged);
  if (!split || dims.isBatching())
    return emitSame(op, local);
  SmallVector<Value> operands(local.operands);
  operands[2] = emitLocalSizes(op, local, *split, getShape(local.operands[0])[dims.ragged]);
  return emitSame(op, LocalContext{local.builder, local.rule, operands, local.splits});
}

void registerRaggedDotRules(RuleTable &table) { table.add<chlo::RaggedDotOp, ruleOfRaggedDot, localRaggedDot>(); }

} // namespace partita::program::rules
