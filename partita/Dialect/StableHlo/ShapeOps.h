//===- ShapeOps.h - constants and ops that move data ===//

#ifndef PARTITA_DIALECT_STABLEHLO_SHAPEOPS_H
#define PARTITA_DIALECT_STABLEHLO_SHAPEOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ShapeOps.h.inc"

#endif
