//===- RuleBuilder.cpp - an op's rule, written factor by factor -----------===//

#include "partita/Program/Rules/RuleBuilder.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

#include <numeric>

using namespace mlir;

namespace partita::program::rules {

/// The largest number of factors that a uint8_t index can tell apart. Further factors (of ops with hundreds of
/// operands) are left out, so their dims stay whole.
static constexpr size_t maxFactors = UINT8_MAX - 1;

ValueFactors &RuleBuilder::getFactors(DimRef dim) {
  return dim.isResult ? result.rule.results[dim.value] : result.rule.operands[dim.value];
}

int64_t RuleBuilder::getSize(DimRef dim) const {
  Value value = dim.isResult ? Value(op->getResult(dim.value)) : op->getOperand(dim.value);
  return getShape(value)[dim.dim];
}

void RuleBuilder::add(Factor factor, ArrayRef<DimRef> dims) {
  if (factor.size <= 1 || result.rule.factors.size() >= maxFactors)
    return;
  uint8_t index = result.rule.addFactor(factor.kind, factor.size, factor.combiner);
  result.rule.factors[index] = factor;
  for (DimRef dim : dims)
    getFactors(dim)[dim.dim].push_back(index);
}

void RuleBuilder::addParallel(int64_t size, ArrayRef<DimRef> dims, Halo halo) {
  add({FactorKind::Parallel, Combiner::None, size, halo}, dims);
}

void RuleBuilder::addSum(int64_t size, ArrayRef<DimRef> dims, Halo halo) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (isQuantizedElement(type))
    return add({FactorKind::Replicate, Combiner::None, size}, dims);
  add({FactorKind::Reduce, getSumCombiner(type), size, halo}, dims);
}

void RuleBuilder::addReversed(int64_t size, ArrayRef<DimRef> dims) {
  Factor factor;
  factor.size = size;
  factor.isReversed = true;
  // Quantized elements stay where they are.
  if (isQuantizedElement(getElementTypeOrSelf(op->getResult(0).getType())))
    factor = {FactorKind::Replicate, Combiner::None, size};
  add(factor, dims);
}

bool RuleBuilder::addMoved(ArrayRef<DimRef> dims, int64_t shift) {
  int64_t count = 0;
  for (DimRef dim : dims)
    count = std::gcd(count, std::max<int64_t>(1, getSize(dim)));
  // One factor, and a rest for each dim.
  bool isFull = result.rule.factors.size() + dims.size() + 1 > maxFactors;
  if (count == 1 || isFull || isQuantizedElement(getElementTypeOrSelf(op->getResult(0).getType())))
    return false;
  add({FactorKind::Parallel, Combiner::None, count, {}, shift}, dims);
  for (DimRef dim : dims)
    addWhole(getSize(dim) / count, dim);
  return true;
}

void RuleBuilder::addWindow(DimRef dim) { add({FactorKind::Window, Combiner::None, getSize(dim)}, dim); }

void RuleBuilder::addWhole(int64_t size, DimRef dim) { add({FactorKind::Replicate, Combiner::None, size}, dim); }

void RuleBuilder::keepRestWhole() {
  auto keep = [&](bool isResult, unsigned value, ArrayRef<int64_t> shape) {
    for (auto [dim, size] : llvm::enumerate(shape)) {
      DimRef ref{isResult, value, int64_t(dim)};
      if (getFactors(ref)[dim].empty())
        addWhole(size, ref);
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
