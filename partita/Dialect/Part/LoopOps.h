//===- LoopOps.h - functional loops over mesh axes ------------------------===//
//
// The C++ classes of the ops that LoopOps.td defines: `part.loop`,
// `part.slice`, `part.yield`. LoopOps.td begins with an example.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PART_LOOPOPS_H
#define PARTITA_DIALECT_PART_LOOPOPS_H

#include "partita/Dialect/Part/PartDialect.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Part/LoopOps.h.inc"

#endif
