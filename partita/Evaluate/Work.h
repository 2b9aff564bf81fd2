//===- Work.h - how much work the evaluation of an op is ------------------===//
//
// Ops differ by a factor of a billion in what they take, so counting them does
// not bound the time of an evaluation. Work does: a unit takes about as long as
// one multiplication and addition of a matrix product, a nanosecond or less.
// It is known before the op is run and depends on types alone.
//
//   256 for each op, 16 for each of its operands and results
//     8 for each element of other ops, and for each op of a region that is applied to it
//     1 for each product of a contraction
//
// The evaluation adds 1 for each byte of memory that it takes: copies that an op
// makes only if a value is shared are seen by that.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_WORK_H
#define PARTITA_EVALUATE_WORK_H

#include "mlir/IR/Operation.h"
#include "partita/Evaluate/Rooms.h"

#include <cstdint>

namespace partita::evaluate {

/// The work of one op on one device, no more than INT64_MAX. What control flow runs counts when it is run.
int64_t estimateWork(mlir::Operation *op);

/// Of counts that are not negative: INT64_MAX where the result is larger.
int64_t addSaturated(int64_t a, int64_t b);
int64_t multiplySaturated(int64_t a, int64_t b);

} // namespace partita::evaluate

#endif
