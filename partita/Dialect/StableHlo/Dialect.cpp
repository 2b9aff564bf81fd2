//===- Dialect.cpp - registration of the stablehlo dialect ----------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"

using namespace mlir;

#include "partita/Dialect/StableHlo/Dialect.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerElementwiseOps();
  registerShapeOps();
  registerDynamicOps();
  registerContractionOps();
  registerLinalgOps();
  registerIndexingOps();
  registerReductionOps();
  registerControlFlowOps();
  registerCustomOps();
  registerCollectiveOps();
}

} // namespace partita::stablehlo
