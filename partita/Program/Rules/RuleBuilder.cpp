//===- RuleBuilder.cpp - an op's rule, written factor by factor -----------===//

#include "partita/Program/Rules/RuleBuilder.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace partita::program::rules {

/// The largest number of factors that a uint8_t index can tell apart. Further factors (of ops with hundreds of
/// operands) are left out, so their dims stay whole.
static constexpr size_t maxFactors = UINT8_MAX - 1;

ValueFactors &RuleBuilder::getFactors(DimPlace location) {
  return location.isResult ? result.rule.results[location.value] : result.rule.operands[location.value];
}

int64_t RuleBuilder::getSize(DimPlace location) const {
  Value value = location.isResult ? Value(op->getResult(location.value)) : op->getOperand(location.value);
  return getShape(value)[location.dim];
}

void RuleBuilder::add(Factor factor, ArrayRef<DimPlace> places) {
  if (factor.size <= 1 || result.rule.factors.size() >= maxFactors)
    return;
  uint8_t index = result.rule.addFactor(factor.kind, factor.size, factor.combiner);
  for (DimPlace location : places)
    getFactors(location)[location.dim].push_back(index);
}

void RuleBuilder::addParallel(int64_t size, ArrayRef<DimPlace> places) {
  add({FactorKind::Parallel, Combiner::None, size}, places);
}

void RuleBuilder::addSum(int64_t size, ArrayRef<DimPlace> places) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (isQuantizedElement(type))
    return add({FactorKind::Replicate, Combiner::None, size}, places);
  add({FactorKind::Reduce, getSumCombiner(type), size}, places);
}

void RuleBuilder::addWindow(DimPlace location) {
  add({FactorKind::Window, Combiner::None, getSize(location)}, location);
}

void RuleBuilder::addWhole(int64_t size, DimPlace location) {
  add({FactorKind::Replicate, Combiner::None, size}, location);
}

void RuleBuilder::keepRestWhole() {
  auto keep = [&](bool isResult, unsigned value, ArrayRef<int64_t> shape) {
    for (auto [dim, size] : llvm::enumerate(shape)) {
      DimPlace location{isResult, value, int64_t(dim)};
      if (getFactors(location)[dim].empty())
        addWhole(size, location);
    }
  };
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    keep(false, index, getShape(operand));
  for (auto [index, value] : llvm::enumerate(op->getResults()))
    keep(true, index, getShape(value));
}

void RuleBuilder::keepAllWhole(StringRef why) {
  result = makeRule(op);
  result.whole = why.str();
  keepRestWhole();
}

/// A dim with a scale for each index cannot be split: the scales are part of the type.
void RuleBuilder::keepPerAxisDimsWhole() {
  auto keep = [&](Type type, const ValueFactors &factors) {
    auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(type));
    if (!perAxis || size_t(perAxis.getQuantizedDimension()) >= factors.size())
      return;
    for (uint8_t factor : factors[perAxis.getQuantizedDimension()])
      result.rule.factors[factor] = {FactorKind::Replicate, Combiner::None, result.rule.factors[factor].size};
  };
  for (auto [type, factors] : llvm::zip_equal(op->getOperandTypes(), result.rule.operands))
    keep(type, factors);
  for (auto [type, factors] : llvm::zip_equal(op->getResultTypes(), result.rule.results))
    keep(type, factors);
}

OpRule RuleBuilder::finish(StringRef why) {
  if (!hasStaticShapes(op)) {
    keepAllWhole("shapes that are known only when the program runs are not split");
    return std::move(result);
  }
  keepRestWhole();
  keepPerAxisDimsWhole();
  if (!llvm::all_of(result.rule.factors, [](const Factor &factor) { return factor.isSplittable(); }))
    result.whole = why.empty() ? "a dim with quantization scales of its own stays whole" : why.str();
  return std::move(result);
}

bool hasStaticShapes(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return !tensor || tensor.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) && llvm::all_of(op->getResultTypes(), isStatic);
}

Combiner getSumCombiner(Type type) { return type.isInteger(1) ? Combiner::Or : Combiner::Add; }

bool isQuantizedElement(Type type) { return isa<quant::QuantizedType>(type); }

} // namespace partita::program::rules
