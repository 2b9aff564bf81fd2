//===- IdentityRules.cpp - the rules of a flat program's identities -------===//

#include "partita/Program/IdentityRules.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::program {

static Rule makeIdentityRule(llvm::ArrayRef<int64_t> shape, FactorKind kind) {
  Rule rule;
  rule.operands.resize(1, ValueFactors(shape.size()));
  rule.results.resize(1, ValueFactors(shape.size()));
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size <= 1)
      continue;
    uint8_t factor = rule.addFactor(kind, size);
    rule.operands[0][dim].push_back(factor);
    rule.results[0][dim].push_back(factor);
  }
  return rule;
}

RuleRange IdentityRules::get(llvm::ArrayRef<int64_t> shape, bool staysWhole) {
  auto [it, isNew] = known.try_emplace({shape.vec(), staysWhole});
  if (isNew)
    it->second = pool.add(makeIdentityRule(shape, staysWhole ? FactorKind::Replicate : FactorKind::Parallel));
  return it->second;
}

} // namespace partita::program
