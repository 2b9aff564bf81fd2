//===- ShapeOps.td - constants and ops that move data ===//

#ifndef PARTITA_DIALECT_STABLEHLO_SHAPE_OPS
#define PARTITA_DIALECT_STABLEHLO_SHAPE_OPS

include "partita/Dialect/StableHlo/OpBase.td"

#endif
