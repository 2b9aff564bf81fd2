//===- FloatFormat.h - the bits of narrow floats --------------------------===//
//
// Tensors hold floats of up to 32 bits as float; this is the way between such a
// number and the bits that it has in its type:
//
//   FloatFormat format(Float8E4M3FNType::get(context));
//   format.decode(0x38)   1.0
//   format.encode(1.0f)   0x38
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_FLOATFORMAT_H
#define PARTITA_EVALUATE_FLOATFORMAT_H

#include "mlir/IR/BuiltinTypes.h"
#include "partita/Evaluate/Rooms.h"

#include <cstdint>

namespace partita::evaluate {

class FloatFormat {
public:
  /// `elementType` is a float type of at most 32 bits.
  explicit FloatFormat(mlir::Type elementType);

  /// The number that the bits stand for. NaNs keep sign and payload, as far as the type has them.
  float decode(uint32_t bits) const;
  /// The bits of a number of the type.
  uint32_t encode(float value) const;

private:
  /// Which bits mean infinity and NaN.
  enum class NonFinite {
    /// As in IEEE 754: those with the largest exponent.
    LargestExponent,
    /// NaN is all ones but for the sign; no infinity.
    AllOnes,
    /// NaN is where -0 would be; no infinity.
    NegativeZero,
    None,
  };

  bool isNan(uint32_t sign, uint32_t magnitude) const;
  uint32_t encodeNan(uint32_t sign, uint32_t payload) const;

  NonFinite nonFinite;
  bool hasSign;
  bool hasSubnormals;
  unsigned mantissaBits;
  unsigned magnitudeBits;
  /// Of the smallest normal number.
  int minExponent;
};

} // namespace partita::evaluate

#endif
