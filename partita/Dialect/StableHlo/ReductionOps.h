//===- ReductionOps.h - reduce, reduce_window, sort, map ------------------===//
//
// The C++ classes of the ops that ReductionOps.td defines: `stablehlo.reduce`,
// `reduce_window`, `sort`, `map`. Each applies a region to elements.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_REDUCTIONOPS_H
#define PARTITA_DIALECT_STABLEHLO_REDUCTIONOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/ControlFlowOps.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ReductionOps.h.inc"

#endif
