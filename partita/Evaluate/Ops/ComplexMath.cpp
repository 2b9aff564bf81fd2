//===- ComplexMath.cpp - functions of complex numbers ---------------------===//

#include "partita/Evaluate/Ops/ComplexMath.h"

#include "partita/Evaluate/Arithmetic.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace partita::evaluate {

template <typename T> static bool hasNan(std::complex<T> z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

template <typename T> static std::complex<T> makeNan() {
  T nan = std::numeric_limits<T>::quiet_NaN();
  return {nan, nan};
}

/// -0 as +0.
template <typename T> static T withoutSign(T zero) { return zero + T(0); }

/// i z and -i z
template <typename T> static std::complex<T> turn(std::complex<T> z) { return {-z.imag(), z.real()}; }
template <typename T> static std::complex<T> turnBack(std::complex<T> z) { return {z.imag(), -z.real()}; }

//===----------------------------------------------------------------------===//
// Exponential and logarithm
//===----------------------------------------------------------------------===//

/// factor e^x, where e^x alone may overflow.
template <typename T> static T timesExp(T factor, T x) {
  T power = std::exp(x), half = std::exp(x / 2);
  return std::isinf(power) && std::isfinite(x) ? factor * half * half : factor * power;
}

template <typename T> std::complex<T> ComplexMath<T>::exp(Complex z) {
  T x = z.real(), y = z.imag();
  if (y == 0)
    return {std::exp(x), T(0)};
  return {timesExp(std::cos(y), x), timesExp(std::sin(y), x)};
}

/// e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y/2): nothing cancels near 0.
template <typename T> std::complex<T> ComplexMath<T>::expm1(Complex z) {
  T x = z.real(), y = z.imag(), half = std::sin(y / 2);
  if (y == 0)
    return {withoutSign(std::expm1(x)), T(0)};
  return {std::expm1(x) * std::cos(y) - 2 * half * half, std::exp(x) * std::sin(y)};
}

template <typename T> std::complex<T> ComplexMath<T>::log(Complex z) { return hasNan(z) ? makeNan<T>() : std::log(z); }

/// log|1 + z| = log1p(x (2 + x) + y^2) / 2, which is exact near 0.
template <typename T> std::complex<T> ComplexMath<T>::log1p(Complex z) {
  if (hasNan(z))
    return makeNan<T>();
  T x = z.real(), y = z.imag();
  bool isSmall = std::hypot(x, y) < T(0.5);
  Complex logarithm = std::log(Complex(1 + x, y));
  return {isSmall ? T(0.5) * std::log1p(std::fma(x, x + 2, y * y)) : logarithm.real(), logarithm.imag()};
}

template <typename T> std::complex<T> ComplexMath<T>::logistic(Complex z) {
  return divideComplex(Complex(1), Complex(1) + exp(-z));
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

template <typename T> std::complex<T> ComplexMath<T>::sqrt(Complex z) {
  return hasNan(z) ? makeNan<T>() : std::sqrt(Complex(z.real(), withoutSign(z.imag())));
}

template <typename T> std::complex<T> ComplexMath<T>::rsqrt(Complex z) { return T(1) / std::sqrt(z); }

/// The root with the smallest argument.
template <typename T> std::complex<T> ComplexMath<T>::cbrt(Complex z) {
  T magnitude = std::cbrt(absComplex(z)), angle = std::arg(z) / 3;
  return {magnitude * std::cos(angle), magnitude * std::sin(angle)};
}

template <typename T> std::complex<T> ComplexMath<T>::square(Complex z) {
  T x = z.real(), y = z.imag();
  // Equal parts cancel, also where their sum overflows.
  bool isDiagonal = std::fabs(x) == std::fabs(y) && std::isfinite(x);
  return {isDiagonal ? T(0) : (x - y) * (x + y), 2 * (x * y)};
}

/// |base|^c e^(-d arg base), at the angle c arg base + d log|base|; c + id is the exponent.
template <typename T> std::complex<T> ComplexMath<T>::power(Complex base, Complex exponent) {
  T c = exponent.real(), d = exponent.imag();
  if (exponent == Complex(0) || base == Complex(1))
    return Complex(1);
  if (base == Complex(0) && d == 0)
    return c > 0 ? Complex(0) : makeNan<T>();
  if (base == Complex(std::numeric_limits<T>::infinity()) && d == 0 && !std::isnan(c))
    return Complex(c > 0 ? base.real() : T(0));
  T magnitude = absComplex(base), argument = std::arg(base);
  T coefficient = std::pow(magnitude, c) * std::exp(-d * argument);
  T angle = c * argument + d * std::log(magnitude);
  return {coefficient * std::cos(angle), coefficient * std::sin(angle)};
}

//===----------------------------------------------------------------------===//
// Trigonometric and hyperbolic functions
//===----------------------------------------------------------------------===//

template <typename T> std::complex<T> ComplexMath<T>::sin(Complex z) {
  T x = z.real(), y = z.imag();
  return {std::sin(x) * std::cosh(y), std::cos(x) * withoutSign(std::sinh(y))};
}

template <typename T> std::complex<T> ComplexMath<T>::cos(Complex z) {
  T x = z.real(), y = z.imag();
  return {std::cos(x) * std::cosh(y), std::sin(x) * withoutSign(std::sinh(-y))};
}

/// factor cosh x and factor sinh x, which are factor e^|x| / 2 where e^|x| is large.
template <typename T> static T timesCosh(T factor, T x) {
  return std::fabs(x) > 50 ? timesExp(factor / 2, std::fabs(x)) : factor * std::cosh(x);
}
template <typename T> static T timesSinh(T factor, T x) {
  return std::fabs(x) > 50 ? timesExp((x < 0 ? -factor : factor) / 2, std::fabs(x)) : factor * std::sinh(x);
}

template <typename T> std::complex<T> ComplexMath<T>::sinh(Complex z) {
  T x = z.real(), y = z.imag();
  if (y == 0)
    return {withoutSign(std::sinh(x)), T(0)};
  return {timesSinh(std::cos(y), x), timesCosh(std::sin(y), x)};
}

template <typename T> std::complex<T> ComplexMath<T>::cosh(Complex z) {
  T x = z.real(), y = z.imag();
  if (y == 0)
    return {std::cosh(x), T(0)};
  return {timesCosh(std::cos(y), x), timesSinh(std::sin(y), x)};
}

template <typename T> std::complex<T> ComplexMath<T>::tanh(Complex z) {
  if (z.imag() == 0)
    return {std::tanh(z.real()), T(0)};
  if (!std::isfinite(z.imag()) && std::isfinite(z.real()))
    return makeNan<T>();
  return std::tanh(z);
}

template <typename T> std::complex<T> ComplexMath<T>::tan(Complex z) { return turnBack(tanh(turn(z))); }

//===----------------------------------------------------------------------===//
// Their inverses
//===----------------------------------------------------------------------===//

/// NaN beside infinity does not make the result undefined.
template <typename T> static bool isUndefined(std::complex<T> z) {
  return hasNan(z) && !std::isinf(z.real()) && !std::isinf(z.imag());
}

template <typename T> std::complex<T> ComplexMath<T>::asin(Complex z) {
  return isUndefined(z) ? makeNan<T>() : std::asin(Complex(z.real(), withoutSign(z.imag())));
}

template <typename T> std::complex<T> ComplexMath<T>::acos(Complex z) {
  return isUndefined(z) ? makeNan<T>() : std::acos(Complex(z.real(), withoutSign(z.imag())));
}

template <typename T> std::complex<T> ComplexMath<T>::asinh(Complex z) {
  return isUndefined(z) ? makeNan<T>() : std::asinh(Complex(withoutSign(z.real()), z.imag()));
}

template <typename T> std::complex<T> ComplexMath<T>::acosh(Complex z) {
  return isUndefined(z) ? makeNan<T>() : std::acosh(Complex(z.real(), withoutSign(z.imag())));
}

/// At infinity, and for NaN, the imaginary part is a quarter turn to the side of the operand's.
template <typename T> std::complex<T> ComplexMath<T>::atanh(Complex z) {
  T x = z.real(), y = z.imag(), quarter = std::numbers::pi_v<T> / 2;
  if (hasNan(z)) {
    bool isFar = std::isinf(x) || std::isinf(y);
    return {isFar ? std::copysign(T(0), x) : std::numeric_limits<T>::quiet_NaN(), y >= 0 ? quarter : -quarter};
  }
  Complex result = std::atanh(z);
  return {x == 0 ? T(0) : result.real(), y == 0 && std::isinf(x) ? quarter : result.imag()};
}

template <typename T> std::complex<T> ComplexMath<T>::atan(Complex z) { return turnBack(atanh(turn(z))); }

/// -i log((x + i y) / sqrt(x^2 + y^2))
template <typename T> std::complex<T> ComplexMath<T>::atan2(Complex y, Complex x) {
  Complex length = sqrt(Multiply::ofComplex(x, x) + Multiply::ofComplex(y, y));
  return turnBack(log(divideComplex(x + turn(y), length)));
}

template <typename T> std::complex<T> ComplexMath<T>::asinAcosKernel(Complex z) {
  T imag = std::fabs(asin(z).imag());
  if (std::isinf(z.real()) || hasNan(z))
    return {std::fabs(z.imag()) + (hasNan(z) ? std::numeric_limits<T>::quiet_NaN() : T(0)), imag};
  Complex below = std::sqrt(T(1) - z), above = std::sqrt(T(1) + z);
  // The imaginary parts have opposite signs: both products are sums.
  return {std::fabs(below.real() * above.real() - below.imag() * above.imag()), imag};
}

template struct ComplexMath<float>;
template struct ComplexMath<double>;

} // namespace partita::evaluate
