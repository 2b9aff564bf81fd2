//===- RuleTable.cpp - registers rules and local forms by op --------------===//

#include "partita/Program/Rules/RuleTable.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partita::program {

namespace rules {

static RuleTable buildRuleTable() {
  RuleTable table;
  registerElementwiseRules(table);
  registerShapeRules(table);
  registerReshapeRules(table);
  registerSlicingRules(table);
  registerContractionRules(table);
  registerConvolutionRules(table);
  registerIndexingRules(table);
  registerReductionRules(table);
  registerWindowRules(table);
  registerSortRules(table);
  registerLinalgRules(table);
  registerRandomRules(table);
  registerCustomRules(table);
  registerCollectiveRules(table);
  return table;
}

const RuleTable &getRuleTable() {
  // Built once, then const: safe to share between threads.
  static const RuleTable table = buildRuleTable();
  return table;
}

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> getShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

OpRule makeRule(Operation *op) {
  OpRule result;
  for (Value operand : op->getOperands())
    result.rule.operands.push_back(ValueFactors(getShape(operand).size()));
  for (Value value : op->getResults())
    result.rule.results.push_back(ValueFactors(getShape(value).size()));
  return result;
}

static void keepValueWhole(Rule &rule, ArrayRef<int64_t> shape, ValueFactors &factors) {
  for (auto [dim, size] : llvm::enumerate(shape))
    // An op with hundreds of operands runs out of factors. A dim without a factor is not split either.
    if (factors[dim].empty() && size > 1 && rule.factors.size() + 1 < UINT8_MAX)
      factors[dim].push_back(rule.addFactor(FactorKind::Replicate, size));
}

void keepRestWhole(Operation *op, OpRule &rule) {
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    keepValueWhole(rule.rule, getShape(operand), rule.rule.operands[index]);
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    keepValueWhole(rule.rule, getShape(result), rule.rule.results[index]);
}

OpRule makeElementwiseRule(Operation *op) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size <= 1)
      continue;
    uint8_t factor = rule.addFactor(FactorKind::Parallel, size);
    auto put = [&](ValueFactors &value) {
      if (value.size() == shape.size())
        value[dim].push_back(factor);
    };
    llvm::for_each(rule.operands, put);
    llvm::for_each(rule.results, put);
  }
  return result;
}

