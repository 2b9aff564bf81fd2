//===- ReductionOps.h - ops with a region per element: reduce, windows, sort, map ===//

#ifndef PARTITA_DIALECT_STABLEHLO_REDUCTIONOPS_H
#define PARTITA_DIALECT_STABLEHLO_REDUCTIONOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/ControlFlowOps.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ReductionOps.h.inc"

#endif
