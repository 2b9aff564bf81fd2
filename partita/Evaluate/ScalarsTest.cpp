//===- ScalarsTest.cpp ----------------------------------------------------===//

#include "partita/Evaluate/Scalars.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::evaluate {
namespace {

/// What the combiner makes of two elements of `type`.
template <typename Element>
Element combine(ScalarCombiner combiner, Type type, Element a, Element b, Mode mode = Mode::Float) {
  Element result{};
  visitCombiner(combiner, type, mode, [&]<typename T>(T *, auto function) {
    if constexpr (std::is_same_v<T, Element>)
      result = function(a, b);
  });
  return result;
}

TEST(ScalarsTest, IntegersWrap) {
  MLIRContext context;
  Type i8 = IntegerType::get(&context, 8), ui4 = IntegerType::get(&context, 4, IntegerType::Unsigned);
  // 100 + 100 = 200 = -56 mod 256; 100 * 100 = 10000 = 16 mod 256.
  EXPECT_EQ(combine<int64_t>(ScalarCombiner::Add, i8, 100, 100), -56);
  EXPECT_EQ(combine<int64_t>(ScalarCombiner::Multiply, i8, 100, 100), 16);
  EXPECT_EQ(combine<int64_t>(ScalarCombiner::Maximum, i8, -3, 2), 2);
  // 9 + 9 = 18 = 2 mod 16.
  EXPECT_EQ(combine<uint64_t>(ScalarCombiner::Add, ui4, 9, 9), 2u);
}

TEST(ScalarsTest, FloatsRoundAndOrder) {
  Builder builder(new MLIRContext);
  std::unique_ptr<MLIRContext> owner(builder.getContext());
  // bf16 has 8 bits: 256 + 1 is a tie, which goes to the even 256.
  EXPECT_EQ(combine<float>(ScalarCombiner::Add, builder.getBF16Type(), 256, 1), 256);
  EXPECT_EQ(combine<float>(ScalarCombiner::Add, builder.getF32Type(), 256, 1), 257);
  EXPECT_FALSE(std::signbit(combine<float>(ScalarCombiner::Maximum, builder.getF32Type(), -0.0f, 0.0f)));
  EXPECT_TRUE(std::signbit(combine<float>(ScalarCombiner::Minimum, builder.getF32Type(), 0.0f, -0.0f)));
  EXPECT_TRUE(std::isnan(combine<double>(ScalarCombiner::Minimum, builder.getF64Type(), 1.0, NAN)));
}

TEST(ScalarsTest, BoolsAndRing) {
  Builder builder(new MLIRContext);
  std::unique_ptr<MLIRContext> owner(builder.getContext());
  EXPECT_EQ(combine<uint8_t>(ScalarCombiner::Add, builder.getI1Type(), 1, 1), 1);
  EXPECT_EQ(combine<uint8_t>(ScalarCombiner::Minimum, builder.getI1Type(), 1, 0), 0);
  // In exact mode -1 is the largest number.
  EXPECT_EQ(combine<uint64_t>(ScalarCombiner::Maximum, builder.getF32Type(), UINT64_MAX, 5, Mode::Exact), UINT64_MAX);
  EXPECT_EQ(combine<uint64_t>(ScalarCombiner::Add, builder.getBF16Type(), UINT64_MAX, 6, Mode::Exact), 5u);
}

} // namespace
} // namespace partita::evaluate