OpRule makeWholeRule(Operation *op, std::string why) {
  OpRule result = makeRule(op);
  result.whole = std::move(why);
  keepRestWhole(op, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Local forms
//===----------------------------------------------------------------------===//

const Split *LocalContext::find(uint8_t factor) const {
  const Split *split = llvm::find_if(splits, [&](const Split &s) { return s.factor == factor; });
  return split == splits.end() ? nullptr : split;
}

const Split *LocalContext::findOperandDim(unsigned operand, unsigned dim) const {
  const DimFactors &factors = rule.operands[operand][dim];
  return factors.size() == 1 ? find(factors.front()) : nullptr;
}

const Split *LocalContext::findResultDim(unsigned result, unsigned dim) const {
  const DimFactors &factors = rule.results[result][dim];
  return factors.size() == 1 ? find(factors.front()) : nullptr;
}

RankedTensorType LocalContext::getResultType(Operation *op, unsigned result) const {
  auto type = cast<RankedTensorType>(op->getResult(result).getType());
  if (splits.empty())
    return type;
  return type.clone(computeLocalShape(type.getShape(), rule.results[result], splits));
}

Value LocalContext::emitOffset(Location loc, const Split &split, int64_t size, Type type) const {
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  Value length = stablehlo::ConstantOp::create(builder, loc, DenseElementsAttr::get(scalar, size));
  Value offset = stablehlo::MulOp::create(builder, loc, scalar, split.index, length);
  if (type == builder.getI64Type())
    return offset;
  return stablehlo::ConvertOp::create(builder, loc, RankedTensorType::get({}, type), offset);
}

/// A sharding of the whole value does not apply to a piece.
static void dropShardings(Operation *piece) {
  // Most ops have none, and asking for them by name takes longer than cloning the op.
  if (piece->getRawDictionaryAttrs().empty())
    return;
  for (StringRef name : {sdy::kShardingName, sdy::kPropagationEdgesName, sdy::kShardingRuleName})
    piece->removeDiscardableAttr(name);
}

Pieces emitSame(Operation *op, const LocalContext &local) {
  SmallVector<Type, 2> types;
  for (OpResult result : op->getResults())
    types.push_back(isa<RankedTensorType>(result.getType()) ? local.getResultType(op, result.getResultNumber())
                                                            : result.getType());
  Operation *piece = Operation::create(op->getLoc(), op->getName(), types, local.operands, op->getRawDictionaryAttrs(),
                                       op->getPropertiesStorage(), /*successors=*/BlockRange(), op->getNumRegions());
  local.builder.insert(piece);
  if (op->getNumRegions() != 0) {
    // Regions use no values from outside except, possibly, the operands.
    IRMapping mapping;
    mapping.map(op->getOperands(), local.operands);
    for (auto [whole, own] : llvm::zip_equal(op->getRegions(), piece->getRegions()))
      whole.cloneInto(&own, mapping);
  }
  dropShardings(piece);
  return Pieces(piece->getResults());
}

} // namespace rules

//===----------------------------------------------------------------------===//
// The room's own functions
//===----------------------------------------------------------------------===//

Result<OpRule> computeRule(Operation *op, const UserRules &userRules) {
  return computeRule(op, userRules, rules::getRuleTable());
}

Result<OpRule> computeRule(Operation *op, const UserRules &userRules, const rules::RuleTable &table) {
  rules::RuleTable::Entry entry = table.find(op);
  if (!entry.rule) {
    OpRule unknown = rules::makeWholeRule(op, "no rule is known for this op");
    unknown.isUnknown = unknown.isUnpriced = true;
    canonicalizeRule(unknown.rule);
    return unknown;
  }
  rules::RuleContext context{userRules, std::nullopt};
  OpRule rule = entry.rule(op, context);
  if (context.error)
    return std::move(*context.error);
  canonicalizeRule(rule.rule);
  auto isSplittable = [](const Factor &factor) { return factor.isSplittable(); };
  if (!rule.rule.factors.empty() && llvm::all_of(rule.rule.factors, isSplittable))
    rule.whole.clear();
  return rule;
}

SmallVector<Value> emitLocal(OpBuilder &builder, Operation *op, const Rule &rule, ValueRange operands,
                             ArrayRef<Split> splits) {
  return emitLocal(builder, op, rule, operands, splits, rules::getRuleTable());
}

SmallVector<Value> emitLocal(OpBuilder &builder, Operation *op, const Rule &rule, ValueRange operands,
                             ArrayRef<Split> splits, const rules::RuleTable &table) {
  assert(isValidSplit(rule, splits) && "a split that the rule does not allow");
  rules::LocalContext local{builder, rule, operands, splits};
  rules::RuleTable::Entry entry = table.find(op);
  return entry.local ? entry.local(op, local) : rules::emitSame(op, local);
}

SmallVector<int64_t> computeLocalShape(ArrayRef<int64_t> shape, const ValueFactors &factors, ArrayRef<Split> splits) {
  SmallVector<int64_t> local(shape);
  for (auto [dim, dimFactors] : llvm::enumerate(factors))
    for (uint8_t factor : dimFactors)
      for (const Split &split : splits)
        if (split.factor == factor)
          local[dim] /= split.parts;
  return local;
}

/// Of a compound dim's factors, only the last split one may be split partly.
static bool isContiguous(const Rule &rule, const ValueFactors &value, ArrayRef<Split> splits) {
  auto partsOf = [&](uint8_t factor) {
    const Split *split = llvm::find_if(splits, [&](const Split &s) { return s.factor == factor; });
    return split == splits.end() ? int64_t(1) : split->parts;
  };
  return llvm::all_of(value, [&](const DimFactors &dim) {
    if (dim.size() < 2)
      return true;
    bool allFull = true;
    for (uint8_t factor : dim) {
      int64_t parts = partsOf(factor);
      if (parts > 1 && !allFull)
        return false;
      allFull = allFull && parts == rule.factors[factor].size;
    }
    return true;
  });
}

bool isValidSplit(const Rule &rule, ArrayRef<Split> splits) {
  SmallVector<bool> seen(rule.factors.size(), false);
  for (const Split &split : splits) {
    if (split.factor >= rule.factors.size() || std::exchange(seen[split.factor], true))
      return false;
    const Factor &factor = rule.factors[split.factor];
    if (!factor.isSplittable() || split.parts < 1 || factor.size % split.parts != 0)
      return false;
  }
  auto check = [&](const ValueFactors &value) { return isContiguous(rule, value, splits); };
  return llvm::all_of(rule.operands, check) && llvm::all_of(rule.results, check);
}

} // namespace partita::program
