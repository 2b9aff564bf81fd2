//===- Dialect.cpp - registration of the chlo dialect ---------------------===//

#include "partita/Dialect/Chlo/Chlo.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

using namespace mlir;

#include "partita/Dialect/Chlo/Dialect.cpp.inc"

namespace partita::chlo {

void ChloDialect::initialize() {
  registerAttributes();
  registerMathOps();
  registerBroadcastOps();
  registerConstantOps();
  registerCompositeOps();
}

} // namespace partita::chlo
