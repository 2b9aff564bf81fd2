//===- Work.h - estimates the work of an op -------------------------------===//
//
// Ops differ in time by a factor of a billion, so counting ops does not bound
// the time of an evaluation. Work does: a unit takes about as long as one
// multiplication and addition of a matrix product, a nanosecond or less. Work
// depends on types alone, so it is known before the op runs:
//
//   256 for each op, 16 for each of its operands and results
//     8 for each element of other ops, and for each op of a region that is applied to it
//     1 for each product of a contraction
//
// The evaluation adds 1 for each byte of memory that it allocates. This covers
// copies that an op makes only if a value is shared.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_WORK_H
#define PARTITA_EVALUATE_WORK_H

#include "mlir/IR/Operation.h"
#include "partita/Evaluate/Rooms.h"

#include <cstdint>

namespace partita::evaluate {

/// The work of one op on one device, at most INT64_MAX. The ops inside control flow count when they run.
int64_t estimateWork(mlir::Operation *op);

} // namespace partita::evaluate

#endif
