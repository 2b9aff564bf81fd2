//===- Dialect.cpp - registration of the sdy dialect ----------------------===//

#include "partita/Dialect/Sdy/Sdy.h"

using namespace mlir;

#include "partita/Dialect/Sdy/Dialect.cpp.inc"

namespace partita::sdy {

void SdyDialect::initialize() {
  registerAttributes();
  registerShardingOps();
  registerRegionOps();
  registerCollectiveOps();
}

} // namespace partita::sdy
