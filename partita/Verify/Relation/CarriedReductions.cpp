//===- CarriedReductions.cpp - loops that complete an iteration later -----===//

#include "partita/Verify/Relation/CarriedReductions.h"

#include "partita/Program/Barriers.h"
#include "partita/Program/Effects.h"
#include "partita/Verify/Relation/BodyMatch.h"
#include "partita/Verify/Relation/Numbering.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace partita::verify {

static bool isReduction(Operation *op) { return isa<stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(op); }

/// Ops of which each device makes the same of the same values, if all devices run them. All devices run the same
/// iterations: the check shows that they agree on each loop's condition.
static bool isFunction(Operation *op) {
  return isReduction(op) || (op->getNumRegions() == 0 && op->getNumResults() == 1 && program::mayRunAgain(op));
}

namespace {

/// What a value is in the first iteration: zeros, what the loop starts with at a number, or a slice of that.
struct Given {
  enum class Kind : uint8_t { Other, Zero, Start, Slice };

  Kind kind = Kind::Other;
  unsigned number = 0;
  Operation *slice = nullptr;
  bool operator==(const Given &) const = default;
};

const Given zero{Given::Kind::Zero, 0, nullptr};

class Completion {
public:
  Completion(stablehlo::WhileOp loop, unsigned numKept) : loop(loop), body(loop.getBody().front()), numKept(numKept) {}

  bool prepare();
  void run();

private:
  void dropBarriers();

  // The suffix.
  void findCarried();
  bool addSuffix();
  bool isInSuffix(Value value) const;
  bool addOperands();
  bool addSlice(Value value);
  bool addFree(Value value);
  bool isOwn(unsigned number);
  // The first iteration.
  Given find(Value value);
  Given compute(Operation *op);
  bool keepsStates();
  // Behind the loop.
  bool matchBehind();
  bool isSame(Value mine, Value behind);
  Operation *findBehind(Operation *op);

  stablehlo::WhileOp loop;
  Block &body;
  unsigned numKept;
  /// The carried values that the suffix takes and the original does not have, by number.
  llvm::SetVector<unsigned> carried;
  llvm::SetVector<Operation *> suffix, free;
  std::map<unsigned, Value> yields;
  llvm::DenseMap<Value, Given> given;
  /// By value of the body, what stands for it behind the loop.
  llvm::DenseMap<Value, Value> behind;
  llvm::SetVector<Operation *> opsBehind;
};

} // namespace

//===----------------------------------------------------------------------===//
// The suffix
//===----------------------------------------------------------------------===//

/// Whether all elements are zero.
static bool isZero(Value value, unsigned depth = 0) {
  Operation *op = skipBarriers(value).getDefiningOp();
  if (!op || depth > 8)
    return false;
  auto isZeroOperand = [&](unsigned number) { return isZero(op->getOperand(number), depth + 1); };
  return givesZeros(op, isZeroOperand) || (isa<stablehlo::ConvertOp>(op) && isZeroOperand(0));
}

/// Visits the uses of a value, and of what barriers pass on as the value.
static bool allUses(Value value, llvm::function_ref<bool(OpOperand &)> holds) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    auto barrier = dyn_cast<stablehlo::OptimizationBarrierOp>(use.getOwner());
    return barrier ? allUses(barrier->getResult(use.getOperandNumber()), holds) : holds(use);
  });
}

/// What is reduced in the first iteration is zero.
void Completion::findCarried() {
  for (unsigned number = numKept; number < loop->getNumResults(); ++number)
    if (!body.getArgument(number).use_empty() && isZero(loop.getOperand()[number]))
      carried.insert(number);
}

bool Completion::addSuffix() {
  SmallVector<Value> left;
  for (unsigned number : carried)
    left.push_back(body.getArgument(number));
  auto add = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == body.getTerminator()) {
      yields[use.getOperandNumber()] = use.get();
      return use.getOperandNumber() < numKept;
    }
    if (user->getBlock() != &body || !isFunction(user))
      return false;
    if (suffix.insert(user))
      left.push_back(user->getResult(0));
    return true;
  };
  while (!left.empty())
    if (!allUses(left.pop_back_val(), add))
      return false;
  return !yields.empty();
}

bool Completion::isInSuffix(Value value) const {
  Operation *op = value.getDefiningOp();
  if (op)
    return suffix.contains(op);
  auto argument = cast<BlockArgument>(value);
  return argument.getOwner() == &body &&
         (carried.contains(argument.getArgNumber()) || yields.contains(argument.getArgNumber()));
}

