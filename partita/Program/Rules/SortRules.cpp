//===- SortRules.cpp - sort, top_k, scan ----------------------------------===//
//
// Each line along the sorted dim is sorted alone, so the other dims are
// parallel.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/LeadingDims.h"

using namespace mlir;

namespace partita::program::rules {

static OpRule ruleOfSort(stablehlo::SortOp op, RuleContext &) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  ArrayRef<int64_t> shape = getShape(op.getInputs().front());
  int64_t rank = shape.size(), sorted = static_cast<int64_t>(op.getDimension());
  if (sorted < 0)
    sorted += rank;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (shape[dim] <= 1)
      continue;
    uint8_t factor = rule.addFactor(dim == sorted ? FactorKind::Replicate : FactorKind::Parallel, shape[dim]);
    for (unsigned i = 0; i < op.getInputs().size(); ++i) {
      rule.operands[i][dim].push_back(factor);
      rule.results[i][dim].push_back(factor);
    }
  }
  result.whole = "the sorted dim";
  return result;
}

static OpRule ruleOfTopK(chlo::TopKOp op, RuleContext &) {
  OpRule result = makeRule(op);
  addLeadingDims(op, result, getShape(op.getOperand()).drop_back().size());
  result.whole = "the last dim, of which the largest elements are taken";
  return result;
}

static OpRule ruleOfScan(chlo::ScanOp op, RuleContext &) {
  return makeWholeRule(op, "everything: its body is written for slices of these sizes");
}

void registerSortRules(RuleTable &table) {
  table.add<stablehlo::SortOp, ruleOfSort>();
  table.add<chlo::TopKOp, ruleOfTopK>();
  table.add<chlo::ScanOp, ruleOfScan>();
}

} // namespace partita::program::rules
