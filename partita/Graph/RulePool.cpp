//===- RulePool.cpp - stores equal rules and shapes once ------------------===//

#include "partita/Graph/RulePool.h"

#include "partita/Support/Hash.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

namespace partita::graph {

uint32_t ShapePool::add(llvm::ArrayRef<int64_t> shape) {
  auto [it, isNew] = known.try_emplace(shape.vec(), graph.sizes.size());
  if (isNew)
    llvm::append_range(graph.sizes, shape);
  return it->second;
}

void RuleRange::setOn(Op &op) const {
  op.firstFactor = firstFactor;
  op.numFactors = numFactors;
  op.firstDimFactor = firstDimFactor;
  op.numDimFactors = numDimFactors;
}

/// Appends the entries of one value's dims.
static void appendDims(llvm::SmallVectorImpl<DimFactor> &out, const ValueFactors &factors, unsigned value) {
  for (auto [dim, dimFactors] : llvm::enumerate(factors))
    for (auto [position, factor] : llvm::enumerate(dimFactors))
      out.push_back({static_cast<uint16_t>(value), static_cast<uint16_t>(dim), factor, static_cast<uint8_t>(position)});
}

/// The same number for equal rules in every run. The multimap is only looked up, never iterated.
static size_t hashRule(llvm::ArrayRef<Factor> factors, llvm::ArrayRef<DimFactor> dims) {
  uint64_t hash = factors.size();
  auto mix = [&](uint64_t value) { hash = mixFastHash(hash, value); };
  for (const Factor &factor : factors) {
    mix(static_cast<uint64_t>(factor.size) * 64 + static_cast<uint64_t>(factor.kind) * 8 +
        static_cast<uint64_t>(factor.combiner));
    if (!factor.halo.isEmpty())
      mix(static_cast<uint64_t>(factor.halo.low) * 65536 + static_cast<uint64_t>(factor.halo.high));
    if (factor.shift)
      mix(static_cast<uint64_t>(*factor.shift));
    if (factor.isReversed || factor.isPrefix)
      mix(factor.isReversed ? 1 : 2);
  }
  for (const DimFactor &entry : dims)
    mix((uint64_t(entry.value) << 32) ^ (uint64_t(entry.dim) << 16) ^ (uint64_t(entry.factor) << 8) ^ entry.position);
  return finishFastHash(hash);
}

bool RulePool::isAt(const RuleRange &range, llvm::ArrayRef<Factor> factors, llvm::ArrayRef<DimFactor> dims) const {
  return llvm::ArrayRef(graph.factors).slice(range.firstFactor, range.numFactors) == factors &&
         llvm::ArrayRef(graph.dimFactors).slice(range.firstDimFactor, range.numDimFactors) == dims;
}

RuleRange RulePool::add(const Rule &rule) {
  llvm::SmallVector<DimFactor, 16> dims;
  unsigned value = 0;
  for (const ValueFactors &factors : rule.operands)
    appendDims(dims, factors, value++);
  for (const ValueFactors &factors : rule.results)
    appendDims(dims, factors, value++);
  size_t hash = hashRule(rule.factors, dims);
  auto [first, last] = known.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (isAt(it->second, rule.factors, dims))
      return it->second;
  RuleRange range;
  range.firstFactor = graph.factors.size();
  range.numFactors = rule.factors.size();
  range.firstDimFactor = graph.dimFactors.size();
  range.numDimFactors = dims.size();
  llvm::append_range(graph.factors, rule.factors);
  llvm::append_range(graph.dimFactors, dims);
  known.emplace(hash, range);
  return range;
}

Rule buildRule(const Graph &graph, OpId op) {
  Rule rule;
  rule.factors.assign(graph.getFactors(op).begin(), graph.getFactors(op).end());
  for (CellId cell : graph.getOperands(op))
    rule.operands.push_back(ValueFactors(graph.cells[cell].rank));
  for (CellId cell : graph.getResults(op))
    rule.results.push_back(ValueFactors(graph.cells[cell].rank));
  for (const DimFactor &entry : graph.getDimFactors(op)) {
    bool isOperand = entry.value < rule.operands.size();
    ValueFactors &value = isOperand ? rule.operands[entry.value] : rule.results[entry.value - rule.operands.size()];
    value[entry.dim].push_back(entry.factor);
  }
  return rule;
}

} // namespace partita::graph
