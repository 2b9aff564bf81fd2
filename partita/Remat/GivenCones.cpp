//===- GivenCones.cpp - cones that the program comes with -----------------===//

#include "partita/Remat/GivenCones.h"

#include "partita/Remat/Fence.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partita::remat {

static Block &getMainBlock(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("main").getBody().front(); }

bool hasBarrier(ModuleOp module) { return !getMainBlock(module).getOps<stablehlo::OptimizationBarrierOp>().empty(); }

/// Whether a cone of the backward pass begins behind the barrier: values of the forward pass, or arguments, pass it
/// together with a cotangent.
static bool isBeforeCone(const StraightCode &code, Operation *barrier) {
  auto isCotangent = [&](Value value) { return value.getDefiningOp() && code.isBackward(value.getDefiningOp()); };
  return code.isBehindSeam(barrier) && llvm::any_of(barrier->getOperands(), isCotangent) &&
         !llvm::all_of(barrier->getOperands(), isCotangent);
}

/// Writes a barrier that the late results pass, too, behind `barrier`, of which nothing is used then. Returns it.
static Operation *widenBarrier(Operation *barrier, ArrayRef<LateResult> late) {
  SmallVector<Value> operands(barrier->getOperands());
  for (const LateResult &result : late)
    operands.push_back(result.value);
  OpBuilder builder(barrier->getContext());
  builder.setInsertionPointAfter(barrier);
  auto wide =
      stablehlo::OptimizationBarrierOp::create(builder, barrier->getLoc(), TypeRange(ValueRange(operands)), operands);
  wide->setDiscardableAttrs(barrier->getDiscardableAttrDictionary());
  barrier->replaceAllUsesWith(wide.getResults().take_front(barrier->getNumResults()));
  passLateResults(late, wide.getResults().drop_front(barrier->getNumResults()), wide);
  return wide;
}

Status fenceGivenCones(ModuleOp module, const FlattenOptions &options) {
  Result<Flattened> flattened = flatten(module, options);
  if (!flattened)
    return flattened.error();
  ProgramIndex index(*flattened);
  LayerMap layers(index);
  StraightCode code(getMainBlock(module), index, layers);
  if (!code.getSeam())
    return std::nullopt;
  // The index knows ops by their addresses, so none may be given to another op before the end.
  SmallVector<Operation *> replaced;
  Operation *begin = &code.getBlock().front();
  SmallVector<Value> passed;
  for (Operation &op : llvm::make_early_inc_range(code.getBlock())) {
    if (!isa<stablehlo::OptimizationBarrierOp>(op) || !isBeforeCone(code, &op))
      continue;
    SmallVector<Value> taken(op.getOperands());
    std::vector<LateResult> late = findLateResults(code, index, begin, &op, taken, passed);
    Operation *fence = &op;
    if (!late.empty()) {
      fence = widenBarrier(&op, late);
      replaced.push_back(&op);
    }
    begin = fence->getNextNode();
    // What passed once does not pass a third barrier.
    size_t numAgain =
        llvm::count_if(late, [&](const LateResult &each) { return llvm::is_contained(passed, each.value); });
    passed.assign(fence->result_begin() + taken.size() + numAgain, fence->result_end());
  }
  for (Operation *op : replaced)
    op->erase();
  return std::nullopt;
}

} // namespace partita::remat
