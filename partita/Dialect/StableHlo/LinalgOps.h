//===- LinalgOps.h - solvers, FFT, batch norm, random numbers -------------===//
//
// The C++ classes of the ops that LinalgOps.td defines: `stablehlo.cholesky`,
// `triangular_solve`, `fft`, `batch_norm_training`, `batch_norm_inference`,
// `batch_norm_grad`, `rng`, `rng_bit_generator`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_LINALGOPS_H
#define PARTITA_DIALECT_STABLEHLO_LINALGOPS_H

#include "partita/Dialect/StableHlo/Compatibility.h"
#include "partita/Dialect/StableHlo/StableHloDialect.h"

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/LinalgOps.h.inc"

#endif
