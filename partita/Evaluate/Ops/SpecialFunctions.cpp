//===- SpecialFunctions.cpp - math that the standard library lacks --------===//

#include "partita/Evaluate/Ops/SpecialFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <math.h>

namespace partita::evaluate {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

static bool isWhole(double x) { return x == std::floor(x); }
static bool isEven(double x) { return std::fmod(x, 2) == 0; }

//===----------------------------------------------------------------------===//
// Error function
//===----------------------------------------------------------------------===//

/// Good to three digits: Winitzki's approximation of erf, solved for its argument.
static double guessErfInv(double x) {
  if (x < 0.01)
    return x * std::sqrt(std::numbers::pi) / 2;
  constexpr double a = 0.147;
  double log = std::log((1 - x) * (1 + x)), half = 2 / (std::numbers::pi * a) + log / 2;
  return std::sqrt(std::sqrt(half * half - log / a) - half);
}

double erfInv(double x) {
  double magnitude = std::fabs(x);
  if (magnitude == 0 || magnitude == 1 || !(magnitude < 1))
    return magnitude == 0 ? x : magnitude == 1 ? x * infinity : notANumber;
  double y = guessErfInv(magnitude);
  // Halley's method: the second derivative of erf is -2y times the first. Near 1, 1 - x is exact where x is not.
  for (int step = 0; step < 3; ++step) {
    double error = magnitude < 0.5 ? std::erf(y) - magnitude : (1 - magnitude) - std::erfc(y);
    double slope = 2 / std::sqrt(std::numbers::pi) * std::exp(-y * y);
    y -= error / (slope + y * error);
  }
  return std::copysign(y, x);
}

//===----------------------------------------------------------------------===//
// Gamma function and its derivatives
//===----------------------------------------------------------------------===//

double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

/// Bernoulli numbers B2, B4, ...
static constexpr double bernoulli[] = {1.0 / 6,       -1.0 / 30,       1.0 / 42,       -1.0 / 30,
                                       5.0 / 66,      -691.0 / 2730,   7.0 / 6,        -3617.0 / 510,
                                       43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};

/// Of positive numbers: steps up to where log x - 1/2x - sum of B2k / (2k x^2k) is exact.
static double digammaOfPositive(double x) {
  double sum = 0;
  while (x < 10) {
    sum -= 1 / x;
    x += 1;
  }
  double inverseSquare = 1 / (x * x), power = inverseSquare, series = 0;
  for (int k = 1; k <= 9; ++k, power *= inverseSquare)
    series += bernoulli[k - 1] / (2 * k) * power;
  return sum + (std::log(x) - 0.5 / x - series);
}

double digamma(double x) {
  if (x > 0)
    return x == infinity ? x : digammaOfPositive(x);
  if (isWhole(x) || std::isnan(x))
    return notANumber;
  // The reflection formula; the tangent has period pi.
  return digammaOfPositive(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * (x - std::round(x)));
}

/// The Euler-Maclaurin formula from a = q + n on:
///   a^(1-x) / (x-1) + a^-x / 2 + sum over k of B2k / (2k)! x (x+1) ... (x+2k-2) a^(-x-2k+1)
static double sumZetaTail(double x, double a) {
  double term = std::pow(a, -x), sum = a * term / (x - 1) + term / 2;
  double factor = x * term / a / 2;
  for (int k = 1; k <= 12; ++k) {
    sum += bernoulli[k - 1] * factor;
    factor *= (x + 2 * k - 1) * (x + 2 * k) / ((2 * k + 1) * (2 * k + 2)) / (a * a);
  }
  return sum;
}

static double zetaOfPositive(double x, double q) {
  double sum = 0, start = 12 + x;
  while (q < start) {
    double term = std::pow(q, -x);
    sum += term;
    if (term <= sum * 1e-18)
      return sum;
    q += 1;
  }
  return sum + sumZetaTail(x, q);
}

double hurwitzZeta(double x, double q) {
  if (x == 1)
    return infinity;
  // At a pole the two sides agree for even x only.
  if (q <= 0 && isWhole(q))
    return isEven(x) ? infinity : notANumber;
  // Powers of negative numbers are real for whole exponents only.
  if (!(x > 1) || std::isnan(q) || (q < 0 && !isWhole(x)))
    return notANumber;
  if (q > 0)
    return q == infinity || x == infinity ? std::pow(q, -x) : zetaOfPositive(x, q);
  // The terms below 0 are those of another zeta function up to its m-th, with alternating sign for odd x.
  double m = -std::floor(q), fraction = q + m;
  double below = zetaOfPositive(x, 1 - fraction) - zetaOfPositive(x, 1 - fraction + m);
  return zetaOfPositive(x, fraction) + (isEven(x) ? below : -below);
}

double polygamma(double n, double x) {
  if (n == 0)
    return digamma(x);
  if (!(n > 0) || !isWhole(n) || n == infinity)
    return notANumber;
  double value = std::tgamma(n + 1) * hurwitzZeta(n + 1, x);
  return isEven(n) ? -value : value;
}

//===----------------------------------------------------------------------===//
// Bessel function
//===----------------------------------------------------------------------===//

/// Sum of (x/2)^(2k+1) / (k! (k+1)!): all terms are positive.
static double sumBesselSeries(double x) {
  double term = x / 2, sum = term, square = x * x / 4;
  for (int k = 1; term > sum * 1e-18; ++k) {
    term *= square / (k * (k + 1.0));
    sum += term;
  }
  return sum;
}

/// 1/sqrt(2 pi x) times the sum of (1 - 4)(9 - 4)(25 - 4)... / (k! (8x)^k).
static double sumBesselAsymptote(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 40 && std::fabs(term) > 1e-18; ++k) {
    double odd = 2 * k - 1;
    term *= (odd * odd - 4) / (k * 8 * x);
    sum += term;
  }
  return sum / (std::sqrt(2 * std::numbers::pi) * std::sqrt(x));
}

double besselI1e(double x) {
  double magnitude = std::fabs(x);
  if (magnitude == 0 || std::isnan(x))
    return x;
  if (magnitude == infinity)
    return std::copysign(0.0, x);
  double value = magnitude < 20 ? std::exp(-magnitude) * sumBesselSeries(magnitude) : sumBesselAsymptote(magnitude);
  return std::copysign(value, x);
}

} // namespace partita::evaluate
