//===- OrderReach.cpp - which dims are put into another order together ----===//

#include "partita/Reorder/OrderReach.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Reorder/ReorderableFactors.h"

using namespace mlir;

namespace partita::reorder {

llvm::SmallVector<int64_t, 4> FusedDim::listParts(int64_t begin, int64_t end) const {
  llvm::SmallVector<int64_t, 4> parts;
  int64_t last = begin;
  for (auto cut = cuts.upper_bound(begin); cut != cuts.end() && *cut < end; ++cut) {
    parts.push_back(*cut - last);
    last = *cut;
  }
  parts.push_back(end - last);
  return parts;
}

bool FusedDim::isFused() const {
  llvm::SmallVector<int64_t, 4> parts = listParts(0, size);
  int64_t begin = 0;
  for (int64_t part : parts) {
    auto isInside = [&](const std::pair<int64_t, int64_t> &piece) {
      return piece.first <= begin && begin + part <= piece.second;
    };
    if (llvm::none_of(pieces, isInside))
      return false;
    begin += part;
  }
  return parts.size() > 1;
}

DimOrder OrderReach::getOrder(const Segment &segment) const {
  const FusedDim &dim = dims[segment.root];
  return {dim.groups, dim.listParts(segment.begin, segment.end)};
}

static int64_t getDimSize(Value value, unsigned dim) { return cast<RankedTensorType>(value.getType()).getDimSize(dim); }

int64_t getOffset(Operation *bridge, unsigned dim, unsigned operand) {
  if (auto slice = dyn_cast<stablehlo::SliceOp>(bridge))
    return slice.getStartIndices()[dim];
  if (auto pad = dyn_cast<stablehlo::PadOp>(bridge))
    return pad.getEdgePaddingLow()[dim];
  int64_t offset = 0;
  for (Value before : bridge->getOperands().take_front(operand))
    offset += getDimSize(before, dim);
  return offset;
}

namespace {

class ReachSearch {
public:
  ReachSearch(const llvm::DenseSet<Operation *> &freeOps, const UserRules &userRules)
      : freeOps(freeOps), userRules(userRules) {}

  void add(const OrderRoot &root);
  Result<OrderReach> finish();

private:
  void enter(Value value, uint32_t dim, Segment segment);
  void visit(Value value, uint32_t dim);
  void visitOp(Operation *op, Value value, uint32_t dim, Segment segment);
  void visitFactor(Operation *op, const Rule &rule, const DimFactors &factors, Segment segment);
  /// `whole` is the segment of the longer value: what is only reached as a piece has no order.
  void visitBridge(Operation *op, uint32_t dim, Segment whole);
  bool mayCut(const FusedDim &fused, int64_t position) const;
  void enterCarried(stablehlo::WhileOp loop, unsigned number, uint32_t dim, Segment segment);
  void enterBranches(Operation *op, unsigned number, uint32_t dim, Segment segment);
  void enterYielded(Operation *terminator, unsigned number, uint32_t dim, Segment segment);
  const Rule *getRule(Operation *op);

  const llvm::DenseSet<Operation *> &freeOps;
  const UserRules &userRules;
  OrderReach result;
  std::vector<std::pair<Value, uint32_t>> worklist;
  Status error;
};

} // namespace

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

void ReachSearch::enter(Value value, uint32_t dim, Segment segment) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *definition = value.getDefiningOp();
  if (!type || (definition && freeOps.contains(definition)))
    return;
  assert(type.getDimSize(dim) == segment.end - segment.begin && "a segment is no dim");
  SegmentList &list = result.values[value];
  list.resize(type.getRank());
  if (list[dim])
    return;
  list[dim] = segment;
  worklist.push_back({value, dim});
}

/// A carried value is one: its beginning, its next value, and what the condition and the body see.
void ReachSearch::enterCarried(stablehlo::WhileOp loop, unsigned number, uint32_t dim, Segment segment) {
  for (Value value :
       {Value(loop->getResult(number)), loop->getOperand(number), Value(loop.getCond().front().getArgument(number)),
        Value(loop.getBody().front().getArgument(number)), loop.getBody().front().getTerminator()->getOperand(number)})
    enter(value, dim, segment);
}

void ReachSearch::enterBranches(Operation *op, unsigned number, uint32_t dim, Segment segment) {
  enter(op->getResult(number), dim, segment);
  for (mlir::Region &branch : op->getRegions())
    enter(branch.front().getTerminator()->getOperand(number), dim, segment);
}

void ReachSearch::enterYielded(Operation *terminator, unsigned number, uint32_t dim, Segment segment) {
  Operation *parent = terminator->getParentOp();
  auto loop = dyn_cast<stablehlo::WhileOp>(parent);
  if (loop && terminator->getParentRegion() == &loop.getBody())
    enterCarried(loop, number, dim, segment);
  if (isa<stablehlo::CaseOp, stablehlo::IfOp>(parent))
    enterBranches(parent, number, dim, segment);
}

