//===- ElementwiseOps.h - elementwise ops ---------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_ELEMENTWISEOPS_H
#define PARTITA_DIALECT_STABLEHLO_ELEMENTWISEOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ElementwiseOps.h.inc"

#endif
