//===- ContractionOps.td - dot products and convolutions ===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONTRACTION_OPS
#define PARTITA_DIALECT_STABLEHLO_CONTRACTION_OPS

include "partita/Dialect/StableHlo/OpBase.td"

#endif
