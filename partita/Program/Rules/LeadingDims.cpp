//===- LeadingDims.cpp - rules of ops with batch dims ---------------------===//

#include "partita/Program/Rules/LeadingDims.h"

using namespace mlir;

namespace partita::program::rules {

bool haveLeadingDims(Operation *op, int64_t count) {
  if (op->getNumResults() == 0)
    return false;
  ArrayRef<int64_t> first = getShape(op->getResult(0));
  auto agrees = [&](Value value) {
    ArrayRef<int64_t> shape = getShape(value);
    return isa<RankedTensorType>(value.getType()) && static_cast<int64_t>(shape.size()) >= count &&
           shape.take_front(count) == first.take_front(count);
  };
  return static_cast<int64_t>(first.size()) >= count && llvm::all_of(op->getOperands(), agrees) &&
         llvm::all_of(op->getResults(), agrees);
}

void addLeadingDims(Operation *op, OpRule &result, int64_t count) {
  Rule &rule = result.rule;
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  for (int64_t dim = 0; dim < count; ++dim) {
    if (shape[dim] <= 1)
      continue;
    uint8_t factor = rule.addFactor(FactorKind::Parallel, shape[dim]);
    for (ValueFactors &value : rule.operands)
      value[dim].push_back(factor);
    for (ValueFactors &value : rule.results)
      value[dim].push_back(factor);
  }
  keepRestWhole(op, result);
}

} // namespace partita::program::rules
