//===- MissingSplits.cpp - correct splits that a rule does not offer ------===//

#include "partita/ValidateRules/MissingSplits.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/RuleTable.h"
#include "partita/ValidateRules/SplitRun.h"

using namespace mlir;

namespace partita::validate {

/// For each operand, then each result, the dim that is halved, or -1.
using HalvedDims = SmallVector<int64_t>;

/// The same op on the pieces; sizes that an attribute repeats follow where it takes a dim as a whole.
static SmallVector<Value> emitDefault(Operation *op, const rules::LocalContext &local) {
  SmallVector<Value> pieces = rules::emitSame(op, local);
  auto localSizes = [&](ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> halved(sizes);
    auto whole = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
    auto piece = cast<RankedTensorType>(local.operands[0].getType()).getShape();
    for (auto [size, wholeSize, pieceSize] : llvm::zip_equal(halved, whole, piece))
      size = size == wholeSize ? pieceSize : size;
    return halved;
  };
  Operation *emitted = pieces.front().getDefiningOp();
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(emitted))
    slice.setSliceSizes(localSizes(slice.getSliceSizes()));
  if (auto gather = dyn_cast<stablehlo::GatherOp>(emitted))
    gather.setSliceSizes(localSizes(gather.getSliceSizes()));
  if (auto slice = dyn_cast<stablehlo::SliceOp>(emitted))
    slice.setLimitIndices(localSizes(slice.getLimitIndices()));
  return pieces;
}

static SmallVector<Value> getValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  return values;
}

/// The dims that a factor of the rule halves if it is split in two; nothing if it cannot be.
static std::optional<HalvedDims> getHalvedDims(const Rule &rule, uint8_t factor) {
  if (!isValidSplit(rule, {Split{factor, 2, {}}}))
    return std::nullopt;
  HalvedDims halved;
  auto add = [&](const ValueFactors &value) {
    auto found = llvm::find_if(value, [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
    halved.push_back(found == value.end() ? -1 : found - value.begin());
  };
  llvm::for_each(rule.operands, add);
  llvm::for_each(rule.results, add);
  return halved;
}

static std::vector<HalvedDims> getKnown(const Rule &rule) {
  std::vector<HalvedDims> known;
  for (size_t factor = 0; factor < rule.factors.size(); ++factor)
    if (auto halved = getHalvedDims(rule, factor))
      known.push_back(std::move(*halved));
  return known;
}

/// Whether the rule offers the candidate: as a factor, or as several that are split at the same time.
static bool isKnown(ArrayRef<HalvedDims> known, const HalvedDims &candidate) {
  SmallVector<bool> covered(candidate.size(), false);
  for (const HalvedDims &factor : known) {
    bool isPart = llvm::all_of(llvm::zip_equal(factor, candidate), [](auto pair) {
      return std::get<0>(pair) == -1 || std::get<0>(pair) == std::get<1>(pair);
    });
    for (size_t value = 0; isPart && value < candidate.size(); ++value)
      covered[value] = covered[value] || factor[value] >= 0;
  }
  return llvm::all_of(llvm::zip_equal(covered, candidate),
                      [](auto pair) { return std::get<0>(pair) || std::get<1>(pair) == -1; });
}

/// Steps to the next choice of dims, like an odometer; false after the last.
static bool advance(ArrayRef<Value> values, HalvedDims &halved) {
  for (auto [value, dim] : llvm::zip_equal(values, halved)) {
    ArrayRef<int64_t> shape = rules::getShape(value);
    do
      ++dim;
    while (dim < static_cast<int64_t>(shape.size()) && (shape[dim] < 2 || shape[dim] % 2 != 0));
    if (dim < static_cast<int64_t>(shape.size()))
      return true;
    dim = -1;
  }
  return false;
}

/// The candidate as a rule of one factor.
static Rule makeRule(Operation *op, const HalvedDims &halved, graph::Combiner combiner) {
  Rule rule;
  SmallVector<Value> values = getValues(op);
  int64_t size = 2;
  for (auto [value, dim] : llvm::zip_equal(values, halved))
    size = dim >= 0 ? rules::getShape(value)[dim] : size;
  rule.addFactor(combiner == graph::Combiner::None ? FactorKind::Parallel : FactorKind::Reduce, size, combiner);
  for (auto [index, value] : llvm::enumerate(values)) {
    ValueFactors factors(rules::getShape(value).size());
    if (halved[index] >= 0)
      factors[halved[index]].push_back(0);
    if (index < op->getNumOperands())
      rule.operands.push_back(std::move(factors));
    else
      rule.results.push_back(std::move(factors));
  }
  return rule;
}

static bool holds(const OpInstance &instance, const Rule &rule, ArrayRef<WholeRun> runs) {
  SmallVector<Split> splits = {{0, 2, {}}};
  auto emit = [&](OpBuilder &builder, ValueRange operands, ArrayRef<Split> placed) {
    return emitDefault(instance.op, rules::LocalContext{builder, rule, operands, placed});
  };
  auto local = buildLocalProgram(instance.op, rule, splits, emit);
  return local && llvm::all_of(runs, [&](const WholeRun &run) {
           return !runSplit(instance.op, **local, rule, splits, run).has_value();
         });
}

static bool hasElements(const Tensor &tensor) { return tensor.isToken() || tensor.size() > 0; }

/// Whether the runs can tell right from wrong: a result that never changes proves nothing, nor does an operand without
/// elements.
static bool areTelling(ArrayRef<WholeRun> runs) {
  if (!llvm::all_of(runs.front().operands, hasElements) || !llvm::all_of(runs.front().results, hasElements))
    return false;
  return llvm::any_of(runs.drop_front(), [&](const WholeRun &run) {
    return run.mode == runs.front().mode && !run.results.front().isIdentical(runs.front().results.front());
  });
}

static std::vector<Rule> makeCandidates(Operation *op, const Rule &rule, int64_t maxCandidates) {
  SmallVector<Value> values = getValues(op);
  std::vector<HalvedDims> known = getKnown(rule);
  std::vector<Rule> candidates;
  HalvedDims halved(values.size(), -1);
  while (advance(values, halved) && static_cast<int64_t>(candidates.size()) < maxCandidates) {
    if (isKnown(known, halved))
      continue;
    bool isResultHalved =
        llvm::any_of(ArrayRef(halved).drop_front(op->getNumOperands()), [](auto d) { return d >= 0; });
    if (isResultHalved) {
      candidates.push_back(makeRule(op, halved, graph::Combiner::None));
      continue;
    }
    for (graph::Combiner combiner : {graph::Combiner::Add, graph::Combiner::Maximum})
      candidates.push_back(makeRule(op, halved, combiner));
  }
  return candidates;
}

std::vector<Rule> findMissingSplits(const OpInstance &instance, const Rule &rule, ArrayRef<WholeRun> runs,
                                    int64_t maxCandidates) {
  std::vector<Rule> missing;
  if (instance.op->getNumResults() == 0 || runs.empty() || !areTelling(runs))
    return missing;
  for (Rule &candidate : makeCandidates(instance.op, rule, maxCandidates))
    if (holds(instance, candidate, runs))
      missing.push_back(std::move(candidate));
  return missing;
}

} // namespace partita::validate
