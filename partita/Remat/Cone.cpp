//===- Cone.cpp - the ops from kept values to one that is recomputed ------===//

#include "partita/Remat/Cone.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Program/Effects.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace partita::remat {

SmallVector<Value> findRead(Operation *op) {
  SmallVector<Value> read(op->getOperands());
  for (mlir::Region &region : op->getRegions())
    region.walk([&](Operation *inside) {
      for (Value operand : inside->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
          read.push_back(operand);
    });
  return read;
}

Cone findCone(ArrayRef<Value> roots, Block &block, llvm::function_ref<bool(Value)> isLeaf) {
  Cone cone;
  llvm::DenseSet<Operation *> seen;
  SmallVector<Operation *> work;
  auto visit = [&](Value value, bool isRoot) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block || (!isRoot && isLeaf(value))) {
      cone.leaves.insert(value);
      return;
    }
    if (seen.insert(op).second)
      work.push_back(op);
  };
  for (Value root : roots)
    visit(root, /*isRoot=*/true);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    cone.ops.push_back(op);
    if (!cone.forbidden && !mayRunAgain(op))
      cone.forbidden = op;
    for (Value operand : findRead(op))
      visit(operand, /*isRoot=*/false);
  }
  llvm::sort(cone.ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return cone;
}

Error refuseSecondRun(Operation *forbidden) {
  return Error::unsupported(locationOf(forbidden), "'" + forbidden->getName().getStringRef().str() +
                                                       "' must not run a second time, so what it computes cannot be "
                                                       "recomputed")
      .withRemedy("leave the values that depend on it out of \"recompute\"");
}

} // namespace partita::remat
