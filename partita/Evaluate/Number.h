//===- Number.h - arithmetic on single elements ---------------------------===//
//
// Arithmetic on one element: wrap-around of integers, rounding of narrow
// floats, and the hashes of exact mode, which computes in the ring of integers
// mod 2^64.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_NUMBER_H
#define PARTITA_EVALUATE_NUMBER_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

#include "llvm/ADT/bit.h"

#include <cmath>

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

/// Rounds a double, once and to nearest even, to one of the float types that are stored as float. Values that the type
/// does not have follow XLA. Too large numbers become infinity, NaN in a type without infinity, or the largest number
/// in a type without either, where NaN becomes -0. In f8E8M0FNU, zero and negative numbers become NaN.
class FloatRounder {
public:
  explicit FloatRounder(mlir::Type elementType);
  bool isExactFloat() const { return isF32; }
  float operator()(double value) const { return isF32 ? static_cast<float>(value) : roundNarrow(value); }

private:
  float roundNarrow(double value) const;
  double roundMagnitude(double magnitude) const;

  bool isF32;
  bool keepsNanSign;
  bool hasNegativeZero;
  bool hasSign;
  /// Bits of a double's mantissa that the type does not have.
  unsigned droppedBits;
  double smallestNormal;
  /// 2^52 times the type's smallest number: adding it rounds to a multiple of that.
  double subnormalShifter;
  double largest;
  /// What magnitudes above `largest` become, and what NaN becomes.
  double overflow;
  double nan;
};

inline double FloatRounder::roundMagnitude(double magnitude) const {
  if (magnitude < smallestNormal)
    return (magnitude + subnormalShifter) - subnormalShifter;
  uint64_t bits = llvm::bit_cast<uint64_t>(magnitude);
  uint64_t unit = uint64_t(1) << droppedBits;
  // Adds half a unit less one, and one more if the last kept bit is odd: ties go to even, and carries go into the
  // exponent. A type without mantissa keeps only the leading one.
  bits += unit / 2 - 1 + (droppedBits == 52 ? 1 : (bits >> droppedBits) & 1);
  return llvm::bit_cast<double>(bits & ~(unit - 1));
}

inline float FloatRounder::roundNarrow(double value) const {
  if (std::isnan(value))
    return keepsNanSign ? static_cast<float>(std::copysign(nan, value)) : static_cast<float>(nan);
  double magnitude = roundMagnitude(std::fabs(value));
  if (magnitude > largest)
    magnitude = overflow;
  if (magnitude == 0 && !hasNegativeZero)
    return hasSign ? 0.0f : static_cast<float>(nan);
  if (!hasSign && std::signbit(value))
    return static_cast<float>(nan);
  return static_cast<float>(std::copysign(magnitude, value));
}

/// A 64-bit hash of a value and of the function that is applied to it; the same on every machine.
uint64_t ringHash(uint64_t function, uint64_t a, uint64_t b = 0);

/// A number for the name of a function, for `ringHash`.
uint64_t ringFunction(llvm::StringRef name);

/// The ring element that stands for a float constant.
uint64_t ringFromDouble(double value);

} // namespace partita::evaluate

#endif
