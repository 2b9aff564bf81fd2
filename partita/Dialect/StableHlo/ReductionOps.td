//===- ReductionOps.td - ops with a combining region: reduce, windows, sort, map ===//

#ifndef PARTITA_DIALECT_STABLEHLO_REDUCTION_OPS
#define PARTITA_DIALECT_STABLEHLO_REDUCTION_OPS

include "partita/Dialect/StableHlo/OpBase.td"

#endif
