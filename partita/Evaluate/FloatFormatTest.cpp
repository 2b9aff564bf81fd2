//===- FloatFormatTest.cpp ------------------------------------------------===//
//
// Compares bits and rounding of narrow floats with APFloat. The few things that
// APFloat does not support have expected values here.
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/FloatFormat.h"

#include "partita/Evaluate/Number.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::evaluate {
namespace {

SmallVector<Type> getNarrowTypes(MLIRContext *context) {
  return {Float4E2M1FNType::get(context),   Float6E2M3FNType::get(context),      Float6E3M2FNType::get(context),
          Float8E3M4Type::get(context),     Float8E4M3Type::get(context),        Float8E4M3FNType::get(context),
          Float8E4M3FNUZType::get(context), Float8E4M3B11FNUZType::get(context), Float8E5M2Type::get(context),
          Float8E5M2FNUZType::get(context), Float16Type::get(context),           BFloat16Type::get(context)};
}

TEST(FloatFormatTest, AllBitsOfAllTypes) {
  MLIRContext context;
  for (Type type : getNarrowTypes(&context)) {
    FloatFormat format(type);
    FloatRounder round(type);
    const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
    unsigned width = type.getIntOrFloatBitWidth();
    for (uint32_t bits = 0; bits < 1u << width; ++bits) {
      float value = format.decode(bits);
      ASSERT_EQ(format.encode(value), bits);
      APFloat expected(semantics, APInt(width, bits));
      ASSERT_EQ(std::isnan(value), expected.isNaN());
      if (expected.isNaN())
        continue;
      ASSERT_EQ(value, expected.convertToFloat());
      ASSERT_EQ(std::signbit(value), expected.isNegative());
      ASSERT_EQ(round(value), value);
    }
  }
}

TEST(FloatFormatTest, RoundsAsApFloatDoes) {
  MLIRContext context;
  for (Type type : getNarrowTypes(&context)) {
    FloatRounder round(type);
    const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
    for (int i = 0; i < 20000; ++i) {
      // Exponents from below to above the type's, and few bits in every other mantissa, so that ties are frequent.
      uint64_t random = ringHash(7, i), mantissa = random >> 12;
      if (i % 2)
        mantissa &= ~uint64_t(0) << 36;
      int exponent = static_cast<int>(random % 80) - 40;
      double value = std::ldexp(1 + std::ldexp(static_cast<double>(mantissa), -52), exponent) * (i % 3 ? 1 : -1);
      APFloat expected(value);
      bool losesInfo;
      expected.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
      float rounded = round(value);
      if (expected.isNaN()) {
        EXPECT_TRUE(std::isnan(rounded)) << value;
        continue;
      }
      EXPECT_EQ(rounded, expected.convertToFloat()) << value;
      EXPECT_EQ(std::signbit(rounded), expected.isNegative()) << value;
    }
  }
}

TEST(FloatFormatTest, PowersOfTwo) {
  MLIRContext context;
  Type type = Float8E8M0FNUType::get(&context);
  FloatFormat format(type);
  FloatRounder round(type);
  // 2^(bits - 127), and 255 is NaN.
  EXPECT_EQ(format.decode(127), 1.0f);
  EXPECT_EQ(format.encode(0.25f), 125u);
  EXPECT_TRUE(std::isnan(format.decode(255)));
  // Ties go up; there is no zero and no sign.
  EXPECT_EQ(round(5), 4);
  EXPECT_EQ(round(6), 8);
  EXPECT_EQ(round(3), 4);
  EXPECT_TRUE(std::isnan(round(0)));
  EXPECT_TRUE(std::isnan(round(-1)));
}

TEST(FloatFormatTest, NotANumber) {
  MLIRContext context;
  // f4E2M1FN has no NaN, and f8E4M3FNUZ has it where -0 would be.
  EXPECT_TRUE(std::signbit(FloatRounder(Float4E2M1FNType::get(&context))(NAN)));
  EXPECT_EQ(FloatRounder(Float4E2M1FNType::get(&context))(-INFINITY), -6);
  EXPECT_EQ(FloatFormat(Float8E4M3FNUZType::get(&context)).encode(NAN), 0x80u);
  EXPECT_EQ(FloatRounder(Float8E5M2Type::get(&context))(1e6), INFINITY);
}

} // namespace
} // namespace partita::evaluate
