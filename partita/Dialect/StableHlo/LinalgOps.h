//===- LinalgOps.h - solvers, transforms, normalisation, random numbers ---===//

#ifndef PARTITA_DIALECT_STABLEHLO_LINALGOPS_H
#define PARTITA_DIALECT_STABLEHLO_LINALGOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/LinalgOps.h.inc"

#endif
