//===- CollectiveOps.td - ops between devices ===//

#ifndef PARTITA_DIALECT_STABLEHLO_COLLECTIVE_OPS
#define PARTITA_DIALECT_STABLEHLO_COLLECTIVE_OPS

include "partita/Dialect/StableHlo/OpBase.td"

#endif
