//===- ControlFlowOps.h - loops, branches, tuples -------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONTROLFLOWOPS_H
#define PARTITA_DIALECT_STABLEHLO_CONTROLFLOWOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ControlFlowOps.h.inc"

#endif
