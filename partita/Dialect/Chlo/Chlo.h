//===- Chlo.h - the whole chlo dialect ===//

#ifndef PARTITA_DIALECT_CHLO_CHLO_H
#define PARTITA_DIALECT_CHLO_CHLO_H

#include "mlir/IR/Dialect.h"

#include "partita/Dialect/Chlo/Dialect.h.inc"

#endif
