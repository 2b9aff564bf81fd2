//===- HoistCasts.cpp - casts of layers' weights before the loop ----------===//

#include "partita/Pipeline/HoistCasts.h"

#include "partita/Pipeline/StackAccesses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partita::pipeline {

namespace {

class CastHoister {
public:
  void run(stablehlo::WhileOp loop);
  bool isChanged() const { return !casts.empty(); }

private:
  Value getCast(stablehlo::WhileOp loop, Value stack, Type element);
  void hoist(stablehlo::WhileOp loop, Value stack, const ValueAccesses &accesses);

  /// Narrow forms of stacks.
  llvm::DenseMap<std::pair<Value, Type>, Value> casts;
};

} // namespace

static RankedTensorType withElement(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

/// What `use` passes on without computing with it; null if it is another op.
static Value findPassed(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<stablehlo::ReshapeOp>(user))
    return user->getResult(0);
  return isa<stablehlo::OptimizationBarrierOp>(user) ? user->getResult(use.getOperandNumber()) : Value();
}

/// Whether all that becomes of `value` are casts to one type, which `element` is or gets.
static bool isOnlyCast(Value value, Type &element) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (Value passed = findPassed(use))
      return isOnlyCast(passed, element);
    auto convert = dyn_cast<stablehlo::ConvertOp>(use.getOwner());
    if (!convert)
      return false;
    Type type = convert.getType().getElementType();
    bool isSame = !element || element == type;
    element = type;
    return isSame;
  });
}

/// Makes `value` one of `element`, with what only passes it on, and removes the casts.
static void retype(Value value, Type element) {
  value.setType(withElement(value, element));
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    if (Value passed = findPassed(use)) {
      retype(passed, element);
      continue;
    }
    Operation *convert = use.getOwner();
    convert->getResult(0).replaceAllUsesWith(value);
    convert->erase();
  }
}

/// Whether a loop computed it: activations, of which a second copy would take more than all weights.
static bool isFromLoop(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t next = 0; next < seen.size(); ++next)
    if (Operation *op = seen[next].getDefiningOp()) {
      if (isa<stablehlo::WhileOp>(op))
        return true;
      seen.insert(op->operand_begin(), op->operand_end());
    }
  return false;
}

Value CastHoister::getCast(stablehlo::WhileOp loop, Value stack, Type element) {
  Value &known = casts[{stack, element}];
  if (!known) {
    OpBuilder builder(loop);
    known = stablehlo::ConvertOp::create(builder, stack.getLoc(), withElement(stack, element), stack);
  }
  return known;
}

void CastHoister::hoist(stablehlo::WhileOp loop, Value stack, const ValueAccesses &accesses) {
  auto own = dyn_cast<FloatType>(getElementTypeOrSelf(stack.getType()));
  if (!own || accesses.isWritten || isFromLoop(stack))
    return;
  Type element;
  for (const auto &[op, access] : accesses.list)
    if (!isOnlyCast(op->getResult(0), element))
      return;
  auto narrow = dyn_cast_or_null<FloatType>(element);
  if (!narrow || narrow.getWidth() >= own.getWidth())
    return;
  Value made = getCast(loop, stack, element);
  for (const auto &[op, access] : accesses.list) {
    op->setOperand(0, made);
    retype(op->getResult(0), element);
  }
}

void CastHoister::run(stablehlo::WhileOp loop) {
  std::optional<CountedLoop> count = analyzeLoop(loop);
  if (!count)
    return;
  LoopAccesses accesses = findStackAccesses(loop, *count);
  for (auto [number, own] : llvm::enumerate(accesses.carried))
    if (accesses.isStack(own) && isInvariant(loop, number))
      hoist(loop, loop->getOperand(number), own);
  for (const auto &[value, own] : accesses.outer)
    if (accesses.isStack(own))
      hoist(loop, value, own);
}

bool hoistCasts(ArrayRef<stablehlo::WhileOp> loops) {
  CastHoister hoister;
  for (stablehlo::WhileOp loop : loops)
    hoister.run(loop);
  return hoister.isChanged();
}

} // namespace partita::pipeline
