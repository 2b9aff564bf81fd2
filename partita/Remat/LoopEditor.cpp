//===- LoopEditor.cpp - adds and removes values that a loop carries -------===//

#include "partita/Remat/LoopEditor.h"

#include "partita/Remat/Cone.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace partita::remat {

/// A loop with the blocks of `loop`, which loses them.
static stablehlo::WhileOp takeBlocks(stablehlo::WhileOp loop, ValueRange operands) {
  OpBuilder builder(loop);
  auto made = stablehlo::WhileOp::create(builder, loop.getLoc(), operands.getTypes(), operands);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getCond().takeBody(loop.getCond());
  made.getBody().takeBody(loop.getBody());
  return made;
}

stablehlo::WhileOp addCarried(stablehlo::WhileOp loop, ValueRange initial) {
  SmallVector<Value> operands(loop.getOperand());
  llvm::append_range(operands, initial);
  stablehlo::WhileOp made = takeBlocks(loop, operands);
  Block &cond = made.getCond().front(), &body = made.getBody().front();
  for (Value value : initial) {
    cond.addArgument(value.getType(), value.getLoc());
    BlockArgument argument = body.addArgument(value.getType(), value.getLoc());
    body.getTerminator()->insertOperands(body.getTerminator()->getNumOperands(), argument);
  }
  loop->replaceAllUsesWith(made->getResults().take_front(loop->getNumResults()));
  loop->erase();
  return made;
}

/// The arguments of `body` on which the values that `live` marks depend, in the next iteration too.
static llvm::BitVector findLive(Block &body, llvm::BitVector live) {
  SmallVector<Value> roots;
  for (unsigned index : live.set_bits())
    roots.push_back(body.getTerminator()->getOperand(index));
  Cone cone = findCone(roots, body, [](Value) { return false; });
  // Effects happen whatever is used.
  SmallVector<Value> read(cone.leaves.begin(), cone.leaves.end());
  for (Operation &op : body)
    if (!op.hasTrait<OpTrait::IsTerminator>() && !isMemoryEffectFree(&op))
      llvm::append_range(read, findCone(findRead(&op), body, [](Value) { return false; }).leaves);
  for (Value value : read)
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == &body)
      live.set(argument.getArgNumber());
  return live;
}

static llvm::BitVector findLive(stablehlo::WhileOp loop) {
  llvm::BitVector live(loop.getNumResults());
  for (auto [index, argument] : llvm::enumerate(loop.getCond().front().getArguments()))
    if (!argument.use_empty() || !loop.getResult(index).use_empty())
      live.set(index);
  while (true) {
    llvm::BitVector more = findLive(loop.getBody().front(), live);
    if (more == live)
      return live;
    live = std::move(more);
  }
}

int64_t removeDeadCarried(stablehlo::WhileOp &loop) {
  llvm::BitVector live = findLive(loop), dead = live;
  dead.flip();
  if (dead.none())
    return removeDeadOps(loop.getBody().front());
  SmallVector<Value> operands, results;
  for (unsigned index : live.set_bits()) {
    operands.push_back(loop.getOperand()[index]);
    results.push_back(loop.getResult(index));
  }
  stablehlo::WhileOp made = takeBlocks(loop, operands);
  for (auto [result, replacement] : llvm::zip_equal(results, made.getResults()))
    result.replaceAllUsesWith(replacement);
  Block &body = made.getBody().front();
  body.getTerminator()->eraseOperands(dead);
  int64_t numRemoved = removeDeadOps(body);
  body.eraseArguments(dead);
  made.getCond().front().eraseArguments(dead);
  loop->erase();
  loop = made;
  return numRemoved;
}

/// A barrier for the values that are used alone.
static void pruneBarrier(stablehlo::OptimizationBarrierOp barrier) {
  SmallVector<Value> operands, results;
  for (auto [operand, result] : llvm::zip_equal(barrier.getOperand(), barrier.getResults()))
    if (!result.use_empty()) {
      operands.push_back(operand);
      results.push_back(result);
    }
  if (operands.size() == barrier->getNumOperands())
    return;
  OpBuilder builder(barrier);
  auto made =
      stablehlo::OptimizationBarrierOp::create(builder, barrier.getLoc(), TypeRange(ValueRange(operands)), operands);
  for (auto [result, replacement] : llvm::zip_equal(results, made.getResults()))
    result.replaceAllUsesWith(replacement);
  barrier.erase();
}

int64_t removeDeadOps(Block &block) {
  int64_t numRemoved = 0;
  // Users follow what they use, so one sweep finds chains.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (op.use_empty() && wouldOpBeTriviallyDead(&op)) {
      op.erase();
      ++numRemoved;
    } else if (auto barrier = dyn_cast<stablehlo::OptimizationBarrierOp>(op)) {
      pruneBarrier(barrier);
    }
  }
  return numRemoved;
}

} // namespace partita::remat
