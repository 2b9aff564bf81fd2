//===- StatedRules.cpp - rules that users and programs state --------------===//

#include "partita/Program/Rules/StatedRules.h"

#include "partita/Dialect/Diagnostics.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::program::rules {

/// Which values have a factor.
struct FactorUse {
  bool inOperand = false, inResult = false, twiceInOne = false;
};

static void markUses(ArrayRef<ValueFactors> values, bool FactorUse::*where, MutableArrayRef<FactorUse> uses) {
  for (const ValueFactors &value : values) {
    SmallVector<unsigned> seen(uses.size(), 0);
    for (const DimFactors &dim : value)
      for (uint8_t factor : dim) {
        uses[factor].*where = true;
        uses[factor].twiceInOne |= ++seen[factor] > 1;
      }
  }
}

static SmallVector<FactorUse> computeUses(const Rule &rule) {
  SmallVector<FactorUse> uses(rule.factors.size());
  markUses(rule.operands, &FactorUse::inOperand, uses);
  markUses(rule.results, &FactorUse::inResult, uses);
  return uses;
}

/// Dims of size 0 and 1 have no factors.
static Rule dropSmallFactors(const Rule &rule) {
  Rule kept;
  SmallVector<int> newIndex;
  for (const Factor &factor : rule.factors)
    newIndex.push_back(factor.size > 1 ? kept.addFactor(factor.kind, factor.size, factor.combiner) : -1);
  auto copy = [&](const auto &values, auto &into) {
    for (const ValueFactors &value : values) {
      ValueFactors &copied = into.emplace_back(value.size());
      for (auto [dim, factors] : llvm::enumerate(value))
        for (uint8_t factor : factors)
          if (newIndex[factor] >= 0)
            copied[dim].push_back(newIndex[factor]);
    }
  };
  copy(rule.operands, kept.operands);
  copy(rule.results, kept.results);
  return kept;
}

//===----------------------------------------------------------------------===//
// Einsum text
//===----------------------------------------------------------------------===//

/// Why no op on pieces can have the factor; empty if some op can.
static std::string findFault(const Factor &factor, const FactorUse &use) {
  if (!factor.isSplittable())
    return "";
  if (factor.isExchanged())
    return "is folded or has a halo, which only the ops of the dialects do";
  if (use.twiceInOne)
    return "stands twice in one value, so that a piece of it is no block";
  if (factor.kind == FactorKind::Reduce && use.inResult)
    return "is reduced and stands in a result";
  if (factor.kind == FactorKind::Parallel && use.inOperand != use.inResult)
    return use.inOperand ? "stands in no result and is not reduced"
                         : "stands in no operand, so that a device cannot know its piece";
  return "";
}

static Status checkStatedRule(const Rule &rule, StringRef text, Operation *op) {
  for (auto [factor, use] : llvm::zip(rule.factors, computeUses(rule)))
    if (std::string fault = findFault(factor, use); !fault.empty())
      return Error::badInput(locationOf(op), "the rule '" + text.str() + "' is wrong: a factor of size " +
                                                 std::to_string(factor.size) + " " + fault)
          .withRemedy("name it in replicate={...} if it may not be split");
  return std::nullopt;
}

template <typename Values> static SmallVector<SmallVector<int64_t>> getShapes(Values values) {
  SmallVector<SmallVector<int64_t>> shapes;
  for (Value value : values)
    shapes.emplace_back(getShape(value));
  return shapes;
}

Result<Rule> parseStatedRule(StringRef text, Operation *op) {
  Result<Rule> rule = parseRule(text, getShapes(op->getOperands()), getShapes(op->getResults()), locationOf(op));
  if (!rule)
    return rule;
  if (Status error = checkStatedRule(*rule, text, op))
    return std::move(*error);
  return dropSmallFactors(*rule);
}

//===----------------------------------------------------------------------===//
// sdy.sharding_rule
//===----------------------------------------------------------------------===//

static Factor convertFactor(sdy::OpShardingRuleAttr stated, int64_t index) {
  int64_t size = stated.getFactorSize(index);
  if (stated.isReductionFactor(index))
    return {FactorKind::Reduce, Combiner::Add, size};
  if (stated.isPermutationFactor(index))
    return {FactorKind::Window, Combiner::None, size};
  if (stated.isNeedReplicationFactor(index) || stated.isBlockedPropagationFactor(index))
    return {FactorKind::Replicate, Combiner::None, size};
  return {FactorKind::Parallel, Combiner::None, size};
}

/// The factors of a value's dims; `unfit` gets those of dims that they do not make up.
static ValueFactors convertMapping(sdy::OpShardingRuleAttr stated, sdy::TensorMappingAttr mapping,
                                   ArrayRef<int64_t> shape, SmallVectorImpl<uint8_t> &unfit) {
  ValueFactors value;
  for (auto [dim, size] : llvm::zip(mapping.getDimMappings(), shape)) {
    DimFactors &factors = value.emplace_back();
    int64_t product = 1;
    bool overflows = false;
    for (int64_t factor : dim.getFactorIndices()) {
      factors.push_back(static_cast<uint8_t>(factor));
      overflows |= llvm::MulOverflow(product, stated.getFactorSize(factor), product);
    }
    if (overflows || product != size)
      llvm::append_range(unfit, factors);
  }
  return value;
}

Rule convertShardingRule(sdy::OpShardingRuleAttr stated, Operation *op) {
  // More factors than a rule can have: of so many, none is worth a split.
  if (stated.getNumFactors() >= UINT8_MAX)
    return makeWholeRule(op, "").rule;
  Rule rule;
  for (int64_t index = 0; index < stated.getNumFactors(); ++index)
    rule.factors.push_back(convertFactor(stated, index));
  SmallVector<uint8_t> unfit;
  for (auto [mapping, operand] : llvm::zip(stated.getOperandMappings(), op->getOperands()))
    rule.operands.push_back(convertMapping(stated, mapping, getShape(operand), unfit));
  for (auto [mapping, result] : llvm::zip(stated.getResultMappings(), op->getResults()))
    rule.results.push_back(convertMapping(stated, mapping, getShape(result), unfit));
  for (auto [factor, use] : llvm::zip(rule.factors, computeUses(rule)))
    if (!findFault(factor, use).empty())
      factor = {FactorKind::Replicate, Combiner::None, factor.size};
  for (uint8_t factor : unfit)
    rule.factors[factor] = {FactorKind::Replicate, Combiner::None, rule.factors[factor].size};
  return dropSmallFactors(rule);
}

} // namespace partita::program::rules
