//===- IndexingOps.cpp - gather and scatter ===//

#include "partita/Dialect/StableHlo/IndexingOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/IndexingOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/IndexingOps.cpp.inc"
      >();
}

} // namespace partita::stablehlo
