//===- Saturating.h - sums and products of sizes that may be too large ----===//

#ifndef PARTITA_SUPPORT_SATURATING_H
#define PARTITA_SUPPORT_SATURATING_H

#include "llvm/Support/MathExtras.h"

#include <cstdint>

namespace partita {

/// The sum of two numbers that are not negative; INT64_MAX on overflow.
inline int64_t addSaturated(int64_t a, int64_t b) {
  int64_t sum = 0;
  return llvm::AddOverflow(a, b, sum) ? INT64_MAX : sum;
}

/// The product of two numbers that are not negative; INT64_MAX on overflow.
inline int64_t multiplySaturated(int64_t a, int64_t b) {
  int64_t product = 0;
  return llvm::MulOverflow(a, b, product) ? INT64_MAX : product;
}

} // namespace partita

#endif
