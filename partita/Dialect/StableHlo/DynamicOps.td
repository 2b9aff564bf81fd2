//===- DynamicOps.td - ops whose shape is computed ===//

#ifndef PARTITA_DIALECT_STABLEHLO_DYNAMIC_OPS
#define PARTITA_DIALECT_STABLEHLO_DYNAMIC_OPS

include "partita/Dialect/StableHlo/OpBase.td"

#endif
