//===- ControlFlowOps.cpp - loops, branches, tuples ===//

#include "partita/Dialect/StableHlo/ControlFlowOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ControlFlowOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerControlFlowOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/ControlFlowOps.cpp.inc"
      >();
}

} // namespace partita::stablehlo
