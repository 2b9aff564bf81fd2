//===- CompositeOps.h - ops that stand for a whole computation ------------===//

#ifndef PARTITA_DIALECT_CHLO_COMPOSITEOPS_H
#define PARTITA_DIALECT_CHLO_COMPOSITEOPS_H

#include "partita/Dialect/Chlo/ChloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/CompositeOps.h.inc"

#endif
