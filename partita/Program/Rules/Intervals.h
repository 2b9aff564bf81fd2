//===- Intervals.h - what a real number lies between ----------------------===//
//
// Arithmetic that knows how much it may be off by. Each result is an interval
// that contains the exact one; where doubles are exact, it is a single number.
//
//   add(0.5, 0.25)            [0.75, 0.75]
//   divide(1, 3)              [0.33333333333333331, 0.33333333333333337]
//   divide(1, [-1e-9, 1e-9])  unknown
//
// Infinities and NaN are single numbers and follow IEEE 754.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_INTERVALS_H
#define PARTITA_PROGRAM_RULES_INTERVALS_H

#include "partita/Program/Rooms.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace partita::program::rules {

struct Interval {
  double low = 0, high = 0;
  /// Any number, or NaN.
  bool isUnknown = false;

  static Interval exact(double value) { return {value, value, false}; }
  static Interval unknown() { return {0, 0, true}; }
  bool isExact() const;
  bool isNaN() const;
};

Interval add(Interval a, Interval b);
Interval subtract(Interval a, Interval b);
Interval multiply(Interval a, Interval b);
Interval divide(Interval a, Interval b);
/// NaN if either is one.
Interval maximum(Interval a, Interval b);
Interval minimum(Interval a, Interval b);
Interval negate(Interval a);
Interval absolute(Interval a);

/// A function that never falls, from <cmath>, defined on numbers of at least `least` and NaN below. Results lie from
/// `floor` on.
struct RisingFunction {
  double (*compute)(double);
  double least = -std::numeric_limits<double>::infinity();
  double floor = -std::numeric_limits<double>::infinity();
};
Interval apply(const RisingFunction &function, Interval a);

/// Nothing if the intervals do not say.
std::optional<bool> isLess(Interval a, Interval b);
std::optional<bool> isEqual(Interval a, Interval b);

enum class Agreement : uint8_t {
  /// Both are the same number up to one part in 10^9, or neither is finite and they are no infinities of two signs.
  Same,
  Different,
  /// The intervals are too wide to say.
  Unclear,
};
Agreement compare(Interval a, Interval b);

} // namespace partita::program::rules

#endif
