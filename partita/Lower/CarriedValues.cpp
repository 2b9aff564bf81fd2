//===- CarriedValues.cpp - loops that carry more values -------------------===//

#include "partita/Lower/CarriedValues.h"

using namespace mlir;

namespace partita::lower {

stablehlo::WhileOp addCarried(stablehlo::WhileOp loop, ValueRange first) {
  SmallVector<Value> initial(loop.getOperand());
  llvm::append_range(initial, first);
  OpBuilder builder(loop);
  auto made = stablehlo::WhileOp::create(builder, loop.getLoc(), TypeRange(ValueRange(initial)), initial);
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getCond().takeBody(loop.getCond());
  made.getBody().takeBody(loop.getBody());
  loop->replaceAllUsesWith(made->getResults().take_front(loop->getNumResults()));
  loop->erase();
  return made;
}

} // namespace partita::lower
