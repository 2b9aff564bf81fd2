//===- Complex.h - complex numbers and their parts ------------------------===//

#ifndef PARTITA_EVALUATE_OPS_COMPLEX_H
#define PARTITA_EVALUATE_OPS_COMPLEX_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// Complex numbers of their parts.
Tensor makeComplex(const Tensor &real, const Tensor &imag, mlir::RankedTensorType type);

} // namespace partita::evaluate

#endif
