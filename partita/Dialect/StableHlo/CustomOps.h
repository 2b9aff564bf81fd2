//===- CustomOps.h - custom calls, composites, tokens, host transfer ------===//
//
// The C++ classes of the ops that CustomOps.td defines:
// `stablehlo.custom_call`, `composite`, `create_token`, `after_all`, `infeed`,
// `outfeed`, `send`, `recv`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CUSTOMOPS_H
#define PARTITA_DIALECT_STABLEHLO_CUSTOMOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/CustomOps.h.inc"

#endif
