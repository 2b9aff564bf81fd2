//===- Digits.cpp - which elements of a dim belong to a microbatch --------===//

#include "partita/Temporal/Digits.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::temporal {

std::optional<FactorDigit> findFactor(const Rule &rule, const ValueFactors &value, RowDigit digit, int64_t count) {
  int64_t minor = 1;
  for (uint8_t factor : llvm::reverse(value[digit.dim])) {
    int64_t size = rule.factors[factor].size;
    if (digit.stride >= minor * size) {
      minor *= size;
      continue;
    }
    int64_t stride = digit.stride / minor;
    if (digit.stride % minor != 0 || size % (stride * count) != 0)
      return std::nullopt;
    return FactorDigit{factor, stride};
  }
  return std::nullopt;
}

std::optional<RowDigit> findDigit(const Rule &rule, const ValueFactors &value, FactorDigit digit) {
  for (auto [dim, factors] : llvm::enumerate(value)) {
    int64_t minor = 1;
    for (uint8_t factor : llvm::reverse(factors)) {
      if (factor == digit.factor)
        return RowDigit{static_cast<uint32_t>(dim), digit.stride * minor};
      minor *= rule.factors[factor].size;
    }
  }
  return std::nullopt;
}

const ValueFactors &getValue(const Rule &rule, uint32_t value) {
  uint32_t numOperands = rule.operands.size();
  return value < numOperands ? rule.operands[value] : rule.results[value - numOperands];
}

IdVector<OpId, Rule> buildRules(const Graph &graph) {
  IdVector<OpId, Rule> rules;
  rules.reserve(graph.ops.size());
  for (OpId op : idRange<OpId>(graph.ops.size()))
    rules.push_back(buildRule(graph, op));
  return rules;
}

} // namespace partita::temporal
