//===- ExpectationTest.cpp - the bound accepts and rejects ----------------===//

#include "partita/Verify/Expectation.h"

#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace partita::verify {
namespace {

class ExpectationTest : public testing::Test {
protected:
  template <typename T> Tensor make(Type elementType, llvm::ArrayRef<T> values) {
    Tensor tensor(RankedTensorType::get({static_cast<int64_t>(values.size())}, elementType), Mode::Float);
    llvm::copy(values, tensor.edit<T>().begin());
    return tensor;
  }
  Tensor floats(llvm::ArrayRef<float> values) { return make<float>(builder.getF32Type(), values); }
  Tensor doubles(llvm::ArrayRef<double> values) { return make<double>(builder.getF64Type(), values); }
  bool accepts(const Expectation &expected, const Tensor &piece, int64_t offset = 0) {
    worst = 0;
    return !expected.check(piece, {offset}, worst);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  Builder builder{&context};
  double worst = 0;
};

constexpr float ulpOfOne = 0x1p-23f;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST_F(ExpectationTest, FourUlpsWhereTheOriginalIsRight) {
  Expectation expected = Expectation::makeClose(floats({1, 2}), doubles({1, 2}));
  EXPECT_TRUE(accepts(expected, floats({1 + 4 * ulpOfOne, 2})));
  EXPECT_EQ(worst, 1.0);
  EXPECT_FALSE(accepts(expected, floats({1 + 5 * ulpOfOne, 2})));
  // Neighbors of 2 are twice as far apart.
  EXPECT_TRUE(accepts(expected, floats({1, 2 + 8 * ulpOfOne})));
}

TEST_F(ExpectationTest, ErrorsOfTheOriginalAreAllowedFourTimesOver) {
  // The original is off by 10 ulps in one element: all may be off by 4 * 10 + 4.
  Expectation expected = Expectation::makeClose(floats({1 + 10 * ulpOfOne, 1}), doubles({1, 1}));
  EXPECT_TRUE(accepts(expected, floats({1, 1 + 44 * ulpOfOne})));
  EXPECT_FALSE(accepts(expected, floats({1, 1 + 45 * ulpOfOne})));
}

TEST_F(ExpectationTest, PiecesLieAtOffsets) {
  Expectation expected = Expectation::makeClose(floats({1, 2, 3, 4}), doubles({1, 2, 3, 4}));
  EXPECT_TRUE(accepts(expected, floats({3, 4}), 2));
  std::optional<WrongElement> wrong = expected.check(floats({3, 5}), {2}, worst);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->index, SmallVector<int64_t>{3});
  EXPECT_EQ(wrong->expected, "4");
  EXPECT_EQ(wrong->actual, "5");
}

TEST_F(ExpectationTest, InfinitiesAndNans) {
  Expectation expected = Expectation::makeClose(floats({infinity, nan, 1}), doubles({1e300, NAN, 1}));
  EXPECT_TRUE(accepts(expected, floats({infinity, nan, 1})));
  EXPECT_FALSE(accepts(expected, floats({-infinity, nan, 1})));
  EXPECT_FALSE(accepts(expected, floats({3e38f, nan, 1})));
  EXPECT_FALSE(accepts(expected, floats({infinity, 0, 1})));
  EXPECT_FALSE(accepts(expected, floats({infinity, nan, nan})));
}

TEST_F(ExpectationTest, StatedTolerance) {
  // sqrt(2^-52) * 4 = 2^-24.
  Expectation expected = Expectation::makeClose(doubles({1, 4}), doubles({1, 4}));
  EXPECT_TRUE(accepts(expected, doubles({1 + 0x1p-24, 4})));
  EXPECT_FALSE(accepts(expected, doubles({1 + 0x1p-23, 4})));
}

TEST_F(ExpectationTest, IntegersAreEqualOrWrong) {
  Tensor whole = make<int64_t>(builder.getI32Type(), {7, 8});
  EXPECT_TRUE(accepts(Expectation::makeTolerant(whole), whole));
  EXPECT_FALSE(accepts(Expectation::makeTolerant(whole), make<int64_t>(builder.getI32Type(), {7, 9})));
}

TEST_F(ExpectationTest, ComplexNumbersHaveTwoParts) {
  using Complex = std::complex<float>;
  Type type = ComplexType::get(builder.getF32Type()), wide = ComplexType::get(builder.getF64Type());
  Expectation expected = Expectation::makeClose(make<Complex>(type, {Complex(1, 2)}),
                                                make<std::complex<double>>(wide, {std::complex<double>(1, 2)}));
  EXPECT_TRUE(accepts(expected, make<Complex>(type, {Complex(1 + ulpOfOne, 2)})));
  EXPECT_FALSE(accepts(expected, make<Complex>(type, {Complex(1, 2.5)})));
}

} // namespace
} // namespace partita::verify
