//===- LinalgOps.cpp - solvers, transforms, normalisation, random numbers ===//

#include "partita/Dialect/StableHlo/LinalgOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/LinalgOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerLinalgOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/LinalgOps.cpp.inc"
      >();
}

} // namespace partita::stablehlo
