//===- FloatFormat.h - encodes and decodes narrow floats ------------------===//
//
// Tensors store floats of up to 32 bits as float. This class converts between
// such a number and its bits in the narrow type:
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

  /// The number with these bits. NaNs keep sign and payload, as far as the type has them.
  float decode(uint32_t bits) const;
  /// The bits of `value`, which must be a number of the type.
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
  /// The exponent of the smallest normal number.
  int minExponent;
};

} // namespace partita::evaluate

#endif
