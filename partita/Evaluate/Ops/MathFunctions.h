//===- MathFunctions.h - transcendental functions of two elements ---------===//
//
// The ops of stablehlo and the broadcasting ops of chlo share these.
// Elementwise.h explains the members.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_MATHFUNCTIONS_H
#define PARTITA_EVALUATE_OPS_MATHFUNCTIONS_H

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/ComplexMath.h"
#include "partita/Evaluate/Ops/SpecialFunctions.h"
#include "partita/Evaluate/Rooms.h"

namespace partita::evaluate {

/// Integers: by squaring, with wrap-around. As in XLA, the exponent is signed whatever the type. If it is not negative,
/// only its six lowest bits count. If it is negative, the result is 0 unless the base is 1 or -1.
struct Power {
  static constexpr llvm::StringLiteral name = "power";
  template <typename T> static T ofInteger(T base, T exponent, unsigned width) {
    // Narrower types compute in eight bits.
    width = std::max(width, 8u);
    int64_t signedBase = wrapSigned(base, width), signedExponent = wrapSigned(exponent, width);
    if (signedExponent < 0 && signedBase != 1 && signedBase != -1)
      return 0;
    uint64_t result = 1, square = signedBase;
    for (unsigned bits = signedExponent & 63; bits; bits >>= 1, square *= square)
      if (bits & 1)
        result *= square;
    return result;
  }
  template <typename T> static T ofFloat(T base, T exponent) { return std::pow(base, exponent); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> base, std::complex<T> exponent) {
    return ComplexMath<T>::power(base, exponent);
  }
};

struct Atan2 {
  static constexpr llvm::StringLiteral name = "atan2";
  static double ofFloat(double y, double x) { return std::atan2(y, x); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> y, std::complex<T> x) {
    return ComplexMath<T>::atan2(y, x);
  }
};

struct Polygamma {
  static constexpr llvm::StringLiteral name = "polygamma";
  static double ofFloat(double n, double x) { return polygamma(n, x); }
};

struct Zeta {
  static constexpr llvm::StringLiteral name = "zeta";
  static double ofFloat(double x, double q) { return hurwitzZeta(x, q); }
};

} // namespace partita::evaluate

#endif
