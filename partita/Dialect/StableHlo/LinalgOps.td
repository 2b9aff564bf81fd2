//===- LinalgOps.td - solvers, transforms, normalisation, random numbers ===//

#ifndef PARTITA_DIALECT_STABLEHLO_LINALG_OPS
#define PARTITA_DIALECT_STABLEHLO_LINALG_OPS

include "partita/Dialect/StableHlo/OpBase.td"

#endif
