//===- PaddingReach.cpp - which dims become longer together ---------------===//

#include "partita/Padding/PaddingReach.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Padding/PaddableFactors.h"

#include <numeric>

using namespace mlir;

namespace partita::padding {

namespace {

class ReachSearch {
public:
  ReachSearch(const llvm::DenseSet<Operation *> &freeOps, const UserRules &userRules)
      : freeOps(freeOps), userRules(userRules) {}

  void add(const PaddingRoot &root);
  Result<PaddingReach> finish();

private:
  void enter(Value value, uint32_t dim, PaddedRows rows);
  void visit(Value value, uint32_t dim);
  void visitOp(Operation *op, Value value, uint32_t dim, PaddedRows rows);
  void visitFactor(Operation *op, const Rule &rule, const DimFactors &factors, PaddedRows rows);
  void enterCarried(stablehlo::WhileOp loop, unsigned number, uint32_t dim, PaddedRows rows);
  void enterBranches(Operation *op, unsigned number, uint32_t dim, PaddedRows rows);
  void enterYielded(Operation *terminator, unsigned number, uint32_t dim, PaddedRows rows);
  const Rule *getRule(Operation *op);

  const llvm::DenseSet<Operation *> &freeOps;
  const UserRules &userRules;
  PaddingReach result;
  std::vector<std::pair<Value, uint32_t>> worklist;
  Status error;
};

} // namespace

static int64_t getMinorSize(const Rule &rule, const DimFactors &factors) {
  int64_t size = 1;
  for (uint8_t factor : ArrayRef(factors).drop_front())
    size *= rule.factors[factor].size;
  return size;
}

const Rule *ReachSearch::getRule(Operation *op) {
  auto known = result.rules.find(op);
  if (known != result.rules.end())
    return &known->second;
  Result<OpRule> rule = computeRule(op, userRules);
  if (!rule) {
    error = rule.error();
    return nullptr;
  }
  return &(result.rules[op] = std::move(rule->rule));
}

void ReachSearch::enter(Value value, uint32_t dim, PaddedRows rows) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *definition = value.getDefiningOp();
  if (!type || (definition && freeOps.contains(definition)))
    return;
  assert(type.getDimSize(dim) == result.groups[rows.group].rows * rows.inner && "padded rows are no dim");
  PaddedList &list = result.values[value];
  list.resize(type.getRank());
  if (list[dim])
    return;
  list[dim] = rows;
  worklist.push_back({value, dim});
}

/// A carried value is one: its beginning, its next value, and what the condition and the body see.
void ReachSearch::enterCarried(stablehlo::WhileOp loop, unsigned number, uint32_t dim, PaddedRows rows) {
  enter(loop->getResult(number), dim, rows);
  enter(loop->getOperand(number), dim, rows);
  enter(loop.getCond().front().getArgument(number), dim, rows);
  enter(loop.getBody().front().getArgument(number), dim, rows);
  enter(loop.getBody().front().getTerminator()->getOperand(number), dim, rows);
}

void ReachSearch::enterBranches(Operation *op, unsigned number, uint32_t dim, PaddedRows rows) {
  enter(op->getResult(number), dim, rows);
  for (mlir::Region &branch : op->getRegions())
    enter(branch.front().getTerminator()->getOperand(number), dim, rows);
}

void ReachSearch::enterYielded(Operation *terminator, unsigned number, uint32_t dim, PaddedRows rows) {
  Operation *parent = terminator->getParentOp();
  auto loop = dyn_cast<stablehlo::WhileOp>(parent);
  if (loop && terminator->getParentRegion() == &loop.getBody())
    enterCarried(loop, number, dim, rows);
  if (isa<stablehlo::CaseOp, stablehlo::IfOp>(parent))
    enterBranches(parent, number, dim, rows);
}

void ReachSearch::visitFactor(Operation *op, const Rule &rule, const DimFactors &factors, PaddedRows rows) {
  if (factors.empty())
    return;
  uint8_t factor = factors.front();
  int64_t minor = getMinorSize(rule, factors);
  if (rows.inner % minor != 0 || !mayBePadded(op, rule, factor))
    return;
  PaddedList &list = result.ops[op];
  list.resize(rule.factors.size());
  if (list[factor])
    return;
  PaddedRows ofFactor{rows.group, rows.inner / minor};
  list[factor] = ofFactor;
  auto enterDims = [&](ValueRange values, ArrayRef<ValueFactors> factorsOfValues) {
    for (auto [value, dims] : llvm::zip_equal(values, factorsOfValues))
      for (auto [dim, dimFactors] : llvm::enumerate(dims))
        if (!dimFactors.empty() && dimFactors.front() == factor)
          enter(value, dim, {ofFactor.group, ofFactor.inner * getMinorSize(rule, dimFactors)});
  };
  enterDims(op->getOperands(), rule.operands);
  enterDims(op->getResults(), rule.results);
}

void ReachSearch::visitOp(Operation *op, Value value, uint32_t dim, PaddedRows rows) {
  const Rule *rule = isPaddable(op) ? getRule(op) : nullptr;
  if (!rule)
    return;
  for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), rule->operands))
    if (operand == value)
      visitFactor(op, *rule, factors[dim], rows);
  for (auto [made, factors] : llvm::zip_equal(op->getResults(), rule->results))
    if (made == value)
      visitFactor(op, *rule, factors[dim], rows);
}

void ReachSearch::visit(Value value, uint32_t dim) {
  PaddedRows rows = *result.values[value][dim];
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto loop = dyn_cast<stablehlo::WhileOp>(user))
      enterCarried(loop, use.getOperandNumber(), dim, rows);
    else if (user->hasTrait<OpTrait::IsTerminator>())
      enterYielded(user, use.getOperandNumber(), dim, rows);
    else
      visitOp(user, value, dim, rows);
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto loop = dyn_cast<stablehlo::WhileOp>(argument.getOwner()->getParentOp()))
      enterCarried(loop, argument.getArgNumber(), dim, rows);
    return;
  }
  Operation *definition = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<stablehlo::WhileOp>(definition))
    enterCarried(loop, number, dim, rows);
  else if (isa<stablehlo::CaseOp, stablehlo::IfOp>(definition))
    enterBranches(definition, number, dim, rows);
  else
    visitOp(definition, value, dim, rows);
}

void ReachSearch::add(const PaddingRoot &root) {
  auto known = result.values.find(root.value);
  if (known != result.values.end() && known->second[root.dim]) {
    result.groupOfRoot.push_back(known->second[root.dim]->group);
    PaddingGroup &group = result.groups[result.groupOfRoot.back()];
    group.multiple = std::lcm(group.multiple, root.multiple);
    return;
  }
  int64_t size = cast<RankedTensorType>(root.value.getType()).getDimSize(root.dim);
  result.groupOfRoot.push_back(result.groups.size());
  result.groups.push_back({size / root.inner, root.multiple});
  enter(root.value, root.dim, {static_cast<uint32_t>(result.groups.size() - 1), root.inner});
  while (!worklist.empty() && !error) {
    auto [value, dim] = worklist.back();
    worklist.pop_back();
    visit(value, dim);
  }
}

Result<PaddingReach> ReachSearch::finish() {
  if (error)
    return std::move(*error);
  return std::move(result);
}

Result<PaddingReach> computeReach(ArrayRef<PaddingRoot> roots, const llvm::DenseSet<Operation *> &freeOps,
                                  const UserRules &userRules) {
  ReachSearch search(freeOps, userRules);
  for (const PaddingRoot &root : roots)
    search.add(root);
  return search.finish();
}

} // namespace partita::padding
