//===- ContractionRulesTest.cpp -------------------------------------------===//

#include "partita/Testing/RuleFixture.h"

namespace partita::program {

using namespace fixtures;
namespace {

class ContractionRulesTest : public RuleFixture {
protected:
  std::string dot(const std::string &lhs, const std::string &rhs, const std::string &dims, const std::string &result) {
    return getRule({lhs, rhs}, "stablehlo.dot_general %0, %1, " + dims + " : (tensor<" + lhs + ">, tensor<" + rhs +
                                   ">) -> tensor<" + result + ">");
  }

  std::string raggedDot(const std::string &lhs, const std::string &rhs, const std::string &sizes,
                        const std::string &dims, const std::string &result) {
    return getRule({lhs, rhs, sizes}, "\"chlo.ragged_dot\"(%0, %1, %2) <{ragged_dot_dimension_numbers = "
                                      "#chlo.ragged_dot<" +
                                          dims + ">}> : (tensor<" + lhs + ">, tensor<" + rhs + ">, tensor<" + sizes +
                                          ">) -> tensor<" + result + ">");
  }
};

TEST_F(ContractionRulesTest, DotGeneral) {
  EXPECT_EQ(dot("2x4x6xf32", "2x6x8xf32", "batching_dims = [0] x [0], contracting_dims = [2] x [1]", "2x4x8xf32"),
            "([a,b,c],[a,c,d])->([a,b,d]) reduce(add)={c}");
  EXPECT_EQ(dot("6x4xf32", "8x6xf32", "contracting_dims = [0] x [1]", "4x8xf32"),
            "([a,b],[c,a])->([b,c]) reduce(add)={a}");
  EXPECT_EQ(dot("4x2x6xf32", "6x2x8xf32", "contracting_dims = [2, 1] x [0, 1]", "4x8xf32"),
            "([a,b,c],[c,b,d])->([a,d]) reduce(add)={b,c}");
  EXPECT_EQ(dot("4x6xf32", "8xf32", "contracting_dims = [] x []", "4x6x8xf32"), "([a,b],[c])->([a,b,c])");
  EXPECT_EQ(dot("4x1xf32", "1x8xf32", "contracting_dims = [1] x [0]", "4x8xf32"), "([a,_],[_,b])->([a,b])");
  EXPECT_EQ(dot("4x0xf32", "0x8xf32", "contracting_dims = [1] x [0]", "4x8xf32"), "([a,_],[_,b])->([a,b])");
}

TEST_F(ContractionRulesTest, ElementTypes) {
  std::string dims = "contracting_dims = [1] x [0]";
  EXPECT_EQ(dot("4x6xi8", "6x8xi8", dims, "4x8xi32"), "([a,b],[b,c])->([a,c]) reduce(add)={b}");
  EXPECT_EQ(dot("4x6xi1", "6x8xi1", dims, "4x8xi1"), "([a,b],[b,c])->([a,c]) reduce(or)={b}");
  EXPECT_EQ(dot("4x6xbf16", "6x8xbf16", dims + ", precision = [HIGH, DEFAULT]", "4x8xf32"),
            "([a,b],[b,c])->([a,c]) reduce(add)={b}");
}

TEST_F(ContractionRulesTest, Dot) {
  EXPECT_EQ(getRule({"4x6xf32", "6xf32"}, "stablehlo.dot %0, %1 : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4xf32>"),
            "([a,b],[b])->([a]) reduce(add)={b}");
  EXPECT_EQ(getRule({"6xf32", "6xf32"}, "stablehlo.dot %0, %1 : (tensor<6xf32>, tensor<6xf32>) -> tensor<f32>"),
            "([a],[a])->([]) reduce(add)={a}");
}

TEST_F(ContractionRulesTest, Einsum) {
  auto einsum = [&](const std::string &config, const std::string &result) {
    return getRule({"4x6xf32", "6x8xf32"}, "stablehlo.einsum %0, %1, config = \"" + config +
                                               "\" : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<" + result + ">");
  };
  EXPECT_EQ(einsum("ab,bc->ac", "4x8xf32"), "([a,b],[b,c])->([a,c]) reduce(add)={b}");
  EXPECT_EQ(einsum("ab,bc->b", "6xf32"), "([a,b],[b,c])->([b]) reduce(add)={a,c}");
  EXPECT_EQ(einsum("...b,bc->...c", "4x8xf32"), "([a,b],[c,d])->([e,f]) replicate={a,b,c,d,e,f}");
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.unary_einsum %0, config = \"ab->b\" : (tensor<4x6xf32>) -> tensor<6xf32>"),
            "([a,b])->([b]) reduce(add)={a}");
}

TEST_F(ContractionRulesTest, RaggedDot) {
  EXPECT_EQ(raggedDot("2x12x6xf32", "4x2x6x8xf32", "2x4xi32",
                      "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], "
                      "rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]",
                      "2x12x8xf32"),
            "([a,b,c],[d,a,c,e],[a,f])->([a,b,e]) reduce(add)={c} replicate={d,f}");
  EXPECT_EQ(raggedDot("12x6xf32", "4x6x8xf32", "4xi64",
                      "lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], "
                      "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]",
                      "12x8xf32"),
            "([a,b],[c,b,d],[e])->([a,d]) reduce(add)={b,c} replicate={e}");
  EXPECT_EQ(raggedDot("3x12xf32", "12x8xf32", "4xi32",
                      "lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], "
                      "rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []",
                      "4x3x8xf32"),
            "([a,b],[b,c],[d])->([e,a,c]) reduce(add)={b} replicate={d}");
  EXPECT_EQ(raggedDot("6x3x5xf32", "6x5x8xf32", "4xi32",
                      "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
                      "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []",
                      "6x3x8xf32"),
            "([a,b,c],[a,c,d],[e])->([a,b,d]) reduce(add)={c} replicate={e}");
}

} // namespace
} // namespace partita::program
