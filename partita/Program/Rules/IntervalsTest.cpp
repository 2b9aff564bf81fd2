//===- IntervalsTest.cpp --------------------------------------------------===//

#include "partita/Program/Rules/Intervals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace partita::program::rules {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Interval exact(double value) { return Interval::exact(value); }

bool contains(Interval interval, long double value) {
  return interval.isUnknown || (interval.low <= value && value <= interval.high);
}

TEST(Intervals, ExactWhereDoublesAre) {
  EXPECT_TRUE(add(exact(0.5), exact(0.25)).isExact());
  EXPECT_TRUE(multiply(exact(1.5), exact(-3)).isExact());
  EXPECT_TRUE(divide(exact(3), exact(4)).isExact());
  EXPECT_FALSE(divide(exact(1), exact(3)).isExact());
  EXPECT_FALSE(add(exact(1), exact(1e-30)).isExact());
  EXPECT_FALSE(multiply(exact(1e-200), exact(1e-200)).isExact());
}

TEST(Intervals, InfinitiesAndNaN) {
  EXPECT_TRUE(subtract(exact(infinity), exact(infinity)).isNaN());
  EXPECT_EQ(divide(exact(1), exact(0)).low, infinity);
  EXPECT_TRUE(divide(exact(0), exact(0)).isNaN());
  EXPECT_EQ(divide(exact(1), exact(-0.0)).low, -infinity);
  EXPECT_TRUE(maximum(exact(1), exact(std::nan(""))).isNaN());
  // Too large for a double, but not for a number.
  EXPECT_TRUE(multiply(exact(1e200), exact(1e200)).isUnknown);
  EXPECT_TRUE(apply({std::exp, -infinity, 0}, exact(1000)).isUnknown);
  EXPECT_EQ(apply({std::exp, -infinity, 0}, exact(-infinity)).high, 0);
  EXPECT_EQ(apply({std::log, 0}, exact(0)).low, -infinity);
  EXPECT_TRUE(apply({std::log, 0}, exact(-1)).isNaN());
  EXPECT_TRUE(divide(exact(1), {-1e-9, 1e-9, false}).isUnknown);
}

TEST(Intervals, ContainWhatIsExact) {
  std::mt19937_64 random(1);
  auto draw = [&] { return std::ldexp(static_cast<double>(random() >> 11) - 4503599627370496.0, -48); };
  for (int i = 0; i < 2000; ++i) {
    double a = draw(), b = draw();
    Interval x = divide(exact(a), exact(3)), y = divide(exact(b), exact(7));
    long double p = a / 3.0L, q = b / 7.0L;
    EXPECT_TRUE(contains(add(x, y), p + q));
    EXPECT_TRUE(contains(subtract(x, y), p - q));
    EXPECT_TRUE(contains(multiply(x, y), p * q));
    EXPECT_TRUE(contains(divide(x, y), p / q));
    EXPECT_TRUE(contains(maximum(x, y), std::max(p, q)));
    EXPECT_TRUE(contains(absolute(x), std::fabs(p)));
    EXPECT_TRUE(contains(apply({std::exp, -infinity, 0}, x), expl(p)));
    EXPECT_TRUE(contains(apply({std::tanh}, x), tanhl(p)));
  }
}

TEST(Intervals, Comparison) {
  Interval third = divide(exact(1), exact(3));
  EXPECT_EQ(isLess(third, exact(0.5)), true);
  EXPECT_EQ(isLess(exact(0.5), third), false);
  EXPECT_EQ(isLess(third, third), std::nullopt);
  EXPECT_EQ(isEqual(third, third), std::nullopt);
  EXPECT_EQ(isEqual(exact(2), exact(2)), true);
  EXPECT_EQ(isEqual(exact(std::nan("")), exact(1)), false);
  EXPECT_EQ(compare(third, third), Agreement::Same);
  EXPECT_EQ(compare(third, exact(0.3333333)), Agreement::Different);
  EXPECT_EQ(compare({-1, 1, false}, third), Agreement::Unclear);
  EXPECT_EQ(compare(exact(infinity), exact(std::nan(""))), Agreement::Same);
  EXPECT_EQ(compare(exact(infinity), exact(-infinity)), Agreement::Different);
  EXPECT_EQ(compare(exact(infinity), exact(1)), Agreement::Different);
}

} // namespace
} // namespace partita::program::rules
