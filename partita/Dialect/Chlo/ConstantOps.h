//===- ConstantOps.h - values that the program states ---------------------===//

#ifndef PARTITA_DIALECT_CHLO_CONSTANTOPS_H
#define PARTITA_DIALECT_CHLO_CONSTANTOPS_H

#include "partita/Dialect/Chlo/ChloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/ConstantOps.h.inc"

#endif
