//===- CustomOps.cpp - custom calls, composites, tokens, host transfer ===//

#include "partita/Dialect/StableHlo/CustomOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/CustomOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerCustomOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/CustomOps.cpp.inc"
      >();
}

} // namespace partita::stablehlo
