//===- Intervals.cpp - what a real number lies between --------------------===//

#include "partita/Program/Rules/Intervals.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace partita::program::rules {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// By how many neighboring doubles functions of <cmath> may be off, with some room.
static constexpr int functionUlps = 4;

/// Relative width of intervals that still tell numbers apart.
static constexpr double maxWidth = 1e-9;

bool Interval::isExact() const { return !isUnknown && (low == high || std::isnan(low)); }
bool Interval::isNaN() const { return !isUnknown && std::isnan(low); }

/// Below it, what rounding drops may be too small for a double.
static constexpr double smallestProduct = 1e-250;

static Interval widen(double low, double high, int ulps) {
  for (int i = 0; i < ulps; ++i) {
    low = std::nextafter(low, -infinity);
    high = std::nextafter(high, infinity);
  }
  return {low, high, false};
}

/// What remains of a sum when it is rounded (Knuth's two-sum).
static double computeSumError(double a, double b, double sum) {
  double other = sum - a;
  return (a - (sum - other)) + (b - other);
}

/// A result of `compute`, which has its extremes in the corners. `isRounded(a, b, result)` is true if the result for
/// finite numbers is not exact.
template <typename Compute, typename IsRounded>
static Interval applyCorners(Interval a, Interval b, Compute compute, IsRounded isRounded) {
  if (a.isUnknown || b.isUnknown)
    return Interval::unknown();
  if (a.isNaN() || b.isNaN())
    return Interval::exact(std::nan(""));
  if (a.isExact() && b.isExact()) {
    double value = compute(a.low, b.low);
    bool isFinite = std::isfinite(a.low) && std::isfinite(b.low);
    if (std::isnan(value) || !isFinite || !isRounded(a.low, b.low, value))
      return Interval::exact(value);
    return std::isfinite(value) ? widen(value, value, 1) : Interval::unknown();
  }
  double corners[] = {compute(a.low, b.low), compute(a.low, b.high), compute(a.high, b.low), compute(a.high, b.high)};
  bool isInfinite = std::isinf(a.low) || std::isinf(b.low) || b.low == 0;
  if (isInfinite && std::isinf(corners[0]) && llvm::all_equal(corners))
    return Interval::exact(corners[0]);
  if (!llvm::all_of(corners, [](double corner) { return std::isfinite(corner); }))
    return Interval::unknown();
  auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  return widen(*low, *high, 1);
}

Interval add(Interval a, Interval b) {
  return applyCorners(
      a, b, [](double x, double y) { return x + y; },
      [](double x, double y, double sum) { return computeSumError(x, y, sum) != 0; });
}

Interval subtract(Interval a, Interval b) { return add(a, negate(b)); }

Interval multiply(Interval a, Interval b) {
  return applyCorners(
      a, b, [](double x, double y) { return x * y; },
      [](double x, double y, double product) {
        bool isTiny = x != 0 && y != 0 && std::fabs(product) < smallestProduct;
        return isTiny || std::fma(x, y, -product) != 0;
      });
}

Interval divide(Interval a, Interval b) {
  bool mayBeZero = !b.isUnknown && !b.isExact() && b.low <= 0 && b.high >= 0;
  if (mayBeZero && !a.isNaN())
    return Interval::unknown();
  return applyCorners(
      a, b, [](double x, double y) { return x / y; },
      [](double x, double y, double quotient) {
        bool isTiny = x != 0 && std::fabs(quotient) < smallestProduct;
        return y != 0 && (isTiny || std::fma(quotient, y, -x) != 0);
      });
}

Interval maximum(Interval a, Interval b) {
  if (a.isUnknown || b.isUnknown)
    return Interval::unknown();
  if (a.isNaN() || b.isNaN())
    return Interval::exact(std::nan(""));
  // Of two zeros, that without a sign.
  auto pick = [](double x, double y) { return x == y ? (std::signbit(x) ? y : x) : std::max(x, y); };
  return {pick(a.low, b.low), pick(a.high, b.high), false};
}

Interval minimum(Interval a, Interval b) { return negate(maximum(negate(a), negate(b))); }

Interval negate(Interval a) { return a.isUnknown ? a : Interval{-a.high, -a.low, false}; }

Interval absolute(Interval a) {
  if (a.isUnknown || a.isNaN())
    return a;
  double low = std::fabs(a.low), high = std::fabs(a.high);
  bool hasZero = a.low < 0 && a.high > 0;
  return {hasZero ? 0 : std::min(low, high), std::max(low, high), false};
}

Interval apply(const RisingFunction &function, Interval a) {
  if (a.isUnknown)
    return a;
  if (a.isNaN() || a.high < function.least)
    return Interval::exact(std::nan(""));
  if (a.low < function.least)
    return Interval::unknown();
  double low = function.compute(a.low), high = function.compute(a.high);
  if (std::isinf(a.low) && a.isExact())
    return Interval::exact(low);
  // The logarithm of zero is infinite, and what is too large for a double is not.
  if (a.isExact() && low == -infinity)
    return Interval::exact(low);
  if (!std::isfinite(low) || !std::isfinite(high))
    return Interval::unknown();
  Interval result = widen(low, high, functionUlps);
  result.low = std::max(result.low, function.floor);
  return result;
}

std::optional<bool> isLess(Interval a, Interval b) {
  if (a.isUnknown || b.isUnknown)
    return std::nullopt;
  if (a.isNaN() || b.isNaN() || a.low >= b.high)
    return false;
  return a.high < b.low ? std::optional(true) : std::nullopt;
}

std::optional<bool> isEqual(Interval a, Interval b) {
  if (a.isUnknown || b.isUnknown)
    return std::nullopt;
  if (a.isNaN() || b.isNaN() || a.high < b.low || b.high < a.low)
    return false;
  return a.isExact() && b.isExact() ? std::optional(true) : std::nullopt;
}

Agreement compare(Interval a, Interval b) {
  if (a.isUnknown || b.isUnknown)
    return Agreement::Unclear;
  auto isFinite = [](Interval x) { return std::isfinite(x.low) && std::isfinite(x.high); };
  if (a.isNaN() || b.isNaN())
    return isFinite(a) || isFinite(b) ? Agreement::Different : Agreement::Same;
  if (a.high < b.low || b.high < a.low)
    return Agreement::Different;
  if (a.isExact() && b.isExact())
    return Agreement::Same;
  double size = std::max({std::fabs(a.low), std::fabs(a.high), std::fabs(b.low), std::fabs(b.high)});
  double width = std::max(a.high, b.high) - std::min(a.low, b.low);
  return width <= maxWidth * size ? Agreement::Same : Agreement::Unclear;
}

} // namespace partita::program::rules
