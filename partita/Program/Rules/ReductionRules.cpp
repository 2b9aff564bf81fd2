//===- ReductionRules.cpp - reduce, map -----------------------------------===//
//
//   reduce         kept dims parallel, reduced dims reduce(combiner). If results
//                  have no common combiner but partial results can be folded
//                  by the body (argmax), the major reduced dim is fold, and
//                  so are all if elements may change places.
//   map            elementwise
//
// The init value of a reduced dim counts once: the device with the first piece
// starts from it, others from the combiner's identity. For an idempotent
// combiner all start from it.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/FoldedBodies.h"
#include "partita/Program/Rules/LocalArithmetic.h"

using namespace mlir;

namespace partita::program::rules {

static constexpr const char *unknownRegion =
    "reduced dims, if the region is none of add, multiply, maximum, minimum, and, or, xor, does not choose elements by "
    "comparing them, as argmax does, and is not found to be associative, as sums of exponentials beside their maximum";

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// The reduced dims along which partial results are folded by the body.
static SmallVector<int64_t> findFoldedDims(stablehlo::ReduceOp op, Combiner combiner) {
  auto isLong = [&](int64_t dim) { return getShape(op.getInputs().front())[dim] > 1; };
  SmallVector<int64_t> dims(llvm::make_filter_range(op.getDimensions(), isLong));
  if (combiner != Combiner::None || dims.empty())
    return {};
  FoldedBody body = findFoldedBody(op);
  if (!body.folds)
    return {};
  // Pieces of the major dim alone follow each other in the order in which elements are reduced.
  return body.commutes ? dims : SmallVector<int64_t>{*llvm::min_element(dims)};
}

static OpRule ruleOfReduce(stablehlo::ReduceOp op, RuleContext &) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  Combiner combiner = findReductionCombiner(op.getBody(), op.getInitValues());
  SmallVector<int64_t> folded = findFoldedDims(op, combiner);
  unsigned kept = 0;
  for (auto [dim, size] : llvm::enumerate(getShape(op.getInputs().front()))) {
    bool isReduced = llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dim));
    unsigned resultDim = isReduced ? 0 : kept++;
    if (size <= 1)
      continue;
    bool isFolded = llvm::is_contained(folded, static_cast<int64_t>(dim));
    uint8_t factor = isFolded    ? rule.addFactor(FactorKind::Fold, size)
                     : isReduced ? addReduced(rule, size, combiner)
                                 : rule.addFactor(FactorKind::Parallel, size);
    for (unsigned i = 0; i < op.getInputs().size(); ++i) {
      rule.operands[i][dim].push_back(factor);
      if (!isReduced)
        rule.results[i][resultDim].push_back(factor);
    }
  }
  result.whole = combiner == Combiner::None ? unknownRegion : "";
  return result;
}

/// A reduction of single elements, written as elementwise ops: XLA would turn it into a reshape and forget the init
/// values. The result's elements may be wider than the operands'.
static Pieces emitSingleElements(stablehlo::ReduceOp op, const LocalContext &local, Combiner combiner,
                                 ArrayRef<Value> operands) {
  LocalArithmetic emit{local.builder, op.getLoc()};
  Pieces pieces;
  size_t count = operands.size() / 2;
  for (size_t i = 0; i < count; ++i) {
    RankedTensorType type = local.getResultType(op, i);
    Value wide = emit.convert(operands[i], type.getElementType());
    Value elements = stablehlo::ReshapeOp::create(local.builder, op.getLoc(), type, wide);
    Value init = emit.broadcast(emit.convert(operands[count + i], type.getElementType()), type.getShape(), {});
    pieces.push_back(emitCombination(local.builder, op.getLoc(), combiner, init, elements));
  }
  return pieces;
}

static SmallVector<Split> findFolds(const LocalContext &local) {
  return SmallVector<Split>(llvm::make_filter_range(
      local.splits, [&](const Split &split) { return local.rule.factors[split.factor].kind == FactorKind::Fold; }));
}

/// `op` on a dim of partial results, the first one.
static Pieces emitFold(stablehlo::ReduceOp op, const LocalContext &local, ArrayRef<Value> partials) {
  SmallVector<Value> operands(partials);
  operands.append(local.operands.begin() + static_cast<ptrdiff_t>(partials.size()), local.operands.end());
  Pieces pieces = emitSame(op, {local.builder, local.rule, operands, local.splits});
  pieces.front().getDefiningOp<stablehlo::ReduceOp>().setDimensions({0});
  return pieces;
}

/// Partial results of all devices, folded by the same body, along one factor after the other.
static Pieces localFold(stablehlo::ReduceOp op, const LocalContext &local, ArrayRef<Split> folds) {
  ArrayRef<int64_t> piece = getShape(local.operands.front());
  // A reduction of single elements: XLA would turn it into a reshape and forget the init values.
  bool isSingle = llvm::all_of(op.getDimensions(), [&](int64_t dim) { return piece[dim] == 1; });
  Pieces partials = isSingle ? Pieces(local.operands.take_front(op.getInputs().size())) : emitSame(op, local);
  for (const Split &split : folds) {
    for (auto [number, partial] : llvm::enumerate(partials)) {
      RankedTensorType type = local.getResultType(op, number);
      SmallVector<int64_t> shape(type.getShape());
      shape.insert(shape.begin(), 1);
      Value row = stablehlo::ReshapeOp::create(local.builder, op.getLoc(), type.clone(shape), partial);
      partial = emitGathered(local.builder, op.getLoc(), row, 0, split);
    }
    partials = emitFold(op, local, partials);
  }
  return partials;
}

static Pieces localReduce(stablehlo::ReduceOp op, const LocalContext &local) {
  if (SmallVector<Split> folds = findFolds(local); !folds.empty())
    return localFold(op, local, folds);
  if (getReducedSplits(local).empty())
    return emitSame(op, local);
  Combiner combiner = findReductionCombiner(op.getBody(), op.getInitValues());
  SmallVector<Value> operands = emitInits(op, local, combiner);
  ArrayRef<int64_t> piece = getShape(operands.front());
  if (llvm::all_of(op.getDimensions(), [&](int64_t dim) { return piece[dim] == 1; }))
    return emitSingleElements(op, local, combiner, operands);
  return emitSame(op, {local.builder, local.rule, operands, local.splits});
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

static OpRule ruleOfMap(stablehlo::MapOp op, RuleContext &) { return makeElementwiseRule(op); }

void registerReductionRules(RuleTable &table) {
  table.add<stablehlo::ReduceOp, ruleOfReduce, localReduce>();
  table.add<stablehlo::MapOp, ruleOfMap>();
}

} // namespace partita::program::rules
