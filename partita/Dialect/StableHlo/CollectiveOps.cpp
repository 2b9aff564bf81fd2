//===- CollectiveOps.cpp - ops between devices ===//

#include "partita/Dialect/StableHlo/CollectiveOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/CollectiveOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/CollectiveOps.cpp.inc"
      >();
}

} // namespace partita::stablehlo
