//===- Sdy.h - the whole sdy dialect ===//

#ifndef PARTITA_DIALECT_SDY_SDY_H
#define PARTITA_DIALECT_SDY_SDY_H

#include "mlir/IR/Dialect.h"

#include "partita/Dialect/Sdy/Dialect.h.inc"

#endif
