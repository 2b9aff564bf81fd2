//===- WholeUpdates.cpp - an update of everything is its update -----------===//
//
// Programs fill a cache of keys that is as long as the prompt in one piece:
//
//   %c = dynamic_update_slice %zeros, %k, 0, 0  : 32x8 into 32x8
//
// Start indices are clamped so that the update fits, so %c is %k. XLA drops such
// updates as well. A buffer of zeros, and a copy, would be priced here, and where
// %k goes would be hidden.
//
// Bodies of manual computations stay as they are: they are local programs.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Steps.h"

using namespace mlir;

namespace partita::program::import {

bool isWholeUpdate(Operation *op) {
  auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op);
  auto type = update ? dyn_cast<RankedTensorType>(update.getType()) : RankedTensorType();
  return type && type.hasStaticShape() && update.getUpdate().getType() == type &&
         update->getDiscardableAttrDictionary().empty();
}

void dropWholeUpdates(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<sdy::ManualComputationOp>(op))
      return WalkResult::skip();
    if (!isWholeUpdate(op))
      return WalkResult::advance();
    op->replaceAllUsesWith(ValueRange(cast<stablehlo::DynamicUpdateSliceOp>(op).getUpdate()));
    op->erase();
    return WalkResult::skip();
  });
}

} // namespace partita::program::import
