//===- IndexingOps.h - gather and scatter ---------------------------------===//
//
// The C++ classes of the ops that IndexingOps.td defines: `stablehlo.gather`,
// `dynamic_gather`, `torch_index_select`, `scatter`, `select_and_scatter`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_INDEXINGOPS_H
#define PARTITA_DIALECT_STABLEHLO_INDEXINGOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/IndexingOps.h.inc"

#endif
