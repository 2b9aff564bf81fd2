//===- CustomOps.h - custom calls, composites, tokens, host transfer ------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CUSTOMOPS_H
#define PARTITA_DIALECT_STABLEHLO_CUSTOMOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/CustomOps.h.inc"

#endif
