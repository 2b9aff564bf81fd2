//===- RegionOps.h - ops with a body: manual and named computations -------===//
//
// The C++ classes of the ops that RegionOps.td defines:
// `sdy.manual_computation`, `named_computation`, `return`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_REGIONOPS_H
#define PARTITA_DIALECT_SDY_REGIONOPS_H

#include "partita/Dialect/Sdy/SdyDialect.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Sdy/RegionOps.h.inc"

#endif
