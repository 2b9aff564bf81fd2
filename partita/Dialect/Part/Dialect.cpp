//===- Dialect.cpp - registration of the part dialect ---------------------===//

#include "partita/Dialect/Part/Part.h"

using namespace mlir;

#include "partita/Dialect/Part/Dialect.cpp.inc"

namespace partita::part {

void PartDialect::initialize() {
  registerAttributes();
  registerLoopOps();
}

} // namespace partita::part
