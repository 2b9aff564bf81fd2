//===- DynamicOps.h - ops whose shape is computed ===//

#ifndef PARTITA_DIALECT_STABLEHLO_DYNAMICOPS_H
#define PARTITA_DIALECT_STABLEHLO_DYNAMICOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/DynamicOps.h.inc"

#endif
