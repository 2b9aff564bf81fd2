//===- CompositeOps.h - top_k, ragged_dot and scan ------------------------===//
//
// The C++ classes of the ops that CompositeOps.td defines: `chlo.top_k`,
// `ragged_dot`, `scan`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_CHLO_COMPOSITEOPS_H
#define PARTITA_DIALECT_CHLO_COMPOSITEOPS_H

#include "partita/Dialect/Chlo/ChloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/CompositeOps.h.inc"

#endif