/// Adds the ops that compute a value from nothing that the loop carries.
bool Completion::addFree(Value value) {
  value = skipBarriers(value);
  if (!body.getParent()->isAncestor(value.getParentRegion()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &body || isReduction(op) || !isFunction(op))
    return false;
  if (free.contains(op))
    return true;
  if (!llvm::all_of(op->getOperands(), [&](Value operand) { return addFree(operand); }))
    return false;
  free.insert(op);
  return true;
}

/// Adds the op that reads a slice of what the suffix alone changes; false if the value is something else.
bool Completion::addSlice(Value value) {
  auto op = value.getDefiningOp<stablehlo::DynamicSliceOp>();
  auto state = op ? dyn_cast<BlockArgument>(skipBarriers(op.getOperand())) : BlockArgument();
  auto isOfSuffix = [&](OpOperand &use) { return suffix.contains(use.getOwner()); };
  return state && op->getBlock() == &body && state.getOwner() == &body && yields.contains(state.getArgNumber()) &&
         allUses(op.getResult(), isOfSuffix) && suffix.insert(op);
}

/// Whatever else the suffix takes is carried for it, too, or does not depend on the iteration.
bool Completion::addOperands() {
  // Slices join the suffix.
  for (size_t number = 0; number < suffix.size();)
    for (Value operand : suffix[number++]->getOperands()) {
      Value value = skipBarriers(operand);
      if (isInSuffix(value) || addFree(value) || addSlice(value))
        continue;
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getOwner() != &body || argument.getArgNumber() < numKept)
        return false;
      carried.insert(argument.getArgNumber());
    }
  return true;
}

/// Whether nothing but the suffix takes the carried value.
bool Completion::isOwn(unsigned number) {
  return allUses(loop.getCond().front().getArgument(number), [](OpOperand &) { return false; }) &&
         allUses(body.getArgument(number), [&](OpOperand &use) { return suffix.contains(use.getOwner()); });
}

//===----------------------------------------------------------------------===//
// The first iteration
//===----------------------------------------------------------------------===//

Given Completion::find(Value value) {
  value = skipBarriers(value);
  if (auto found = given.find(value); found != given.end())
    return found->second;
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == &body) {
    unsigned number = argument.getArgNumber();
    return isZero(loop.getOperand()[number]) ? zero : Given{Given::Kind::Start, number, nullptr};
  }
  return isZero(value) ? zero : Given();
}

/// Whether it writes a slice to where it was read. Where all of a dim is read, the index does not matter.
static bool writesBack(stablehlo::DynamicUpdateSliceOp write, stablehlo::DynamicSliceOp slice) {
  ArrayRef<int64_t> whole = write.getOperand().getType().getShape(), part = slice.getType().getShape();
  return llvm::all_of(llvm::seq(whole.size()), [&](size_t dim) {
    return whole[dim] == part[dim] ||
           skipBarriers(slice.getStartIndices()[dim]) == skipBarriers(write.getStartIndices()[dim]);
  });
}

Given Completion::compute(Operation *op) {
  auto isZeroOperand = [&](unsigned number) { return find(op->getOperand(number)).kind == Given::Kind::Zero; };
  // A maximum of zeros is zero, too.
  if (isReduction(op))
    return isZeroOperand(0) ? zero : Given();
  if (givesZeros(op, isZeroOperand) || (isa<stablehlo::ConvertOp>(op) && isZeroOperand(0)))
    return zero;
  if (isa<stablehlo::AddOp>(op) && (isZeroOperand(0) || isZeroOperand(1)))
    return find(op->getOperand(isZeroOperand(0) ? 1 : 0));
  auto write = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op);
  if (!write && !isa<stablehlo::DynamicSliceOp>(op))
    return {};
  Given first = find(op->getOperand(0));
  if (!write)
    return first.kind == Given::Kind::Start ? Given{Given::Kind::Slice, first.number, op} : Given();
  Given second = find(write.getUpdate());
  bool keepsStart = first.kind == Given::Kind::Start && second.kind == Given::Kind::Slice &&
                    second.number == first.number && writesBack(write, cast<stablehlo::DynamicSliceOp>(second.slice));
  return keepsStart ? first : Given();
}

static void sort(llvm::SetVector<Operation *> &ops) {
  SmallVector<Operation *> order = ops.takeVector();
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  ops.insert(order.begin(), order.end());
}

/// Whether the suffix leaves what the loop starts with as it is.
bool Completion::keepsStates() {
  for (Operation *op : suffix)
    given[op->getResult(0)] = compute(op);
  return llvm::all_of(yields, [&](const auto &each) {
    Given first = find(body.getArgument(each.first));
    return first == find(each.second) && isOwn(each.first);
  });
}

//===----------------------------------------------------------------------===//
// Behind the loop
//===----------------------------------------------------------------------===//

