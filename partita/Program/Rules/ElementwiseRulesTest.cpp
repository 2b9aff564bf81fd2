//===- ElementwiseRulesTest.cpp -------------------------------------------===//

#include "partita/Testing/RuleFixture.h"

namespace partita::program {

using namespace fixtures;
namespace {

using ElementwiseRulesTest = RuleFixture;

TEST_F(ElementwiseRulesTest, EveryDimIsParallel) {
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.abs %0 : tensor<4x6xf32>"), "([a,b])->([a,b])");
  EXPECT_EQ(getRule({"4x1x0x6xf32"}, "stablehlo.abs %0 : tensor<4x1x0x6xf32>"), "([a,_,_,b])->([a,_,_,b])");
  EXPECT_EQ(getRule({"f32"}, "stablehlo.abs %0 : tensor<f32>"), "([])->([])");
  EXPECT_EQ(getRule({"4xi1"}, "stablehlo.and %0, %0 : tensor<4xi1>"), "([a],[a])->([a])");
  EXPECT_EQ(getRule({"4xi4"}, "stablehlo.convert %0 : (tensor<4xi4>) -> tensor<4xbf16>"), "([a])->([a])");
  EXPECT_EQ(getRule({"4xf32"}, "stablehlo.complex %0, %0 : tensor<4xcomplex<f32>>"), "([a],[a])->([a])");
}

TEST_F(ElementwiseRulesTest, ScalarsBesideTensors) {
  EXPECT_EQ(getRule({"i1", "4x6xf32"}, "stablehlo.select %0, %1, %1 : tensor<i1>, tensor<4x6xf32>"),
            "([],[a,b],[a,b])->([a,b])");
  EXPECT_EQ(getRule({"4x6xi1", "4x6xf32"}, "stablehlo.select %0, %1, %1 : tensor<4x6xi1>, tensor<4x6xf32>"),
            "([a,b],[a,b],[a,b])->([a,b])");
  EXPECT_EQ(getRule({"f32", "4xf32"},
                    "stablehlo.clamp %0, %1, %0 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>"),
            "([],[a],[])->([a])");
}

TEST_F(ElementwiseRulesTest, Bitcasts) {
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.bitcast_convert %0 : (tensor<4x6xf32>) -> tensor<4x6xi32>"),
            "([a,b])->([a,b])");
  EXPECT_EQ(getRule({"6xf32"}, "stablehlo.bitcast_convert %0 : (tensor<6xf32>) -> tensor<6x4xi8>"),
            "([a])->([a,b]) replicate={b}");
  EXPECT_EQ(getRule({"6x4xi8"}, "stablehlo.bitcast_convert %0 : (tensor<6x4xi8>) -> tensor<6xf32>"),
            "([a,b])->([a]) replicate={b}");
}

TEST_F(ElementwiseRulesTest, Chlo) {
  EXPECT_EQ(getRule({"4x6xf32"}, "chlo.erf %0 : tensor<4x6xf32> -> tensor<4x6xf32>"), "([a,b])->([a,b])");
  EXPECT_EQ(getRule({"4xf32"}, "chlo.is_inf %0 : tensor<4xf32> -> tensor<4xi1>"), "([a])->([a])");
  EXPECT_EQ(getRule({"4xf32"}, "chlo.next_after %0, %0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>"),
            "([a],[a])->([a])");
}

TEST_F(ElementwiseRulesTest, ImplicitBroadcasts) {
  auto add = [&](const std::string &lhs, const std::string &rhs, const std::string &dims, const std::string &result) {
    return getRule({lhs, rhs}, "chlo.broadcast_add %0, %1 " + dims + " : (tensor<" + lhs + ">, tensor<" + rhs +
                                   ">) -> tensor<" + result + ">");
  };
  EXPECT_EQ(add("4x6xf32", "4x6xf32", "", "4x6xf32"), "([a,b],[a,b])->([a,b])");
  EXPECT_EQ(add("4x1xf32", "4x6xf32", "", "4x6xf32"), "([a,_],[a,b])->([a,b])");
  EXPECT_EQ(add("4x1xf32", "1x6xf32", "", "4x6xf32"), "([a,_],[_,b])->([a,b])");
  EXPECT_EQ(add("6xf32", "4x6xf32", "", "4x6xf32"), "([a],[b,a])->([b,a])");
  EXPECT_EQ(add("f32", "4x6xf32", "", "4x6xf32"), "([],[a,b])->([a,b])");
  EXPECT_EQ(add("4xf32", "4x6xf32", "{broadcast_dimensions = array<i64: 0>}", "4x6xf32"), "([a],[a,b])->([a,b])");
  EXPECT_EQ(getRule({"4x1xi1", "6xf32", "f32"}, "chlo.broadcast_select %0, %1, %2 : (tensor<4x1xi1>, tensor<6xf32>, "
                                                "tensor<f32>) -> tensor<4x6xf32>"),
            "([a,_],[b],[])->([a,b])");
}

TEST_F(ElementwiseRulesTest, QuantizedDimsWithScalesOfTheirOwnStayWhole) {
  std::string perTensor = "tensor<4x2x!quant.uniform<i8:f32, 0.5>>";
  EXPECT_EQ(getRule({"4x2xf32"}, "stablehlo.uniform_quantize %0 : (tensor<4x2xf32>) -> " + perTensor),
            "([a,b])->([a,b])");
  std::string perAxis = "tensor<4x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>";
  EXPECT_EQ(getRule({"4x2xf32"}, "stablehlo.uniform_quantize %0 : (tensor<4x2xf32>) -> " + perAxis),
            "([a,b])->([a,b]) replicate={b}");
}

TEST_F(ElementwiseRulesTest, EachValueOfABarrierHasItsOwnFactors) {
  EXPECT_EQ(
      getRule({"4xf32", "4x6xf32"}, "%r:2 = stablehlo.optimization_barrier %0, %1 : tensor<4xf32>, tensor<4x6xf32>"),
      "([a],[b,c])->([a],[b,c])");
}

TEST_F(ElementwiseRulesTest, OpsThatSpeakOfShardingsAreNothingOnADevice) {
  std::string text = "sdy.propagation_barrier %0 allowed_direction=NONE : tensor<4x6xf32>";
  EXPECT_EQ(getRule({"4x6xf32"}, text), "([a,b])->([a,b])");
  mlir::Operation *op = parse({"4x6xf32"}, "%r = " + text);
  mlir::func::FuncOp local = emit(op, computeRule(op, {})->rule, {2, 1});
  EXPECT_EQ(local.getBody().front().getOperations().size(), 1u);
}

TEST_F(ElementwiseRulesTest, ManyValuesOfABarrier) {
  // 300 values of two dims each: more factors than a rule can have. The rest stays whole.
  std::vector<std::string> arguments(300, "4x6xf32");
  std::string names, types;
  for (int i = 0; i < 300; ++i) {
    names += (i ? ", %" : "%") + std::to_string(i);
    types += i ? ", tensor<4x6xf32>" : "tensor<4x6xf32>";
  }
  mlir::Operation *op = parse(arguments, "%r:300 = stablehlo.optimization_barrier " + names + " : " + types);
  ASSERT_TRUE(op);
  Result<OpRule> rule = computeRule(op, {});
  ASSERT_TRUE(bool(rule));
  EXPECT_EQ(rule->rule.factors.size(), 254u);
  EXPECT_TRUE(rule->rule.results.back().back().empty());
}

TEST_F(ElementwiseRulesTest, ShapesThatAreNotStaticStayWhole) {
  EXPECT_EQ(getRule({"4x?xf32"}, "stablehlo.abs %0 : tensor<4x?xf32>"), "([a,_])->([b,_]) replicate={a,b}");
}

} // namespace
} // namespace partita::program
