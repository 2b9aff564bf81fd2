//===- FloatFormat.cpp - encodes and decodes narrow floats ----------------===//

#include "partita/Evaluate/FloatFormat.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using llvm::APFloat;

namespace partita::evaluate {

static constexpr unsigned floatMantissaBits = 23;
static constexpr uint32_t floatInfinity = 0x7F800000;

static uint32_t getMask(unsigned bits) { return (uint32_t(1) << bits) - 1; }

FloatFormat::FloatFormat(Type elementType) {
  const llvm::fltSemantics &semantics = cast<FloatType>(elementType).getFloatSemantics();
  hasSign = APFloat::semanticsHasSignedRepr(semantics);
  hasSubnormals = APFloat::semanticsHasZero(semantics);
  mantissaBits = APFloat::semanticsPrecision(semantics) - 1;
  magnitudeBits = APFloat::semanticsSizeInBits(semantics) - (hasSign ? 1 : 0);
  minExponent = APFloat::semanticsMinExponent(semantics);
  bool hasNegativeZero = hasSign && APFloat::getZero(semantics, /*Negative=*/true).isNegative();
  if (APFloat::semanticsHasInf(semantics))
    nonFinite = NonFinite::LargestExponent;
  else if (!APFloat::semanticsHasNaN(semantics))
    nonFinite = NonFinite::None;
  else
    nonFinite = hasSign && !hasNegativeZero ? NonFinite::NegativeZero : NonFinite::AllOnes;
}

bool FloatFormat::isNan(uint32_t sign, uint32_t magnitude) const {
  switch (nonFinite) {
  case NonFinite::LargestExponent:
    return magnitude > (getMask(magnitudeBits - mantissaBits) << mantissaBits);
  case NonFinite::AllOnes:
    return magnitude == getMask(magnitudeBits);
  case NonFinite::NegativeZero:
    return sign && magnitude == 0;
  case NonFinite::None:
    return false;
  }
  return false;
}

float FloatFormat::decode(uint32_t bits) const {
  uint32_t magnitude = bits & getMask(magnitudeBits), sign = bits >> magnitudeBits & (hasSign ? 1 : 0);
  uint32_t fraction = magnitude & getMask(mantissaBits), exponent = magnitude >> mantissaBits;
  uint32_t floatSign = sign << 31;
  if (isNan(sign, magnitude)) {
    uint32_t payload = nonFinite == NonFinite::LargestExponent ? fraction << (floatMantissaBits - mantissaBits)
                                                               : uint32_t(1) << (floatMantissaBits - 1);
    return llvm::bit_cast<float>(floatSign | floatInfinity | payload);
  }
  if (nonFinite == NonFinite::LargestExponent && exponent == getMask(magnitudeBits - mantissaBits))
    return llvm::bit_cast<float>(floatSign | floatInfinity);
  // The lowest exponent is that of the subnormal numbers and of the smallest normal ones.
  bool isSubnormal = hasSubnormals && exponent == 0;
  int scale = minExponent + static_cast<int>(exponent) - (hasSubnormals && !isSubnormal ? 1 : 0);
  float significand = isSubnormal ? fraction : fraction + (uint32_t(1) << mantissaBits);
  float value = std::ldexp(significand, scale - static_cast<int>(mantissaBits));
  return sign ? -value : value;
}

uint32_t FloatFormat::encodeNan(uint32_t sign, uint32_t payload) const {
  switch (nonFinite) {
  case NonFinite::LargestExponent: {
    payload >>= floatMantissaBits - mantissaBits;
    uint32_t quiet = uint32_t(1) << (mantissaBits - 1);
    return sign << magnitudeBits | getMask(magnitudeBits - mantissaBits) << mantissaBits | (payload ? payload : quiet);
  }
  case NonFinite::AllOnes:
    return (hasSign ? sign << magnitudeBits : 0) | getMask(magnitudeBits);
  case NonFinite::NegativeZero:
  case NonFinite::None:
    return uint32_t(1) << magnitudeBits;
  }
  return 0;
}

uint32_t FloatFormat::encode(float value) const {
  auto bits = llvm::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 31, payload = bits & getMask(floatMantissaBits);
  if (std::isnan(value) || (value == 0 && !hasSubnormals))
    return encodeNan(sign, payload);
  uint32_t signBit = hasSign ? sign << magnitudeBits : 0;
  if (std::isinf(value))
    return signBit | getMask(magnitudeBits - mantissaBits) << mantissaBits;
  int exponent = value == 0 ? minExponent : std::max(std::ilogb(value), minExponent);
  // In units of the last place: 2^mantissaBits and more for normal numbers, less for subnormal ones.
  auto units = static_cast<uint32_t>(std::ldexp(std::fabs(value), static_cast<int>(mantissaBits) - exponent));
  uint32_t field = static_cast<uint32_t>(exponent - minExponent) << mantissaBits;
  return hasSubnormals ? signBit | (field + units) : field;
}

} // namespace partita::evaluate
