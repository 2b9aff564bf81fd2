//===- RegionOps.h - ops with a body --------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_REGIONOPS_H
#define PARTITA_DIALECT_SDY_REGIONOPS_H

#include "partita/Dialect/Sdy/SdyDialect.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Sdy/RegionOps.h.inc"

#endif
