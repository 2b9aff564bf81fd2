//===- Choice.h - compare, select, clamp ----------------------------------===//
//
// Shared by the ops of stablehlo and the broadcasting ones of chlo.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_CHOICE_H
#define PARTITA_EVALUATE_OPS_CHOICE_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// `a[i] direction b[i]` as i1. NaN is unequal to everything; in the total order -NaN < -inf < ... < -0 < +0 < ... <
/// NaN. Complex numbers are ordered by real part, then by imaginary part. As in XLA, GE and LE use the real parts
/// alone.
Tensor compare(const Tensor &a, const Tensor &b, stablehlo::ComparisonDirection direction, bool inTotalOrder,
               mlir::RankedTensorType type);

/// `pred[i] ? onTrue[i] : onFalse[i]`; `pred` may be a scalar.
Tensor select(const Tensor &pred, Tensor onTrue, Tensor onFalse);

} // namespace partita::evaluate

#endif
