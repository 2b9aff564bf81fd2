//===- CodeRewriter.cpp - writes cones of straight code -------------------===//

#include "partita/Remat/CodeRewriter.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Remat/Fence.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace partita::remat {

namespace {

class CodeRewriter {
public:
  CodeRewriter(const StraightCode &code, const ProgramIndex &index, const CodeRequest &request, RematReport &report)
      : code(code), index(index), request(request), report(report), builder(code.getBlock().getParentOp()) {
    for (const std::vector<Value> &group : request.recompute)
      dropped.insert_range(group);
  }

  Status run();

private:
  /// Values that are recomputed together, and the first op that needs one of them.
  struct Group {
    ArrayRef<Value> values;
    Operation *end;
    size_t number;
  };

  std::vector<Group> orderGroups() const;
  Status recompute(ArrayRef<Value> group, Operation *end);
  Operation *findFirstUse(ArrayRef<Value> group) const;
  Value findCotangent(ArrayRef<Value> group, Operation *end) const;
  void countInputs(const Cone &cone);
  IRMapping addBarrier(const Cone &cone, Value cotangent, Operation *end);
  Operation *findInBlock(Operation *op) const { return code.getBlock().findAncestorOpInBlock(*op); }
  /// Whether the user, or what is around it in the block, is `end` or stands behind it.
  bool isFrom(Operation *user, Operation *end) const {
    Operation *around = findInBlock(user);
    return around && !around->isBeforeInBlock(end);
  }

  const StraightCode &code;
  const ProgramIndex &index;
  const CodeRequest &request;
  RematReport &report;
  OpBuilder builder;
  llvm::DenseSet<Value> dropped;
  /// The last barrier that was written; null if there is none.
  Operation *fence = nullptr;
  /// The late results that passed it, and no other one before.
  SmallVector<Value> passed;
};

} // namespace

/// The first op of the backward pass that uses a value of the group.
Operation *CodeRewriter::findFirstUse(ArrayRef<Value> group) const {
  Operation *first = nullptr;
  for (Value value : group)
    for (Operation *user : value.getUsers())
      if (Operation *around = findInBlock(user); code.isBackward(around) && (!first || around->isBeforeInBlock(first)))
        first = around;
  return first;
}

/// A value that the ops from `end` on need and that is ready as late as possible: an operand of `end` that the backward
/// pass computes, or else the last value before. Null if there is none.
Value CodeRewriter::findCotangent(ArrayRef<Value> group, Operation *end) const {
  auto isLate = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == &code.getBlock() && !index.isFree(op) && !llvm::is_contained(group, value) &&
           isa<RankedTensorType>(value.getType()) && !op->hasTrait<OpTrait::ConstantLike>();
  };
  for (Value operand : end->getOperands())
    if (isLate(operand) && code.isBackward(operand.getDefiningOp()))
      return operand;
  for (Operation *op = end->getPrevNode(); op; op = op->getPrevNode())
    for (Value result : op->getResults())
      if (isLate(result) && llvm::any_of(result.getUsers(), [&](Operation *user) { return isFrom(user, end); }))
        return result;
  return {};
}

/// Values of the forward pass that were not needed behind it before.
void CodeRewriter::countInputs(const Cone &cone) {
  for (Value leaf : cone.leaves) {
    CellId cell = leaf.getDefiningOp() ? index.getCell(leaf) : CellId();
    if (!cell.isValid() || code.isCrossing(leaf))
      continue;
    ++report.numInputs;
    report.inputBytes += index.getGraph().getBytes(cell);
  }
}

/// What copies of the cone's ops read. From `end` on, the cotangent that passed the barrier is used.
IRMapping CodeRewriter::addBarrier(const Cone &cone, Value cotangent, Operation *end) {
  SmallVector<Value> operands(cone.leaves.begin(), cone.leaves.end());
  if (cotangent && !cone.leaves.contains(cotangent))
    operands.push_back(cotangent);
  Operation *begin = fence ? fence->getNextNode() : &code.getBlock().front();
  std::vector<LateResult> late = findLateResults(code, index, begin, end, operands, passed);
  SmallVector<Value> all(operands);
  for (const LateResult &result : late)
    all.push_back(result.value);
  builder.setInsertionPoint(end);
  auto barrier =
      stablehlo::OptimizationBarrierOp::create(builder, cone.ops.front()->getLoc(), TypeRange(ValueRange(all)), all);
  IRMapping mapped;
  mapped.map(operands, barrier.getResults().take_front(operands.size()));
  if (cotangent)
    cotangent.replaceUsesWithIf(mapped.lookup(cotangent), [&](OpOperand &use) { return isFrom(use.getOwner(), end); });
  passLateResults(late, barrier.getResults().drop_front(operands.size()), barrier);
  fence = barrier;
  // What passed once passes the next one as well, by which it is reduced (GivenCones.h).
  size_t numAgain =
      llvm::count_if(late, [&](const LateResult &each) { return llvm::is_contained(passed, each.value); });
  passed.assign(barrier->result_begin() + operands.size() + numAgain, barrier->result_end());
  return mapped;
}

Status CodeRewriter::recompute(ArrayRef<Value> group, Operation *end) {
  Cone cone = code.findCone(group, dropped);
  if (cone.forbidden)
    return refuseSecondRun(cone.forbidden);
  countInputs(cone);
  IRMapping mapped = addBarrier(cone, findCotangent(group, end), end);
  for (Operation *op : cone.ops)
    builder.clone(*op, mapped);
  report.numAddedOps += cone.ops.size();
  for (Value value : group)
    value.replaceUsesWithIf(mapped.lookup(value), [&](OpOperand &use) {
      return isFrom(use.getOwner(), end) && code.isBackward(use.getOwner());
    });
  return std::nullopt;
}

/// The groups that the backward pass needs, in the order in which it does.
std::vector<CodeRewriter::Group> CodeRewriter::orderGroups() const {
  std::vector<Group> groups;
  for (const std::vector<Value> &group : request.recompute)
    if (Operation *end = findFirstUse(group))
      groups.push_back({group, end, groups.size()});
  llvm::sort(groups, [](const Group &a, const Group &b) {
    return a.end == b.end ? a.number < b.number : a.end->isBeforeInBlock(b.end);
  });
  return groups;
}

Status CodeRewriter::run() {
  for (EqualValues equal : request.keep)
    equal.backward.replaceAllUsesWith(equal.forward);
  for (const Group &group : orderGroups())
    if (Status wrong = recompute(group.values, group.end))
      return wrong;
  return std::nullopt;
}

Status rewriteCode(const StraightCode &code, const ProgramIndex &index, const CodeRequest &request,
                   RematReport &report) {
  return CodeRewriter(code, index, request, report).run();
}

} // namespace partita::remat
