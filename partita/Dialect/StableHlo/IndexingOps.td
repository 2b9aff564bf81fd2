//===- IndexingOps.td - gather and scatter ===//

#ifndef PARTITA_DIALECT_STABLEHLO_INDEXING_OPS
#define PARTITA_DIALECT_STABLEHLO_INDEXING_OPS

include "partita/Dialect/StableHlo/OpBase.td"

#endif
