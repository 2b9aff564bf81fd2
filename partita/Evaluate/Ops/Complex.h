//===- Complex.h - complex numbers and their parts ------------------------===//
//
// `complex`, `real` and `imag`. The broadcasting op of chlo shares
// `makeComplex`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_COMPLEX_H
#define PARTITA_EVALUATE_OPS_COMPLEX_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// Builds complex numbers from their parts.
Tensor makeComplex(const Tensor &real, const Tensor &imag, mlir::RankedTensorType type);

} // namespace partita::evaluate

#endif
