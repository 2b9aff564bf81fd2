//===- Number.h - arithmetic on single elements ---------------------------===//
//
// What the specification says of one element: wrap-around of integers, rounding
// of narrow floats, and the ring of integers mod 2^64 with its hashes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_NUMBER_H
#define PARTITA_EVALUATE_NUMBER_H

#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// Bits of an integer type, or of i1.
unsigned getIntegerWidth(mlir::Type elementType);

/// `value` mod 2^width, in the type's range.
inline int64_t wrapSigned(int64_t value, unsigned width) {
  unsigned shift = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}
inline uint64_t wrapUnsigned(uint64_t value, unsigned width) {
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}

/// Rounds a double, once and to nearest even, to one of the float types that are stored as float.
/// Overflow follows the type: to infinity, or to NaN where it has none.
class FloatRounder {
public:
  explicit FloatRounder(mlir::Type elementType);
  bool isExactFloat() const { return isF32; }
  float operator()(double value) const { return isF32 ? static_cast<float>(value) : roundNarrow(value); }

private:
  float roundNarrow(double value) const;

  bool isF32;
  const llvm::fltSemantics *semantics;
};

/// A 64-bit hash of a value and of the function that is applied to it; the same on every machine.
uint64_t ringHash(uint64_t function, uint64_t a, uint64_t b = 0);

/// A number for the name of a function, for `ringHash`.
uint64_t ringFunction(llvm::StringRef name);

/// The ring element that stands for a float constant.
uint64_t ringFromDouble(double value);

} // namespace partita::evaluate

#endif
