//===- DynamicOps.cpp - ops whose shape is computed ===//

#include "partita/Dialect/StableHlo/DynamicOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/DynamicOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerDynamicOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/DynamicOps.cpp.inc"
      >();
}

} // namespace partita::stablehlo
