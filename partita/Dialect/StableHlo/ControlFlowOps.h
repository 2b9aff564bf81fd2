//===- ControlFlowOps.h - loops, branches, tuples -------------------------===//
//
// The C++ classes of the ops that ControlFlowOps.td defines: `stablehlo.while`,
// `if`, `case`, `return`, `optimization_barrier`, `tuple`, `get_tuple_element`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONTROLFLOWOPS_H
#define PARTITA_DIALECT_STABLEHLO_CONTROLFLOWOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ControlFlowOps.h.inc"

#endif
