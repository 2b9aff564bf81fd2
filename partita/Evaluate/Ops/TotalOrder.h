//===- TotalOrder.h - a total order of elements ---------------------------===//
//
// Floats: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN. Other elements have
// their usual order.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_TOTALORDER_H
#define PARTITA_EVALUATE_OPS_TOTALORDER_H

#include "partita/Evaluate/Rooms.h"
#include "llvm/ADT/bit.h"

#include <cstdint>

namespace partita::evaluate {

/// A number that is ordered as `value` is.
inline int32_t getTotalOrder(float value) {
  auto bits = llvm::bit_cast<int32_t>(value);
  return bits < 0 ? bits ^ INT32_MAX : bits;
}
inline int64_t getTotalOrder(double value) {
  auto bits = llvm::bit_cast<int64_t>(value);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}
inline uint8_t getTotalOrder(uint8_t value) { return value; }
inline int64_t getTotalOrder(int64_t value) { return value; }
inline uint64_t getTotalOrder(uint64_t value) { return value; }

} // namespace partita::evaluate

#endif
