//===- SpecialFunctionsTest.cpp -------------------------------------------===//

#include "partita/Evaluate/Ops/SpecialFunctions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace partita::evaluate {
namespace {

constexpr double pi = std::numbers::pi, infinity = std::numeric_limits<double>::infinity();

/// Equal to a few units in the last place.
void expectClose(double actual, double expected) { EXPECT_NEAR(actual, expected, 1e-14 * std::fabs(expected)); }

TEST(SpecialFunctionsTest, ErfInv) {
  // The second term is what rounding erf(y), near 1, does to y.
  for (double y : {0.003, 0.2, 0.7, 1.4, 3.0, 5.0})
    EXPECT_NEAR(erfInv(std::erf(y)), y, 1e-15 * y + 1e-16 * std::exp(y * y));
  EXPECT_EQ(erfInv(-1), -infinity);
  EXPECT_TRUE(std::signbit(erfInv(-0.0)));
  EXPECT_TRUE(std::isnan(erfInv(1.5)));
}

TEST(SpecialFunctionsTest, GammaAndItsDerivatives) {
  expectClose(evaluate::lgamma(0.5), std::log(pi) / 2);
  expectClose(digamma(1), -std::numbers::egamma);
  expectClose(digamma(0.5), -std::numbers::egamma - 2 * std::numbers::ln2);
  // digamma(x + 1) = digamma(x) + 1/x, also below 0.
  expectClose(digamma(-2.25), digamma(-1.25) + 1 / 2.25);
  EXPECT_TRUE(std::isnan(digamma(-3)));
  expectClose(polygamma(1, 1), pi * pi / 6);
  expectClose(polygamma(2, 0.5), -14 * 1.2020569031595942);
  EXPECT_TRUE(std::isnan(polygamma(0.5, 1)));
}

TEST(SpecialFunctionsTest, Zeta) {
  expectClose(hurwitzZeta(2, 1), pi * pi / 6);
  expectClose(hurwitzZeta(4, 1), std::pow(pi, 4) / 90);
  // zeta(x, q) = zeta(x, q + 1) + q^-x, over many terms and below 0.
  for (double x : {1.5, 3.0, 40.0, 120.0})
    expectClose(hurwitzZeta(x, 42.5), hurwitzZeta(x, 43.5) + std::pow(42.5, -x));
  EXPECT_NEAR(hurwitzZeta(3, -1.5), hurwitzZeta(3, 0.5) - 1 / 3.375 - 8, 1e-14);
  EXPECT_EQ(hurwitzZeta(1, 2), infinity);
  EXPECT_EQ(hurwitzZeta(2, -3), infinity);
  EXPECT_TRUE(std::isnan(hurwitzZeta(3, -3)));
  EXPECT_TRUE(std::isnan(hurwitzZeta(0.5, 1)));
  // Neither of these may take long.
  EXPECT_EQ(hurwitzZeta(1e300, 20), 0);
  EXPECT_TRUE(std::isfinite(hurwitzZeta(2, -1e15 - 0.5)));
}

TEST(SpecialFunctionsTest, BesselI1e) {
  // Abramowitz and Stegun, table 9.8: e^-x I1(x) at 1, 5 and 10; both formulas meet at 20.
  EXPECT_NEAR(besselI1e(1), 0.2079104154, 1e-10);
  EXPECT_NEAR(besselI1e(5), 0.1639722669, 1e-10);
  EXPECT_NEAR(besselI1e(-10), -0.1212626814, 1e-10);
  expectClose(besselI1e(20), besselI1e(std::nextafter(20, 0)));
  EXPECT_EQ(besselI1e(infinity), 0);
}

} // namespace
} // namespace partita::evaluate
