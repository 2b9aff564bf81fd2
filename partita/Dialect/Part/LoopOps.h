//===- LoopOps.h - functional loops over mesh axes ------------------------===//

#ifndef PARTITA_DIALECT_PART_LOOPOPS_H
#define PARTITA_DIALECT_PART_LOOPOPS_H

#include "partita/Dialect/Part/PartDialect.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Part/LoopOps.h.inc"

#endif
