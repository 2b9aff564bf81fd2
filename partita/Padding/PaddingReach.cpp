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
  void visitDim(Operation *op, const Rule &rule, rules::DimRef dim, PaddedRows rows);
  void visitFactor(Operation *op, const Rule &rule, const DimFactors &factors, PaddedRows rows);
  void visitLink(Operation *op, DimLink link, PaddedRows rows);
  /// Makes a group of its own for a dim that is in none yet. Returns what the dim belongs to.
  PaddedRows enterLinked(Value value, uint32_t dim, int64_t multiple, int64_t inner);
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

PaddedRows ReachSearch::enterLinked(Value value, uint32_t dim, int64_t multiple, int64_t inner) {
  auto known = result.values.find(value);
  if (known != result.values.end() && known->second[dim]) {
    PaddingGroup &group = result.groups[known->second[dim]->group];
    group.multiple = std::lcm(group.multiple, multiple);
    return *known->second[dim];
  }
  auto group = static_cast<uint32_t>(result.groups.size());
  result.groups.push_back({cast<RankedTensorType>(value.getType()).getDimSize(dim) / inner, multiple});
  PaddedRows rows{group, inner};
  enter(value, dim, rows);
  return rows;
}

static Value getValue(Operation *op, rules::DimRef dim) {
  return dim.isResult ? Value(op->getResult(dim.value)) : op->getOperand(dim.value);
}

/// Padding of a few rows for many devices would be most of what they compute.
static bool wastesLittle(int64_t size, int64_t padded) { return 3 * padded <= 4 * size; }

void ReachSearch::visitLink(Operation *op, DimLink link, PaddedRows rows) {
  SmallVector<ReachedLink, 2> &known = result.links[op];
  auto isSame = [&](const ReachedLink &other) {
    return other.link.kind == link.kind && other.link.index == link.index;
  };
  if (llvm::any_of(known, isSame))
    return;
  int64_t multiple = result.groups[rows.group].multiple, steps = link.countSteps(multiple);
  SmallVector<int64_t> inner;
  for (const DimLink::End &end : link.ends) {
    int64_t size = cast<RankedTensorType>(getValue(op, end.dim).getType()).getDimSize(end.dim.dim);
    // Rows go on in groups of as many elements.
    bool isMoved = link.kind == DimLink::Kind::Rows;
    inner.push_back(isMoved && size % rows.inner == 0 ? rows.inner : 1);
    PaddingGroup own{size / inner.back(), multiple};
    int64_t padded = isMoved ? own.getPaddedRows() * inner.back() : steps * end.scale;
    if (size < 1 || !wastesLittle(size, padded))
      return;
  }
  ReachedLink reached{std::move(link), {}};
  for (auto [end, count] : llvm::zip_equal(reached.link.ends, inner))
    reached.rows.push_back(enterLinked(getValue(op, end.dim), end.dim.dim, multiple, count));
  known.push_back(std::move(reached));
  PaddedList &list = result.ops[op];
  list.resize(result.rules[op].factors.size());
}

void ReachSearch::visitDim(Operation *op, const Rule &rule, rules::DimRef dim, PaddedRows rows) {
  if (std::optional<DimLink> link = findDimLink(op, dim))
    return visitLink(op, std::move(*link), rows);
  visitFactor(op, rule, (dim.isResult ? rule.results : ArrayRef(rule.operands))[dim.value][dim.dim], rows);
}

void ReachSearch::visitOp(Operation *op, Value value, uint32_t dim, PaddedRows rows) {
  const Rule *rule = isPaddable(op) ? getRule(op) : nullptr;
  if (!rule)
    return;
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (operand == value)
      visitDim(op, *rule, rules::ofOperand(number, dim), rows);
  for (auto [number, made] : llvm::enumerate(op->getResults()))
    if (made == value)
      visitDim(op, *rule, rules::ofResult(number, dim), rows);
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

SmallVector<int64_t> PaddingReach::getPaddedSizes(const ReachedLink &reached) const {
  int64_t multiple = 1;
  for (const PaddedRows &rows : reached.rows)
    multiple = std::lcm(multiple, groups[rows.group].multiple);
  int64_t steps = reached.link.countSteps(multiple);
  bool isFree = reached.link.kind == DimLink::Kind::Rows;
  SmallVector<int64_t> sizes;
  for (auto [end, rows] : llvm::zip_equal(reached.link.ends, reached.rows))
    sizes.push_back(isFree ? getPaddedSize(rows) : steps * end.scale);
  return sizes;
}

Result<PaddingReach> computeReach(ArrayRef<PaddingRoot> roots, const llvm::DenseSet<Operation *> &freeOps,
                                  const UserRules &userRules) {
  ReachSearch search(freeOps, userRules);
  for (const PaddingRoot &root : roots)
    search.add(root);
  return search.finish();
}

} // namespace partita::padding
