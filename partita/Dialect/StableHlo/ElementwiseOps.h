//===- ElementwiseOps.h - ops on single elements --------------------------===//
//
// The C++ classes of the ops that ElementwiseOps.td defines: unary
// (`stablehlo.exponential`, `convert`), binary (`add`, `compare`) and ternary
// (`select`, `clamp`). Each element of the result depends on the elements of
// the operands at the same index.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_ELEMENTWISEOPS_H
#define PARTITA_DIALECT_STABLEHLO_ELEMENTWISEOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ElementwiseOps.h.inc"

#endif
