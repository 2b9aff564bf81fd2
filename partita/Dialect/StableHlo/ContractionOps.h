//===- ContractionOps.h - dot products and convolutions -------------------===//
//
// The C++ classes of the ops that ContractionOps.td defines: `stablehlo.dot`,
// `dot_general`, `einsum`, `unary_einsum`, `convolution`, `dynamic_conv`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONTRACTIONOPS_H
#define PARTITA_DIALECT_STABLEHLO_CONTRACTIONOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ContractionOps.h.inc"

#endif
