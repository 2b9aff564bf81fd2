//===- NextAfter.h - the next number of a float type ----------------------===//
//
// `chlo.next_after` and its broadcasting variant share this function.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_NEXTAFTER_H
#define PARTITA_EVALUATE_OPS_NEXTAFTER_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// The number of the tensors' float type that follows x[i] in the direction of y[i]; y[i] if they are equal.
Tensor nextAfter(Tensor x, const Tensor &y);

} // namespace partita::evaluate

#endif
