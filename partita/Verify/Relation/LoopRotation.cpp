//===- LoopRotation.cpp - loops that compute values an iteration ahead ----===//

#include "partita/Verify/Relation/LoopRotation.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Barriers.h"
#include "partita/Program/Effects.h"
#include "partita/Verify/Relation/BodyMatch.h"
#include "partita/Verify/Relation/CarriedReductions.h"
#include "partita/Verify/Relation/Numbering.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace partita::verify {

/// The loops and branches of a block, in order. Those of both programs have the same order.
static SmallVector<Operation *> listStructured(Block &block) {
  SmallVector<Operation *> list;
  for (Operation &op : block)
    if (isStructured(&op))
      list.push_back(&op);
  return list;
}

/// Calls `visit` for each pair of loops, the inner ones first. Blocks of different structure are left to the check.
static void visitLoops(Block &original, Block &local,
                       llvm::function_ref<void(stablehlo::WhileOp, stablehlo::WhileOp)> visit) {
  SmallVector<Operation *> left = listStructured(original), right = listStructured(local);
  if (left.size() != right.size())
    return;
  for (auto [mine, other] : llvm::zip_equal(left, right)) {
    if (mine->getName() != other->getName() || mine->getNumRegions() != other->getNumRegions())
      return;
    for (auto [region, otherRegion] : llvm::zip_equal(mine->getRegions(), other->getRegions()))
      visitLoops(region.front(), otherRegion.front(), visit);
    if (auto loop = dyn_cast<stablehlo::WhileOp>(mine))
      visit(loop, cast<stablehlo::WhileOp>(other));
  }
}

/// Ops that give the same whenever all devices run them on the same values. All devices run the same iterations: the
/// check shows that they agree on each loop's condition.
static bool isFunction(Operation *op) {
  if (isa<stablehlo::AllGatherOp, stablehlo::CollectivePermuteOp, stablehlo::AllToAllOp, stablehlo::PartitionIdOp>(op))
    return true;
  return op->getNumRegions() == 0 && op->getNumResults() == 1 && program::mayRunAgain(op);
}

namespace {

/// A loop of which the values behind the first `numKept` may be functions of these.
class Unrotation {
public:
  Unrotation(stablehlo::WhileOp loop, unsigned numKept)
      : loop(loop), body(loop.getBody().front()), numKept(numKept), builder(&body, body.begin()) {}

  void run();

private:
  /// The value at the beginning of an iteration that starts as `initial` and comes back as `next`; null if none is
  /// found. What is made for it stands at the beginning of the body.
  Value find(Value initial, Value next, unsigned depth = 0);
  Value findCarried(Value initial, Value next);
  void replaceLoop();

  stablehlo::WhileOp loop;
  Block &body;
  unsigned numKept;
  OpBuilder builder;
  std::map<std::pair<void *, void *>, Value> known;
  /// Ops that computed what is no longer carried.
  llvm::SetVector<Operation *> old;
};

} // namespace

Value Unrotation::findCarried(Value initial, Value next) {
  for (unsigned number = 0; number < numKept; ++number)
    if (skipBarriers(loop.getOperand()[number]) == initial &&
        skipBarriers(body.getTerminator()->getOperand(number)) == next)
      return body.getArgument(number);
  return {};
}

/// What is computed ahead is shallow; deeper computations are not looked at.
static constexpr unsigned maxDepth = 256;
static constexpr size_t maxPairs = 65536;

Value Unrotation::find(Value initial, Value next, unsigned depth) {
  if (depth > maxDepth || known.size() > maxPairs)
    return {};
  initial = skipBarriers(initial), next = skipBarriers(next);
  auto [place, isNew] = known.try_emplace({initial.getAsOpaquePointer(), next.getAsOpaquePointer()});
  if (!isNew)
    return place->second;
  // A value from outside of the loop is the same in all iterations.
  if (initial == next)
    return place->second = initial;
  if (Value carried = findCarried(initial, next))
    return place->second = carried;
  Operation *first = initial.getDefiningOp(), *second = next.getDefiningOp();
  if (!first || !second || second->getBlock() != &body || !isFunction(first) || !isSameCollective(first, second) ||
      first->getNumOperands() != second->getNumOperands() || first->getResultTypes() != second->getResultTypes() ||
      cast<OpResult>(initial).getResultNumber() != cast<OpResult>(next).getResultNumber())
    return {};
  IRMapping mapping;
  for (auto [mine, other] : llvm::zip_equal(first->getOperands(), second->getOperands())) {
    Value operand = find(mine, other, depth + 1);
    if (!operand)
      return {};
    mapping.map(other, operand);
  }
  old.insert(first);
  old.insert(second);
  Operation *made = builder.clone(*second, mapping);
  return known[{initial.getAsOpaquePointer(), next.getAsOpaquePointer()}] =
             made->getResult(cast<OpResult>(next).getResultNumber());
}

/// The loop without what is behind the first `numKept` values, which nothing uses.
void Unrotation::replaceLoop() {
  Block &condition = loop.getCond().front();
  llvm::BitVector isDropped(loop->getNumResults());
  isDropped.set(numKept, loop->getNumResults());
  body.getTerminator()->eraseOperands(isDropped);
  body.eraseArguments(isDropped);
  condition.eraseArguments(isDropped);
  SmallVector<Value> initial(loop.getOperand().take_front(numKept));
  OpBuilder outside(loop);
  auto made = stablehlo::WhileOp::create(outside, loop.getLoc(), TypeRange(ValueRange(initial)), initial);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getCond().takeBody(loop.getCond());
  made.getBody().takeBody(loop.getBody());
  for (unsigned number = 0; number < numKept; ++number)
    loop->getResult(number).replaceAllUsesWith(made->getResult(number));
  loop->erase();
}

void Unrotation::run() {
  SmallVector<Value> replaced;
  for (unsigned number = numKept; number < loop->getNumResults(); ++number) {
    bool isOwn = loop.getCond().front().getArgument(number).use_empty() && loop->getResult(number).use_empty();
    if (isOwn && body.getArgument(number).use_empty()) {
      replaced.emplace_back();
      continue;
    }
    Value value = isOwn ? find(loop.getOperand()[number], body.getTerminator()->getOperand(number)) : Value();
    if (!value)
      return;
    replaced.push_back(value);
  }
  for (auto [number, value] : llvm::enumerate(replaced))
    if (value)
      body.getArgument(numKept + static_cast<unsigned>(number)).replaceAllUsesWith(value);
  replaceLoop();
  // Operands were put in before the ops that take them.
  for (bool isAny = true; isAny;) {
    isAny = false;
    for (Operation *op : SmallVector<Operation *>(old.getArrayRef()))
      if (op->use_empty()) {
        old.remove(op);
        op->erase();
        isAny = true;
      }
  }
}

bool hasRotated(Block &original, Block &local) {
  bool isFound = false;
  visitLoops(original, local, [&](stablehlo::WhileOp mine, stablehlo::WhileOp other) {
    isFound |= other->getNumResults() > mine->getNumResults();
  });
  return isFound;
}

void unrotate(Block &original, Block &local) {
  visitLoops(original, local, [&](stablehlo::WhileOp mine, stablehlo::WhileOp other) {
    if (other->getNumResults() <= mine->getNumResults())
      return;
    uncarry(other, mine->getNumResults());
    Unrotation(other, mine->getNumResults()).run();
  });
}

} // namespace partita::verify
