//===- Dialect.cpp - registration of the chlo dialect ===//

#include "partita/Dialect/Chlo/Chlo.h"

using namespace mlir;

#include "partita/Dialect/Chlo/Dialect.cpp.inc"

namespace partita::chlo {

void ChloDialect::initialize() {}

} // namespace partita::chlo
