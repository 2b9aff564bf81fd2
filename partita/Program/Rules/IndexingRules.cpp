//===- IndexingRules.cpp - gather and scatter -----------------------------===//
//
//   gather   operand batching, indices batching, result      parallel
//            indices' other dims, result                     parallel
//            operand dim that windows cover, result          parallel
//            operand dim of which windows have one element   reduce(add): mask
//            the stages that a rotation goes around          parallel (StageShift.h)
//   scatter  input batching, indices batching, updates       parallel
//            input dim that windows cover                    parallel
//            input dim of which windows have one element     parallel: shift
//            indices' other dims, updates                    reduce(combiner)
//
// Masking: a device clamps indices as on the whole operand, then shifts them by
// its offset. It keeps what it finds in its piece and gives -0.0 (0, false) for
// the rest, so that the sum over devices has every bit of the element found.
// Shifting: a shifted index that is not in the piece is out of range, and
// scatter skips it.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/IndexedPieces.h"
#include "partita/Program/Rules/RuleBuilder.h"
#include "partita/Program/Rules/StageShift.h"

using namespace mlir;

namespace partita::program::rules {

using stablehlo::ComparisonDirection;
using stablehlo::IndexedDims;

/// Index arithmetic needs a type of known width.
static bool hasPlainIndices(Value indices) { return isa<IntegerType>(getElementTypeOrSelf(indices)); }

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

static IndexedShapes getShapes(stablehlo::GatherOp op) {
  return {getShape(op.getOperand()), getShape(op.getStartIndices()), getShape(op.getResult()),
          SmallVector<int64_t>(op.getSliceSizes())};
}

/// Dims that run over index vectors; batching dims also run over the operand.
static void addIndexCountFactors(Rule &rule, const IndexedRoles &roles, const IndexedDims &dims,
                                 const IndexedShapes &shapes, Factor unpaired) {
  int64_t rank = shapes.indices.size();
  for (auto [indices, slices] : llvm::zip(getIndexCountDims(dims, rank), getIndexedSlicesDims(dims, rank))) {
    int64_t operand = findOperandBatchingDim(dims, indices);
    Factor factor = operand >= 0 ? Factor{} : unpaired;
    factor.size = shapes.indices[indices];
    addFactor(rule, roles, factor, {operand, indices, slices});
  }
}

static OpRule ruleOfRotation(stablehlo::GatherOp op) {
  RuleBuilder rule(op);
  for (auto [dim, size] : llvm::enumerate(getShape(op.getResult())))
    rule.addParallel(size, {ofOperand(0, static_cast<int64_t>(dim)), ofResult(0, static_cast<int64_t>(dim))});
  return rule.finish("");
}

static OpRule ruleOfGather(stablehlo::GatherOp op, RuleContext &) {
  if (isStageShift(op))
    return ruleOfRotation(op);
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  IndexedDims dims = getIndexedDims(op.getDimensionNumbers());
  IndexedShapes shapes = getShapes(op);
  IndexedRoles roles{{&rule.operands[0]}, &rule.operands[1], {&rule.results[0]}};
  addIndexCountFactors(rule, roles, dims, shapes, {});
  int64_t rank = shapes.operand.size();
  for (auto [operand, slices] : llvm::zip(getWindowedOperandDims(dims, rank), dims.window.dims))
    if (shapes.windows[operand] == shapes.operand[operand])
      addFactor(rule, roles, {.size = shapes.operand[operand]}, {operand, -1, slices});
  Combiner mask = findMaskCombiner(getElementTypeOrSelf(op.getOperand()));
  if (mask != Combiner::None && hasPlainIndices(op.getStartIndices()))
    for (int64_t dim = 0; dim < rank; ++dim)
      if (isIndexedDim(dims, shapes, dim))
        addFactor(rule, roles, {FactorKind::Reduce, mask, shapes.operand[dim]}, {.operand = dim});
  result.whole = "the index vector's dim; an operand dim of which windows have several elements but not all";
  keepRestWhole(op, result);
  return result;
}

/// Whether index vectors, shifted, point into the device's piece; in the shape of the result.
static Value emitIsInPiece(const LocalArithmetic &emit, const IndexedDims &dims, const IndexedSplits &splits,
                           ArrayRef<int64_t> lastIndices, Value shifted, ArrayRef<int64_t> resultShape) {
  SmallVector<int64_t> lastInPiece(lastIndices);
  for (auto [last, split] : llvm::zip(lastInPiece, splits.components))
    if (split)
      last = (last + 1) / split->parts - 1;
  Value last = emitPerComponent(emit, emit.integers(lastInPiece), dims, shifted);
  Value first = emit.broadcast(emit.integer(0), getShape(shifted), {});
  Value isIn = emit.conjunction(emit.compare(ComparisonDirection::GE, shifted, first),
                                emit.compare(ComparisonDirection::LE, shifted, last));
  int64_t rank = getShape(shifted).size();
  if (dims.indexVectorDim < rank)
    isIn = emit.allAlong(isIn, dims.indexVectorDim);
  return emit.broadcast(isIn, resultShape, getIndexedSlicesDims(dims, rank));
}

/// Keeps the elements of `piece` for which `isHere`, a scalar or a tensor of the same shape, is true.
static Value emitMasked(const LocalArithmetic &emit, Value isHere, Value piece) {
  auto type = cast<RankedTensorType>(piece.getType());
  Combiner mask = findMaskCombiner(type.getElementType());
  return emit.select(isHere, piece, emit.constant(getIdentity(type, mask)));
}

static Pieces localGather(stablehlo::GatherOp op, const LocalContext &local) {
  if (const Split *split = isStageShift(op) ? local.findOperandDim(0, 0) : nullptr)
    return {emitShiftedRows(op, local.operands[0], *split, local.builder)};
  IndexedDims dims = getIndexedDims(op.getDimensionNumbers());
  IndexedShapes shapes = getShapes(op);
  IndexedSplits splits = findIndexedSplits(dims, shapes, local);
  LocalArithmetic emit{local.builder, op.getLoc()};
  SmallVector<Value> operands(local.operands);
  SmallVector<int64_t> lastIndices;
  if (splits.hasComponents()) {
    for (int64_t dim : dims.indexMap.dims)
      lastIndices.push_back(shapes.operand[dim] - shapes.windows[dim]);
    Value wide = emitWideIndices(emit, operands[1]);
    Value last = emitPerComponent(emit, emit.integers(lastIndices), dims, wide);
    Value clamped = stablehlo::ClampOp::create(local.builder, op.getLoc(), wide.getType(), emit.integer(0), wide, last);
    operands[1] = emitShifted(emit, local, dims, splits, shapes.operand, clamped);
  }

  auto piece =
      emitSame(op, {local.builder, local.rule, operands, local.splits}).front().getDefiningOp<stablehlo::GatherOp>();
  SmallVector<int64_t> sliceSizes(op.getSliceSizes());
  for (auto [dim, size] : llvm::enumerate(sliceSizes))
    if (size == shapes.operand[dim])
      size = getShape(operands[0])[dim];
  piece.setSliceSizes(sliceSizes);
  // Of whole stages, a rotation is an ordinary gather.
  if (isStageShift(op))
    piece->setDiscardableAttrs(DictionaryAttr::get(op.getContext()));

  Value result = piece.getResult();
  if (splits.hasComponents()) {
    piece.setIndicesAreSorted(false);
    result = emitMasked(emit, emitIsInPiece(emit, dims, splits, lastIndices, operands[1], getShape(result)), result);
  }
  if (!splits.fixed.empty())
    result = emitMasked(emit, emit.isFirst(splits.fixed), result);
  return {result};
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

/// A window's size per input dim: that of the updates' window dim, one where there is none.
static IndexedShapes getShapes(stablehlo::ScatterOp op, const IndexedDims &dims) {
  IndexedShapes shapes{
      getShape(op.getInputs().front()), getShape(op.getScatterIndices()), getShape(op.getUpdates().front()), {}};
  shapes.windows.assign(shapes.operand.size(), 1);
  for (auto [operand, slices] : llvm::zip(getWindowedOperandDims(dims, shapes.operand.size()), dims.window.dims))
    shapes.windows[operand] = shapes.slices[slices];
  return shapes;
}

static IndexedRoles getRoles(stablehlo::ScatterOp op, Rule &rule) {
  unsigned count = op.getInputs().size();
  IndexedRoles roles{{}, &rule.operands[count], {}};
  for (unsigned i = 0; i < count; ++i) {
    roles.operands.push_back(&rule.operands[i]);
    roles.operands.push_back(&rule.results[i]);
    roles.slices.push_back(&rule.operands[count + 1 + i]);
  }
  return roles;
}

/// How partial results of some of the updates are combined; None if they cannot be.
static Combiner findUpdateCombiner(stablehlo::ScatterOp op) {
  Combiner combiner = findCombiner(op.getUpdateComputation());
  for (auto [input, result] : llvm::zip(op.getInputs(), op.getResults()))
    if (input.getType() != result.getType() || !hasPartialResults(getElementTypeOrSelf(input), combiner))
      return Combiner::None;
  return combiner;
}

static OpRule ruleOfScatter(stablehlo::ScatterOp op, RuleContext &) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  IndexedDims dims = getIndexedDims(op.getScatterDimensionNumbers());
  IndexedShapes shapes = getShapes(op, dims);
  IndexedRoles roles = getRoles(op, rule);
  Combiner combiner = findUpdateCombiner(op);
  FactorKind updates = combiner == Combiner::None ? FactorKind::Replicate : FactorKind::Reduce;
  addIndexCountFactors(rule, roles, dims, shapes, {.kind = updates, .combiner = combiner});
  int64_t rank = shapes.operand.size();
  // A window that covers a dim and is moved along it is out of range, in the whole and in every piece: it is dropped.
  for (auto [operand, slices] : llvm::zip(getWindowedOperandDims(dims, rank), dims.window.dims))
    if (shapes.windows[operand] == shapes.operand[operand])
      addFactor(rule, roles, {.size = shapes.operand[operand]}, {operand, -1, slices});
  if (hasPlainIndices(op.getScatterIndices()))
    for (int64_t dim = 0; dim < rank; ++dim)
      if (isIndexedDim(dims, shapes, dim))
        addFactor(rule, roles, {.size = shapes.operand[dim]}, {.operand = dim});
  result.whole =
      "the index vector's dim; an input dim of which windows have several elements but not all; the updates' other "
      "dims unless they are combined by add, multiply, maximum, minimum, and, or, xor";
  keepRestWhole(op, result);
  return result;
}

static Pieces localScatter(stablehlo::ScatterOp op, const LocalContext &local) {
  IndexedDims dims = getIndexedDims(op.getScatterDimensionNumbers());
  IndexedShapes shapes = getShapes(op, dims);
  IndexedSplits splits = findIndexedSplits(dims, shapes, local);
  LocalArithmetic emit{local.builder, op.getLoc()};
  unsigned count = op.getInputs().size();
  SmallVector<Value> operands(local.operands);
  if (!getReducedSplits(local).empty())
    for (unsigned i = 0; i < count; ++i)
      operands[i] = emitCountedOnce(op.getLoc(), local, findUpdateCombiner(op), op.getInputs()[i], operands[i]);
  if (splits.hasComponents())
    operands[count] = emitShifted(emit, local, dims, splits, shapes.operand, emitWideIndices(emit, operands[count]));

  Pieces pieces = emitSame(op, {local.builder, local.rule, operands, local.splits});
  if (splits.hasComponents())
    pieces.front().getDefiningOp<stablehlo::ScatterOp>().setIndicesAreSorted(false);
  if (!splits.fixed.empty())
    for (auto [index, piece] : llvm::enumerate(pieces))
      piece = emit.select(emit.isFirst(splits.fixed), piece, operands[index]);
  return pieces;
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// result[batch, before, index dims, after] of operand[batch, before, dim, after] and index[batch, index dims].
static SmallVector<int64_t> computeSelectedShape(ArrayRef<int64_t> operand, ArrayRef<int64_t> index, int64_t indexed,
                                                 int64_t batch) {
  SmallVector<int64_t> shape(operand.take_front(indexed));
  llvm::append_range(shape, index.drop_front(batch));
  llvm::append_range(shape, operand.drop_front(indexed + 1));
  return shape;
}

static OpRule ruleOfTorchIndexSelect(stablehlo::TorchIndexSelectOp op, RuleContext &) {
  ArrayRef<int64_t> operand = getShape(op.getOperand()), index = getShape(op.getIndex());
  int64_t indexed = op.getDim(), batch = op.getBatchDims(), rank = operand.size(), indexRank = index.size();
  // The op has no verifier, so its attributes may be out of range.
  if (indexed < 0 || indexed >= rank || batch < 0 || batch > std::min(indexed, indexRank) ||
      getShape(op.getResult()) != ArrayRef<int64_t>(computeSelectedShape(operand, index, indexed, batch)) ||
      operand.take_front(batch) != index.take_front(batch))
    return makeWholeRule(op, "dims that count from the end");
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  IndexedRoles roles{{&rule.operands[0]}, &rule.operands[1], {&rule.results[0]}};
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != indexed)
      addFactor(rule, roles, {.size = operand[dim]},
                {dim, dim < batch ? dim : -1, dim < indexed ? dim : dim + indexRank - batch - 1});
  for (int64_t dim = batch; dim < indexRank; ++dim)
    addFactor(rule, roles, {.size = index[dim]}, {-1, dim, indexed + dim - batch});
  result.whole = "the indexed dim";
  keepRestWhole(op, result);
  return result;
}

static OpRule ruleOfDynamicGather(stablehlo::DynamicGatherOp op, RuleContext &context) {
  context.error = Error::unsupported(locationOf(op), "dynamic_gather has sizes that are not known before it runs")
                      .withRemedy("lower the program with static shapes");
  return makeRule(op);
}

void registerIndexingRules(RuleTable &table) {
  table.add<stablehlo::GatherOp, ruleOfGather, localGather>();
  table.add<stablehlo::ScatterOp, ruleOfScatter, localScatter>();
  table.add<stablehlo::TorchIndexSelectOp, ruleOfTorchIndexSelect>();
  table.add<stablehlo::DynamicGatherOp, ruleOfDynamicGather>();
}

} // namespace partita::program::rules
