//===- ShapeOps.cpp - constants and ops that move data ===//

#include "partita/Dialect/StableHlo/ShapeOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ShapeOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/ShapeOps.cpp.inc"
      >();
}

} // namespace partita::stablehlo
