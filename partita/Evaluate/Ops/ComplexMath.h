//===- ComplexMath.h - functions of complex numbers -----------------------===//
//
// The functions compute in the precision of their operands. At zeros,
// infinities and NaN they follow XLA, not the standard library:
//
//   - an imaginary part of -0 is on the same side of a branch cut as +0;
//   - if a part of the operand is NaN, mostly both parts of the result are;
//   - products are plain, so that 0 times infinity is NaN.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_COMPLEXMATH_H
#define PARTITA_EVALUATE_OPS_COMPLEXMATH_H

#include "partita/Evaluate/Rooms.h"
#include <complex>

namespace partita::evaluate {

/// The functions, for T = float and double.
template <typename T> struct ComplexMath {
  using Complex = std::complex<T>;

  static Complex exp(Complex z);
  static Complex expm1(Complex z);
  static Complex log(Complex z);
  static Complex log1p(Complex z);
  static Complex logistic(Complex z);
  static Complex sqrt(Complex z);
  static Complex rsqrt(Complex z);
  static Complex cbrt(Complex z);
  static Complex sin(Complex z);
  static Complex cos(Complex z);
  static Complex tan(Complex z);
  static Complex sinh(Complex z);
  static Complex cosh(Complex z);
  static Complex tanh(Complex z);
  static Complex asin(Complex z);
  static Complex acos(Complex z);
  static Complex atan(Complex z);
  static Complex asinh(Complex z);
  static Complex acosh(Complex z);
  static Complex atanh(Complex z);
  static Complex square(Complex z);
  static Complex power(Complex base, Complex exponent);
  static Complex atan2(Complex y, Complex x);
  /// sqrt(a^2 - x^2) + i log(a + sqrt(a^2 - 1)), where a = (|z + 1| + |z - 1|) / 2 and x is z's real part.
  static Complex asinAcosKernel(Complex z);
};

extern template struct ComplexMath<float>;
extern template struct ComplexMath<double>;

} // namespace partita::evaluate

#endif
