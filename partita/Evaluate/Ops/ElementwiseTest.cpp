//===- ElementwiseTest.cpp ------------------------------------------------===//

#include "partita/Testing/OpFixture.h"

namespace partita::evaluate {

using namespace fixtures;
namespace {

using ElementwiseTest = OpFixture;

TEST_F(ElementwiseTest, IntegersWrap) {
  // 100 + 100 = 200 = -56 mod 256; -128 negated and its absolute value are -128 again.
  expect({"dense<[100, 7]> : tensor<2xi8>", "dense<[100, 1]> : tensor<2xi8>"}, "stablehlo.add %0, %1 : tensor<2xi8>",
         "dense<[-56, 8]> : tensor<2xi8>");
  expect({"dense<[-128, 5]> : tensor<2xi8>"}, "stablehlo.negate %0 : tensor<2xi8>", "dense<[-128, -5]> : tensor<2xi8>");
  expect({"dense<[-128, -5]> : tensor<2xi8>"}, "stablehlo.abs %0 : tensor<2xi8>", "dense<[-128, 5]> : tensor<2xi8>");
  // 3 - 5 = -2 = 14 mod 16.
  expect({"dense<3> : tensor<ui4>", "dense<5> : tensor<ui4>"}, "stablehlo.subtract %0, %1 : tensor<ui4>",
         "dense<14> : tensor<ui4>");
}

TEST_F(ElementwiseTest, DivisionOfIntegers) {
  std::string a = "dense<[7, -7, -128, 5]> : tensor<4xi8>", b = "dense<[2, 2, -1, 0]> : tensor<4xi8>";
  // Truncates; -128 / -1 wraps; 5 / 0 is all ones and 5 rem 0 is 5.
  expect({a, b}, "stablehlo.divide %0, %1 : tensor<4xi8>", "dense<[3, -3, -128, -1]> : tensor<4xi8>");
  expect({a, b}, "stablehlo.remainder %0, %1 : tensor<4xi8>", "dense<[1, -1, 0, 5]> : tensor<4xi8>");
  expect({"dense<[9, 9]> : tensor<2xui4>", "dense<[0, 4]> : tensor<2xui4>"}, "stablehlo.divide %0, %1 : tensor<2xui4>",
         "dense<[15, 2]> : tensor<2xui4>");
}

TEST_F(ElementwiseTest, PowersOfIntegers) {
  // 3^5 = 243 = -13 mod 256; 2^-1 is 0, (-1)^-3 is -1; of 70 = 64 + 6 only 6 counts: 2^6 = 64.
  expect({"dense<[3, 2, -1, 2, 0]> : tensor<5xi8>", "dense<[5, -1, -3, 70, 0]> : tensor<5xi8>"},
         "stablehlo.power %0, %1 : tensor<5xi8>", "dense<[-13, 0, -1, 64, 1]> : tensor<5xi8>");
}

TEST_F(ElementwiseTest, ShiftsPastTheWidth) {
  std::string a = "dense<[-8, -8, -8]> : tensor<3xi8>", b = "dense<[1, 8, -1]> : tensor<3xi8>";
  expect({a, b}, "stablehlo.shift_left %0, %1 : tensor<3xi8>", "dense<[-16, 0, 0]> : tensor<3xi8>");
  // -8 is 0xF8: half of it as an unsigned number is 124.
  expect({a, b}, "stablehlo.shift_right_logical %0, %1 : tensor<3xi8>", "dense<[124, 0, 0]> : tensor<3xi8>");
  expect({a, b}, "stablehlo.shift_right_arithmetic %0, %1 : tensor<3xi8>", "dense<[-4, -1, -1]> : tensor<3xi8>");
}

TEST_F(ElementwiseTest, BitsOfIntegers) {
  std::string a = "dense<[-1, 0, 5]> : tensor<3xi4>";
  expect({a}, "stablehlo.popcnt %0 : tensor<3xi4>", "dense<[4, 0, 2]> : tensor<3xi4>");
  expect({a}, "stablehlo.count_leading_zeros %0 : tensor<3xi4>", "dense<[0, 4, 1]> : tensor<3xi4>");
  expect({a}, "stablehlo.not %0 : tensor<3xi4>", "dense<[0, -1, -6]> : tensor<3xi4>");
  // 200 * 200 = 40000 = 156 * 256 + 64; -100 * 100 = -10000 = -40 * 256 + 240.
  expect({"dense<200> : tensor<ui8>"}, "chlo.mulhi %0, %0 : tensor<ui8>, tensor<ui8> -> tensor<ui8>",
         "dense<156> : tensor<ui8>");
  expect({"dense<-100> : tensor<i8>", "dense<100> : tensor<i8>"},
         "chlo.mulhi %0, %1 : tensor<i8>, tensor<i8> -> tensor<i8>", "dense<-40> : tensor<i8>");
}

TEST_F(ElementwiseTest, MaximumOfZerosAndNan) {
  // -0, 0 | 0, -0 | NaN, 1 | 1, NaN
  std::string a = "dense<[-0.0, 0.0, 0x7FC00000, 1.0]> : tensor<4xf32>";
  std::string b = "dense<[0.0, -0.0, 1.0, 0x7FC00000]> : tensor<4xf32>";
  expect({a, b}, "stablehlo.maximum %0, %1 : tensor<4xf32>",
         "dense<[0.0, 0.0, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>");
  expect({a, b}, "stablehlo.minimum %0, %1 : tensor<4xf32>",
         "dense<[-0.0, -0.0, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>");
  expect({a}, "stablehlo.sign %0 : tensor<4xf32>", "dense<[-0.0, 0.0, 0x7FC00000, 1.0]> : tensor<4xf32>");
}

TEST_F(ElementwiseTest, NarrowFloatsAreRoundedOnce) {
  // bf16 has 8 bits: 256 + 1 is a tie and goes to 256; 1/3 is 0.333984375 there.
  expect({"dense<[256.0, 1.0]> : tensor<2xbf16>", "dense<[1.0, 1.0]> : tensor<2xbf16>"},
         "stablehlo.add %0, %1 : tensor<2xbf16>", "dense<[256.0, 2.0]> : tensor<2xbf16>");
  expect({"dense<1.0> : tensor<bf16>", "dense<3.0> : tensor<bf16>"}, "stablehlo.divide %0, %1 : tensor<bf16>",
         "dense<0.333984375> : tensor<bf16>");
  // 448 is the largest number of f8E4M3FN, 6 that of f4E2M1FN, which has no NaN either.
  expect({"dense<448.0> : tensor<f8E4M3FN>"}, "stablehlo.add %0, %0 : tensor<f8E4M3FN>",
         "dense<0x7F> : tensor<f8E4M3FN>");
  expect({"dense<6.0> : tensor<f4E2M1FN>"}, "stablehlo.add %0, %0 : tensor<f4E2M1FN>", "dense<6.0> : tensor<f4E2M1FN>");
}

TEST_F(ElementwiseTest, Rounding) {
  std::string a = "dense<[2.5, -2.5, -0.25, 3.5]> : tensor<4xf32>";
  expect({a}, "stablehlo.round_nearest_even %0 : tensor<4xf32>", "dense<[2.0, -2.0, -0.0, 4.0]> : tensor<4xf32>");
  expect({a}, "stablehlo.round_nearest_afz %0 : tensor<4xf32>", "dense<[3.0, -3.0, -0.0, 4.0]> : tensor<4xf32>");
  expect({a}, "stablehlo.ceil %0 : tensor<4xf32>", "dense<[3.0, -2.0, -0.0, 4.0]> : tensor<4xf32>");
}

TEST_F(ElementwiseTest, ComplexNumbers) {
  std::string a = "dense<[(1.0, 2.0), (0.0, 0.0)]> : tensor<2xcomplex<f32>>";
  std::string b = "dense<[(3.0, -4.0), (-1.0, 0.0)]> : tensor<2xcomplex<f32>>";
  // (1 + 2i)(3 - 4i) = 11 + 2i and (1 + 2i)/(3 - 4i) = (-5 + 10i)/25; 0 / -1 is -0 in both parts.
  expect({a, b}, "stablehlo.multiply %0, %1 : tensor<2xcomplex<f32>>",
         "dense<[(11.0, 2.0), (-0.0, 0.0)]> : tensor<2xcomplex<f32>>");
  expect({a, b}, "stablehlo.divide %0, %1 : tensor<2xcomplex<f32>>",
         "dense<[(-0.2, 0.4), (-0.0, -0.0)]> : tensor<2xcomplex<f32>>");
  expect({b}, "stablehlo.abs %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>", "dense<[5.0, 1.0]> : tensor<2xf32>");
  expect({b}, "stablehlo.imag %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>", "dense<[-4.0, 0.0]> : tensor<2xf32>");
  // -1 - 0i is on the same side of the cut as -1 + 0i.
  expect({"dense<(-4.0, -0.0)> : tensor<complex<f64>>"}, "stablehlo.sqrt %0 : tensor<complex<f64>>",
         "dense<(0.0, 2.0)> : tensor<complex<f64>>");
}

TEST_F(ElementwiseTest, CompareSelectClamp) {
  std::string a = "dense<[-0.0, 0x7FC00000, 2.0]> : tensor<3xf32>", b = "dense<[0.0, 0x7FC00000, 1.0]> : tensor<3xf32>";
  expect({a, b}, "stablehlo.compare EQ, %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>",
         "dense<[true, false, false]> : tensor<3xi1>");
  expect({a, b}, "stablehlo.compare EQ, %0, %1, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>",
         "dense<[false, true, false]> : tensor<3xi1>");
  expect({a, b}, "stablehlo.compare LT, %0, %1, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>",
         "dense<[true, false, false]> : tensor<3xi1>");
  expect({"dense<false> : tensor<i1>", "dense<[1, 2]> : tensor<2xi32>", "dense<[3, 4]> : tensor<2xi32>"},
         "stablehlo.select %0, %1, %2 : tensor<i1>, tensor<2xi32>", "dense<[3, 4]> : tensor<2xi32>");
  expect({"dense<2> : tensor<i32>", "dense<[1, 3, 9]> : tensor<3xi32>", "dense<4> : tensor<i32>"},
         "stablehlo.clamp %0, %1, %2 : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>",
         "dense<[2, 3, 4]> : tensor<3xi32>");
}

TEST_F(ElementwiseTest, OperandsAreBroadcast) {
  std::string matrix = "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>", vector = "dense<[10, 20]> : tensor<2xi32>";
  expect({matrix, vector}, "chlo.broadcast_add %0, %1 : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>",
         "dense<[[11, 22], [13, 24]]> : tensor<2x2xi32>");
  expect({matrix, vector},
         "chlo.broadcast_add %1, %0 {broadcast_dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<2x2xi32>) -> "
         "tensor<2x2xi32>",
         "dense<[[11, 12], [23, 24]]> : tensor<2x2xi32>");
  expect({"dense<> : tensor<2x0xi32>", "dense<1> : tensor<1xi32>"},
         "chlo.broadcast_add %0, %1 : (tensor<2x0xi32>, tensor<1xi32>) -> tensor<2x0xi32>",
         "dense<> : tensor<2x0xi32>");
}

TEST_F(ElementwiseTest, RingArithmeticIsExact) {
  std::string a = "dense<[3.0, 4503599627370496.0]> : tensor<2xf64>", b = "dense<[5.0, 4096.0]> : tensor<2xf64>";
  // 3 - 5 = -2; 2^52 * 2^12 = 0 mod 2^64; the order is unsigned, so that -2 is above 3; 7 / 1 is 7.
  expect({a, b}, "stablehlo.subtract %0, %1 : tensor<2xf64>", "dense<[-2.0, 4503599627366400.0]> : tensor<2xf64>",
         /*ring=*/true);
  expect({a, b}, "stablehlo.multiply %0, %1 : tensor<2xf64>", "dense<[15.0, 0.0]> : tensor<2xf64>", /*ring=*/true);
  expect({"dense<-2.0> : tensor<bf16>", "dense<3.0> : tensor<bf16>"}, "stablehlo.maximum %0, %1 : tensor<bf16>",
         "dense<-2.0> : tensor<bf16>", /*ring=*/true);
  expect({"dense<7.0> : tensor<f32>", "dense<1.0> : tensor<f32>"}, "stablehlo.divide %0, %1 : tensor<f32>",
         "dense<7.0> : tensor<f32>", /*ring=*/true);
  expect({"dense<7.0> : tensor<f32>"}, "stablehlo.is_finite %0 : (tensor<f32>) -> tensor<i1>",
         "dense<true> : tensor<i1>", /*ring=*/true);
}

TEST_F(ElementwiseTest, RingFunctionsDependOnTheElementAlone) {
  std::string a = "dense<[2.0, 5.0, 2.0]> : tensor<3xf32>";
  for (std::string op : {"exponential", "tanh", "abs", "floor", "sqrt"}) {
    auto results = run({a}, "stablehlo." + op + " %0 : tensor<3xf32>", "tensor<3xf32>", "", /*ring=*/true);
    ASSERT_TRUE(results) << results.error().str();
    llvm::ArrayRef<uint64_t> values = results->front()[0].get<uint64_t>();
    EXPECT_EQ(values[0], values[2]);
    EXPECT_NE(values[0], values[1]);
  }
  // exp and tanh of one number are different.
  auto exp = run({a}, "stablehlo.exponential %0 : tensor<3xf32>", "tensor<3xf32>", "", /*ring=*/true);
  auto tanh = run({a}, "stablehlo.tanh %0 : tensor<3xf32>", "tensor<3xf32>", "", /*ring=*/true);
  EXPECT_NE(exp->front()[0].get<uint64_t>()[0], tanh->front()[0].get<uint64_t>()[0]);
}

TEST_F(ElementwiseTest, RefusesQuantizedTensors) {
  std::string type = "tensor<!quant.uniform<i8:f32, 0.5>>";
  expectRefused({"dense<1.0> : tensor<f32>"}, "stablehlo.uniform_quantize %0 : (tensor<f32>) -> " + type, type,
                "uniform_quantize on !quant");
}

} // namespace
} // namespace partita::evaluate
