//===- WidenTest.cpp - wide programs do not round -------------------------===//

#include "partita/Verify/Widen.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Evaluate/Evaluator.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::verify {
namespace {

class WidenTest : public testing::Test {
protected:
  WidenTest() : context(makeRegistry(), MLIRContext::Threading::DISABLED) { context.loadAllAvailableDialects(); }

  /// Result 0 of the wide program, without arguments.
  std::vector<double> run(llvm::StringRef text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {};
    auto wide = widenProgram(*module);
    if (!wide)
      return {};
    auto values = evaluate::evaluate(**wide, {{}}, {});
    if (!values)
      return {};
    return values->front()[0].get<double>();
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  MLIRContext context;
};

TEST_F(WidenTest, SumsAreNotRounded) {
  // In bf16 256 + 1 is 256; reduce_precision would do the same.
  EXPECT_EQ(run(R"mlir(func.func @main() -> tensor<2xbf16> {
    %a = stablehlo.constant dense<[256.0, 1.5]> : tensor<2xbf16>
    %b = stablehlo.constant dense<1.0> : tensor<2xbf16>
    %c = stablehlo.add %a, %b : tensor<2xbf16>
    %d = stablehlo.convert %c : (tensor<2xbf16>) -> tensor<2xf32>
    %e = stablehlo.reduce_precision %d, format = e5m2 : tensor<2xf32>
    %f = stablehlo.convert %e : (tensor<2xf32>) -> tensor<2xbf16>
    return %f : tensor<2xbf16>
  })mlir"),
            (std::vector<double>{257, 2.5}));
}

TEST_F(WidenTest, RegionsAndLoopsAreWide) {
  // 1 + 2^-30 + 2^-30, which f32 does not hold.
  EXPECT_EQ(run(R"mlir(func.func @main() -> tensor<f32> {
    %zero = stablehlo.constant dense<1.0> : tensor<f32>
    %x = stablehlo.constant dense<9.31322574615478515625e-10> : tensor<2xf32>
    %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    return %r : tensor<f32>
  })mlir"),
            (std::vector<double>{1 + 0x1p-29}));
}

TEST_F(WidenTest, BitsAreThoseOfTheNarrowType) {
  // 0x3f800000 is 1 in f32; back, with the lowest bit set, 1 + 2^-23.
  EXPECT_EQ(run(R"mlir(func.func @main() -> tensor<f32> {
    %bits = stablehlo.constant dense<1065353216> : tensor<ui32>
    %one = stablehlo.bitcast_convert %bits : (tensor<ui32>) -> tensor<f32>
    %again = stablehlo.bitcast_convert %one : (tensor<f32>) -> tensor<ui32>
    %low = stablehlo.constant dense<1> : tensor<ui32>
    %next = stablehlo.or %again, %low : tensor<ui32>
    %x = stablehlo.bitcast_convert %next : (tensor<ui32>) -> tensor<f32>
    return %x : tensor<f32>
  })mlir"),
            (std::vector<double>{1 + 0x1p-23}));
}

TEST_F(WidenTest, UnknownCustomCallsAreRefused) {
  auto module = parseSourceString<ModuleOp>(R"mlir(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.custom_call @mystery(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  })mlir",
                                            &context);
  auto wide = widenProgram(*module);
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().code, ExitCode::Unsupported);
}

} // namespace
} // namespace partita::verify
