//===- MathOps.h - elementwise math functions -----------------------------===//
//
// The C++ classes of the ops that MathOps.td defines: `chlo.acos`, `erf`,
// `lgamma`, `next_after`, `mulhi` and the like.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_CHLO_MATHOPS_H
#define PARTITA_DIALECT_CHLO_MATHOPS_H

#include "partita/Dialect/Chlo/ChloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/MathOps.h.inc"

#endif
