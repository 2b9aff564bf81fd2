//===- ContractionOps.cpp - dot products and convolutions ===//

#include "partita/Dialect/StableHlo/ContractionOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ContractionOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/ContractionOps.cpp.inc"
      >();
}

} // namespace partita::stablehlo
