//===- ConvertTest.cpp ----------------------------------------------------===//

#include "partita/Testing/OpFixture.h"

namespace partita::evaluate {

using namespace fixtures;
namespace {

using ConvertTest = OpFixture;

TEST_F(ConvertTest, FloatsToIntegersTruncateAndSaturate) {
  // NaN, inf, -inf, -1.9, 300
  std::string a = "dense<[0x7FC00000, 0x7F800000, 0xFF800000, -1.9, 300.0]> : tensor<5xf32>";
  expect({a}, "stablehlo.convert %0 : (tensor<5xf32>) -> tensor<5xi8>",
         "dense<[0, 127, -128, -1, 127]> : tensor<5xi8>");
  expect({a}, "stablehlo.convert %0 : (tensor<5xf32>) -> tensor<5xui8>", "dense<[0, 255, 0, 0, 255]> : tensor<5xui8>");
  expect({a}, "stablehlo.convert %0 : (tensor<5xf32>) -> tensor<5xi64>",
         "dense<[0, 9223372036854775807, -9223372036854775808, -1, 300]> : tensor<5xi64>");
  expect({a}, "stablehlo.convert %0 : (tensor<5xf32>) -> tensor<5xi1>",
         "dense<[true, true, true, true, true]> : tensor<5xi1>");
}

TEST_F(ConvertTest, IntegersWrapAndRound) {
  expect({"dense<[200, -1]> : tensor<2xi32>"}, "stablehlo.convert %0 : (tensor<2xi32>) -> tensor<2xi8>",
         "dense<[-56, -1]> : tensor<2xi8>");
  expect({"dense<[-1, 3]> : tensor<2xi32>"}, "stablehlo.convert %0 : (tensor<2xi32>) -> tensor<2xui4>",
         "dense<[15, 3]> : tensor<2xui4>");
  // 2^24 + 1 is a tie of f32.
  expect({"dense<[16777217, 16777219]> : tensor<2xi64>"}, "stablehlo.convert %0 : (tensor<2xi64>) -> tensor<2xf32>",
         "dense<[16777216.0, 16777220.0]> : tensor<2xf32>");
  // 257 * 2^17 + 1 is above a tie of bf16, but in f32 it is that tie.
  expect({"dense<33685505> : tensor<i64>"}, "stablehlo.convert %0 : (tensor<i64>) -> tensor<bf16>",
         "dense<33554432.0> : tensor<bf16>");
}

TEST_F(ConvertTest, FloatsToNarrowFloats) {
  // 464 is the tie between 448 and what would be 480: it goes to the even 448, and what is above has no number.
  expect({"dense<[464.0, 465.0, -0.0, 1.0625]> : tensor<4xf32>"},
         "stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xf8E4M3FN>",
         "dense<[448.0, 0x7F, -0.0, 1.0]> : tensor<4xf8E4M3FN>");
  expect({"dense<[-0.0, 1.0]> : tensor<2xf32>"}, "stablehlo.convert %0 : (tensor<2xf32>) -> tensor<2xf8E4M3FNUZ>",
         "dense<[0.0, 1.0]> : tensor<2xf8E4M3FNUZ>");
  // Half of the smallest number of f16, 2^-24, is a tie with 0.
  expect({"dense<[2.98023223876953125e-8, 3.0e-8]> : tensor<2xf64>"},
         "stablehlo.convert %0 : (tensor<2xf64>) -> tensor<2xf16>", "dense<[0.0, 0x0001]> : tensor<2xf16>");
}

TEST_F(ConvertTest, ReducePrecision) {
  // e5m10 is f16 without subnormal numbers: 65520 overflows, 2^-15 vanishes.
  expect({"dense<[65519.0, 65520.0, 3.0517578125e-5, 1.00048828125]> : tensor<4xf32>"},
         "stablehlo.reduce_precision %0, format = e5m10 : tensor<4xf32>",
         "dense<[65504.0, 0x7F800000, 0.0, 1.0]> : tensor<4xf32>");
}

TEST_F(ConvertTest, Bitcasts) {
  expect({"dense<[1.0, -2.0]> : tensor<2xf32>"}, "stablehlo.bitcast_convert %0 : (tensor<2xf32>) -> tensor<2xi32>",
         "dense<[0x3F800000, 0xC0000000]> : tensor<2xi32>");
  // The lowest bits are the first element.
  expect({"dense<[[1, 2, 3, 4]]> : tensor<1x4xui8>"},
         "stablehlo.bitcast_convert %0 : (tensor<1x4xui8>) -> tensor<1xui32>", "dense<[0x04030201]> : tensor<1xui32>");
  expect({"dense<[0xA5]> : tensor<1xui8>"}, "stablehlo.bitcast_convert %0 : (tensor<1xui8>) -> tensor<1x2xi4>",
         "dense<[[5, -6]]> : tensor<1x2xi4>");
}

TEST_F(ConvertTest, RingKeepsFloatsAndTruncatesIntegers) {
  expect({"dense<300.0> : tensor<f32>"}, "stablehlo.convert %0 : (tensor<f32>) -> tensor<f16>",
         "dense<300.0> : tensor<f16>", /*ring=*/true);
  // 300 = 44 mod 256.
  expect({"dense<300.0> : tensor<f32>"}, "stablehlo.convert %0 : (tensor<f32>) -> tensor<i8>", "dense<44> : tensor<i8>",
         /*ring=*/true);
  expect({"dense<-1> : tensor<i8>"}, "stablehlo.convert %0 : (tensor<i8>) -> tensor<bf16>",
         "dense<-1.0> : tensor<bf16>", /*ring=*/true);
}

} // namespace
} // namespace partita::evaluate
