//===- MathOps.h - functions of single elements ---------------------------===//

#ifndef PARTITA_DIALECT_CHLO_MATHOPS_H
#define PARTITA_DIALECT_CHLO_MATHOPS_H

#include "partita/Dialect/Chlo/ChloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/MathOps.h.inc"

#endif
