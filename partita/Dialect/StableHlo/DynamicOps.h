//===- DynamicOps.h - ops that take their result shape as an operand ------===//
//
// The C++ classes of the ops that DynamicOps.td defines:
// `stablehlo.dynamic_broadcast_in_dim`, `dynamic_iota`, `dynamic_pad`,
// `dynamic_reshape`, `real_dynamic_slice`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_DYNAMICOPS_H
#define PARTITA_DIALECT_STABLEHLO_DYNAMICOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/DynamicOps.h.inc"

#endif