bool Completion::isSame(Value mine, Value other) {
  mine = skipBarriers(mine), other = skipBarriers(other);
  if (auto found = behind.find(mine); found != behind.end())
    return found->second == other;
  if (mine == other)
    return true;
  Operation *first = mine.getDefiningOp(), *second = other.getDefiningOp();
  return first && second && free.contains(first) && isSameCollective(first, second) &&
         first->getResultTypes() == second->getResultTypes() &&
         llvm::equal(first->getOperands(), second->getOperands(),
                     [&](Value left, Value right) { return isSame(left, right); });
}

/// The op behind the loop that does what an op of the suffix does; null if there is none. Of several it is the first
/// that stands for no other op, as equal ops are in one order in the body and behind it.
Operation *Completion::findBehind(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto found = behind.find(skipBarriers(operand));
    if (found == behind.end())
      continue;
    Operation *match = nullptr;
    auto isBetter = [&](Operation *user) {
      bool isFree = !opsBehind.contains(user), isMatchFree = match && !opsBehind.contains(match);
      return !match || isFree > isMatchFree || (isFree == isMatchFree && user->isBeforeInBlock(match));
    };
    allUses(found->second, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      bool isMatch = user->getBlock() == loop->getBlock() && isSameCollective(op, user) &&
                     op->getResultTypes() == user->getResultTypes() &&
                     llvm::equal(op->getOperands(), user->getOperands(),
                                 [&](Value left, Value right) { return isSame(left, right); });
      match = isMatch && isBetter(user) ? user : match;
      return true;
    });
    return match;
  }
  return nullptr;
}

/// Finds the suffix behind the loop, as far as something needs it. Nothing else may take what the loop gives.
bool Completion::matchBehind() {
  for (unsigned number : carried)
    behind[body.getArgument(number)] = loop->getResult(number);
  for (auto [number, value] : yields)
    behind[body.getArgument(number)] = loop->getResult(number);
  for (Operation *op : suffix)
    if (Operation *match = findBehind(op)) {
      behind[op->getResult(0)] = match->getResult(0);
      opsBehind.insert(match);
    }
  auto isMatched = [&](OpOperand &use) { return opsBehind.contains(use.getOwner()); };
  auto isOnlyMatched = [&](unsigned number) { return allUses(loop->getResult(number), isMatched); };
  auto isState = [&](const auto &each) { return isOnlyMatched(each.first); };
  // Besides, what the matched ops give is used by them alone, up to the completed values.
  auto isInner = [&](Operation *op) {
    auto other = behind.find(op->getResult(0));
    bool isYielded =
        llvm::any_of(yields, [&](const auto &each) { return skipBarriers(each.second) == op->getResult(0); });
    return other == behind.end() || isYielded || allUses(other->second, isMatched);
  };
  return llvm::all_of(carried, isOnlyMatched) && llvm::all_of(yields, isState) && llvm::all_of(suffix, isInner);
}

bool Completion::prepare() {
  findCarried();
  if (carried.empty() || !addSuffix() || !addOperands())
    return false;
  sort(suffix);
  sort(free);
  return llvm::all_of(carried, [&](unsigned number) { return isOwn(number); }) && keepsStates() && matchBehind();
}

/// A barrier gives what it takes.
void Completion::dropBarriers() {
  for (auto &[number, value] : yields)
    value = skipBarriers(value);
  for (auto barrier : llvm::make_early_inc_range(body.getOps<stablehlo::OptimizationBarrierOp>())) {
    if (!llvm::any_of(barrier.getOperand(), [&](Value operand) { return isInSuffix(skipBarriers(operand)); }))
      continue;
    barrier->replaceAllUsesWith(barrier.getOperand());
    barrier->erase();
  }
}

/// The suffix goes to the end of the body, and takes what the iteration makes; what was completed behind the loop, the
/// loop gives.
void Completion::run() {
  dropBarriers();
  Operation *end = body.getTerminator();
  IRMapping mapping;
  for (unsigned number : carried)
    mapping.map(body.getArgument(number), end->getOperand(number));
  OpBuilder builder(end);
  for (Operation *op : suffix)
    builder.clone(*op, mapping);
  for (auto [number, value] : yields) {
    end->setOperand(number, mapping.lookupOrDefault(value));
    if (auto found = behind.find(value); found != behind.end())
      found->second.replaceAllUsesWith(loop->getResult(number));
  }
  for (llvm::SetVector<Operation *> *ops : {&opsBehind, &suffix})
    for (Operation *op : llvm::reverse(*ops))
      op->erase();
}

void uncarry(stablehlo::WhileOp loop, unsigned numKept) {
  Completion completion(loop, numKept);
  if (completion.prepare())
    completion.run();
}

} // namespace partita::verify
