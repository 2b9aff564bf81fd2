//===- Effects.cpp - what an op does beyond computing its results ---------===//

#include "partita/Program/Effects.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/DeviceDependence.h"

using namespace mlir;

namespace partita::program {

/// Tokens order effects, so an op that gives one has an effect.
static bool isEffect(Operation *op) {
  if (!llvm::all_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); }))
    return true;
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return call.getHasSideEffect();
  return op->getNumResults() == 0 && !op->hasTrait<OpTrait::IsTerminator>() && !isa<sdy::ShardingGroupOp>(op);
}

/// Whether `holds` is true of the op or one inside of it.
static bool isAnywhere(Operation *op, bool (*holds)(Operation *)) {
  return op->walk([&](Operation *inside) { return holds(inside) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

bool hasEffect(Operation *op) { return isAnywhere(op, isEffect); }

bool mayRunAgain(Operation *op) {
  return !isAnywhere(op, [](Operation *inside) {
    return isEffect(inside) || isExistingCollective(inside) || isa<stablehlo::RngOp, sdy::ManualComputationOp>(inside);
  });
}

} // namespace partita::program