void ReachSearch::visitFactor(Operation *op, const Rule &rule, const DimFactors &factors, Segment segment) {
  if (factors.empty() || !mayBeReordered(op, rule, factors.front()))
    return;
  uint8_t factor = factors.front();
  SegmentList &list = result.ops[op];
  list.resize(rule.factors.size());
  if (list[factor])
    return;
  list[factor] = segment;
  auto enterDims = [&](ValueRange values, ArrayRef<ValueFactors> factorsOfValues) {
    for (auto [value, dims] : llvm::zip_equal(values, factorsOfValues))
      for (auto [dim, dimFactors] : llvm::enumerate(dims))
        if (llvm::is_contained(dimFactors, factor))
          enter(value, dim, segment);
  };
  enterDims(op->getOperands(), rule.operands);
  enterDims(op->getResults(), rule.results);
}

/// Pieces of all parts can only be as large as the groups divide, and more parts than this are none that a program has
/// side by side.
bool ReachSearch::mayCut(const FusedDim &fused, int64_t position) const {
  constexpr size_t mostCuts = 32;
  return position % fused.groups == 0 && (fused.cuts.size() < mostCuts || fused.cuts.contains(position));
}

void ReachSearch::visitBridge(Operation *op, uint32_t dim, Segment whole) {
  FusedDim &fused = result.dims[whole.root];
  std::vector<std::pair<Value, Segment>> pieces;
  auto addPiece = [&](Value value, unsigned operand) {
    int64_t begin = whole.begin + getOffset(op, dim, operand);
    pieces.push_back({value, {whole.root, begin, begin + getDimSize(value, dim)}});
  };
  if (isa<stablehlo::SliceOp>(op))
    addPiece(op->getResult(0), 0);
  else if (isa<stablehlo::PadOp>(op))
    addPiece(op->getOperand(0), 0);
  else
    for (auto [number, value] : llvm::enumerate(op->getOperands()))
      addPiece(value, number);
  for (const auto &[value, piece] : pieces)
    if (!mayCut(fused, piece.begin) || !mayCut(fused, piece.end))
      return;
  result.bridges[op] = {dim, whole};
  for (const auto &[value, piece] : pieces) {
    fused.cuts.insert({piece.begin, piece.end});
    fused.pieces.insert({piece.begin, piece.end});
    enter(value, dim, piece);
  }
}

void ReachSearch::visitOp(Operation *op, Value value, uint32_t dim, Segment segment) {
  if (!isReorderable(op))
    return;
  if (isBridge(op, dim)) {
    Value whole = isa<stablehlo::SliceOp>(op) ? op->getOperand(0) : Value(op->getResult(0));
    if (whole == value && !result.bridges.contains(op))
      visitBridge(op, dim, segment);
    return;
  }
  const Rule *rule = getRule(op);
  if (!rule)
    return;
  for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), rule->operands))
    if (operand == value)
      visitFactor(op, *rule, factors[dim], segment);
  for (auto [made, factors] : llvm::zip_equal(op->getResults(), rule->results))
    if (made == value)
      visitFactor(op, *rule, factors[dim], segment);
}

void ReachSearch::visit(Value value, uint32_t dim) {
  Segment segment = *result.values[value][dim];
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto loop = dyn_cast<stablehlo::WhileOp>(user))
      enterCarried(loop, use.getOperandNumber(), dim, segment);
    else if (user->hasTrait<OpTrait::IsTerminator>())
      enterYielded(user, use.getOperandNumber(), dim, segment);
    else
      visitOp(user, value, dim, segment);
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto loop = dyn_cast<stablehlo::WhileOp>(argument.getOwner()->getParentOp()))
      enterCarried(loop, argument.getArgNumber(), dim, segment);
    return;
  }
  Operation *definition = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<stablehlo::WhileOp>(definition))
    enterCarried(loop, number, dim, segment);
  else if (isa<stablehlo::CaseOp, stablehlo::IfOp>(definition))
    enterBranches(definition, number, dim, segment);
  else
    visitOp(definition, value, dim, segment);
}

void ReachSearch::add(const OrderRoot &root) {
  auto known = result.values.find(root.value);
  if (known != result.values.end() && known->second[root.dim]) {
    result.dimOfRoot.push_back(known->second[root.dim]->root);
    return;
  }
  int64_t size = getDimSize(root.value, root.dim);
  auto number = static_cast<uint32_t>(result.dims.size());
  result.dimOfRoot.push_back(number);
  result.dims.push_back({root.groups, size, {}, {}});
  if (root.groups < 2 || size % root.groups != 0)
    return;
  enter(root.value, root.dim, {number, 0, size});
  while (!worklist.empty() && !error) {
    auto [value, dim] = worklist.back();
    worklist.pop_back();
    visit(value, dim);
  }
}

Result<OrderReach> ReachSearch::finish() {
  if (error)
    return std::move(*error);
  return std::move(result);
}

Result<OrderReach> computeOrderReach(ArrayRef<OrderRoot> roots, const llvm::DenseSet<Operation *> &freeOps,
                                     const UserRules &userRules) {
  ReachSearch search(freeOps, userRules);
  for (const OrderRoot &root : roots)
    search.add(root);
  return search.finish();
}

} // namespace partita::reorder
