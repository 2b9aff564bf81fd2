//===- ReductionOps.cpp - ops with a combining region: reduce, windows, sort, map ===//

#include "partita/Dialect/StableHlo/ReductionOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ReductionOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/ReductionOps.cpp.inc"
      >();
}

} // namespace partita::stablehlo
