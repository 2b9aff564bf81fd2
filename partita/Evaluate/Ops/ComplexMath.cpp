//===- ComplexMath.cpp - functions of complex numbers ---------------------===//

#include "partita/Evaluate/Ops/ComplexMath.h"

#include <cmath>

namespace partita::evaluate {

/// e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y/2): nothing cancels near 0.
ComplexDouble complexExpm1(ComplexDouble z) {
  double x = z.real(), y = z.imag(), half = std::sin(y / 2);
  if (y == 0)
    return {std::expm1(x), y};
  return {std::expm1(x) * std::cos(y) - 2 * half * half, std::exp(x) * std::sin(y)};
}

/// log|1 + z| = log1p(x (2 + x) + y^2) / 2, unless that is too large to be squared.
ComplexDouble complexLog1p(ComplexDouble z) {
  double x = z.real(), y = z.imag();
  double magnitude = std::hypot(x, y);
  double real = magnitude < 0.5 ? 0.5 * std::log1p(std::fma(x, x + 2, y * y)) : std::log(std::hypot(1 + x, y));
  return {real, std::atan2(y, 1 + x)};
}

ComplexDouble complexRsqrt(ComplexDouble z) { return 1.0 / std::sqrt(z); }

/// The root with the smallest argument.
ComplexDouble complexCbrt(ComplexDouble z) { return std::polar(std::cbrt(std::abs(z)), std::arg(z) / 3); }

ComplexDouble complexLogistic(ComplexDouble z) { return 1.0 / (1.0 + std::exp(-z)); }

ComplexDouble complexPower(ComplexDouble base, ComplexDouble exponent) { return std::pow(base, exponent); }

/// -i log((x + i y) / sqrt(x^2 + y^2))
ComplexDouble complexAtan2(ComplexDouble y, ComplexDouble x) {
  ComplexDouble i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

ComplexDouble asinAcosKernel(ComplexDouble z) {
  ComplexDouble below = std::sqrt(1.0 - z), above = std::sqrt(1.0 + z);
  // The imaginary parts have opposite signs: both products are sums.
  return {std::fabs(below.real() * above.real() - below.imag() * above.imag()), std::fabs(std::asin(z).imag())};
}

} // namespace partita::evaluate
