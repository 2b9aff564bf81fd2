//===- LoopRotation.cpp - values of a loop computed an iteration ahead ----===//

#include "partita/Lower/LoopRotation.h"

#include "partita/Lower/CarriedValues.h"
#include "partita/Program/Barriers.h"
#include "partita/Program/Effects.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partita::lower {

namespace {

/// The ops of a body from which a value is computed.
struct LoopCone {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<unsigned> arguments;
};

} // namespace

static LoopCone findCone(Block &body, ArrayRef<Value> values) {
  LoopCone cone;
  SmallVector<Value> left;
  for (Value value : values)
    left.push_back(value);
  while (!left.empty()) {
    Value value = skipBarriers(left.pop_back_val());
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == &body)
        cone.arguments.insert(argument.getArgNumber());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (op->getBlock() == &body && cone.ops.insert(op))
      llvm::append_range(left, op->getOperands());
  }
  return cone;
}

static bool isCollective(Operation *op) {
  return isa<stablehlo::AllGatherOp, stablehlo::CollectivePermuteOp, stablehlo::AllToAllOp, stablehlo::PartitionIdOp>(
      op);
}

/// Whether a second copy of the op costs little beside a collective, and computes the same.
static bool movesData(Operation *op) {
  if (isCollective(op))
    return true;
  return op->getNumRegions() == 0 && program::mayRunAgain(op) &&
         !isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp, stablehlo::CustomCallOp>(op);
}

/// Whether the next value of a counter is known as soon as the iteration begins.
static bool isSmall(Operation *op) {
  return llvm::all_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= 64;
  });
}

/// Whether the next value of carried value `number` follows from values that do not change and from small ones.
static bool isEarly(Block &body, unsigned number, llvm::SmallSetVector<unsigned, 8> &assumed) {
  if (!assumed.insert(number))
    return true;
  Value next = skipBarriers(body.getTerminator()->getOperand(number));
  if (next == body.getArgument(number))
    return true;
  LoopCone cone = findCone(body, next);
  return llvm::all_of(cone.ops, [](Operation *op) { return isSmall(op) && movesData(op) && !isCollective(op); }) &&
         llvm::all_of(cone.arguments, [&](unsigned argument) { return isEarly(body, argument, assumed); });
}

bool mayRotate(stablehlo::WhileOp loop, Value value) {
  Block &body = loop.getBody().front();
  LoopCone cone = findCone(body, value);
  llvm::SmallSetVector<unsigned, 8> assumed;
  bool changes = false;
  for (unsigned argument : cone.arguments) {
    if (!isEarly(body, argument, assumed))
      return false;
    changes |= skipBarriers(body.getTerminator()->getOperand(argument)) != body.getArgument(argument);
  }
  return changes && llvm::all_of(cone.ops, movesData);
}

/// The collective `op`, or the first of several, begins when `token` is there.
static void delay(OpBuilder &builder, Operation *op, Value token) {
  if (op->getNumOperands() == 0)
    return;
  Value value = op->getOperand(0);
  if (Operation *before = value.getDefiningOp(); before && isCollective(before))
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  auto barrier = stablehlo::OptimizationBarrierOp::create(
      builder, op->getLoc(), TypeRange{value.getType(), token.getType()}, ValueRange{value, token});
  op->setOperand(0, barrier->getResult(0));
}

/// Clones what `values` are computed from, with `carried` in place of the body's arguments.
static SmallVector<Value> cloneCone(OpBuilder &builder, Block &body, ArrayRef<Value> values, ValueRange carried,
                                    Value token = {}) {
  LoopCone cone = findCone(body, values);
  SmallVector<Operation *> order(cone.ops.begin(), cone.ops.end());
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  IRMapping mapping;
  for (unsigned argument : cone.arguments)
    mapping.map(body.getArgument(argument), carried[argument]);
  auto lookup = [&](Value value) { return mapping.lookupOrDefault(skipBarriers(value)); };
  for (Operation *op : order) {
    // A clone takes the operands that are mapped, and barriers are not.
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, lookup(operand));
    Operation *made = builder.clone(*op, mapping);
    if (token && isCollective(op))
      delay(builder, made, token);
  }
  return llvm::map_to_vector(values, lookup);
}

/// Removes ops of the block that nothing uses any more, from `values` back.
static void eraseUnused(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (op.use_empty() && (isCollective(&op) || wouldOpBeTriviallyDead(&op)) && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
}

stablehlo::WhileOp rotate(stablehlo::WhileOp loop, ArrayRef<Value> values, Value token) {
  OpBuilder builder(loop);
  Block &body = loop.getBody().front(), &condition = loop.getCond().front();
  Operation *end = body.getTerminator();
  SmallVector<Value> first = cloneCone(builder, body, values, loop.getOperand()), yielded(end->getOperands());
  builder.setInsertionPoint(end);
  llvm::append_range(yielded, cloneCone(builder, body, values, end->getOperands(), token));
  end->setOperands(yielded);
  for (Value value : values) {
    condition.addArgument(value.getType(), value.getLoc());
    BlockArgument argument = body.addArgument(value.getType(), value.getLoc());
    value.replaceAllUsesWith(argument);
  }
  eraseUnused(body);
  return addCarried(loop, first);
}

} // namespace partita::lower
