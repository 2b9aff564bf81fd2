//===- Barriers.cpp - values behind optimization barriers -----------------===//

#include "partita/Program/Barriers.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

using namespace mlir;

namespace partita::program {

Value skipBarriers(Value value) {
  while (auto barrier = value.getDefiningOp<stablehlo::OptimizationBarrierOp>())
    value = barrier.getOperand()[cast<OpResult>(value).getResultNumber()];
  return value;
}

} // namespace partita::program
