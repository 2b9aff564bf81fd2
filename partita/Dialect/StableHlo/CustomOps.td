//===- CustomOps.td - custom calls, composites, tokens, host transfer ===//

#ifndef PARTITA_DIALECT_STABLEHLO_CUSTOM_OPS
#define PARTITA_DIALECT_STABLEHLO_CUSTOM_OPS

include "partita/Dialect/StableHlo/OpBase.td"

#endif
