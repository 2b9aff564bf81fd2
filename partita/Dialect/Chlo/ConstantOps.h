//===- ConstantOps.h - constants of the chlo dialect ----------------------===//
//
// The C++ classes of the ops that ConstantOps.td defines: `chlo.constant`,
// `constant_like`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_CHLO_CONSTANTOPS_H
#define PARTITA_DIALECT_CHLO_CONSTANTOPS_H

#include "partita/Dialect/Chlo/ChloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/ConstantOps.h.inc"

#endif
