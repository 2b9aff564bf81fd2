//===- BatchedRulesTest.cpp - sorts, solvers, transforms, random numbers --===//

#include "partita/Testing/RuleTestFixture.h"

namespace partita::program {

using namespace fixtures;
namespace {

class BatchedRulesTest : public RuleTestFixture {
protected:
  std::string check(const std::string &arguments, const std::string &body) {
    EXPECT_GE(countLocalForms(arguments, body), 0) << body;
    return ruleOf(arguments, body);
  }
};

TEST_F(BatchedRulesTest, Sort) {
  auto rule = [&](const std::string &dim) {
    return check("%x: tensor<4x6x1xf32>, %y: tensor<4x6x1xi8>",
                 "%0:2 = \"stablehlo.sort\"(%x, %y) <{dimension = " + dim +
                     " : i64}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i8>, %d: tensor<i8>):\n"
                     "%1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                     "stablehlo.return %1 : tensor<i1>\n}) : (tensor<4x6x1xf32>, tensor<4x6x1xi8>) -> "
                     "(tensor<4x6x1xf32>, tensor<4x6x1xi8>)");
  };
  EXPECT_EQ(rule("1"), "([a,b,_],[a,b,_])->([a,b,_],[a,b,_]) replicate={b}");
  EXPECT_EQ(rule("-3"), "([a,b,_],[a,b,_])->([a,b,_],[a,b,_]) replicate={a}");
}

TEST_F(BatchedRulesTest, TopK) {
  EXPECT_EQ(check("%x: tensor<4x2x6xf32>",
                  "%0:2 = chlo.top_k(%x, k = 3) : tensor<4x2x6xf32> -> (tensor<4x2x3xf32>, tensor<4x2x3xi32>)"),
            "([a,b,c])->([a,b,d],[a,b,e]) replicate={d,e} fold={c}");
}

TEST_F(BatchedRulesTest, Solvers) {
  EXPECT_EQ(check("%x: tensor<2x4x3x3xf32>", "%0 = stablehlo.cholesky %x, lower = true : tensor<2x4x3x3xf32>"),
            "([a,b,c,d])->([a,b,e,f]) replicate={c,d,e,f}");
  auto solve = [&](const std::string &b, const std::string &leftSide) {
    return check("%a: tensor<2x4x4xf32>, %b: tensor<" + b + ">",
                 "%0 = \"stablehlo.triangular_solve\"(%a, %b) <{left_side = " + leftSide +
                     ", lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : "
                     "(tensor<2x4x4xf32>, tensor<" +
                     b + ">) -> tensor<" + b + ">");
  };
  EXPECT_EQ(solve("2x4x6xf32", "true"), "([a,b,c],[a,d,e])->([a,f,e]) replicate={b,c,d,f}");
  EXPECT_EQ(solve("2x6x4xf32", "false"), "([a,b,c],[a,d,e])->([a,d,f]) replicate={b,c,e,f}");
}

TEST_F(BatchedRulesTest, Fft) {
  EXPECT_EQ(
      check("%x: tensor<4x6x8xf32>",
            "%0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<4x6x8xf32>) -> tensor<4x6x5xcomplex<f32>>"),
      "([a,b,c])->([a,b,d]) replicate={c,d}");
}

TEST_F(BatchedRulesTest, BatchNorm) {
  EXPECT_EQ(
      check("%x: tensor<4x6x2xf32>, %s: tensor<6xf32>",
            "%0 = \"stablehlo.batch_norm_inference\"(%x, %s, %s, %s, %s) <{epsilon = 1.0 : f32, feature_index = 1 "
            ": i64}> : (tensor<4x6x2xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> "
            "tensor<4x6x2xf32>"),
      "([a,b,c],[b],[b],[b],[b])->([a,b,c])");
  EXPECT_EQ(check("%x: tensor<4x6x2xf32>, %s: tensor<6xf32>",
                  "%0:3 = \"stablehlo.batch_norm_training\"(%x, %s, %s) <{epsilon = 1.0 : f32, feature_index = 1 : "
                  "i64}> : (tensor<4x6x2xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<4x6x2xf32>, tensor<6xf32>, "
                  "tensor<6xf32>)"),
            "([a,b,c],[b],[b])->([a,b,c],[b],[b]) replicate={a,c}");
}

TEST_F(BatchedRulesTest, RandomNumbersAreNeverSplit) {
  EXPECT_EQ(check("%x: tensor<2xui64>", "%0:2 = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : "
                                        "(tensor<2xui64>) -> (tensor<2xui64>, tensor<8x4xui32>)"),
            "([a])->([b],[c,d]) replicate={a,b,c,d}");
}

TEST_F(BatchedRulesTest, CollectivesAreKept) {
  EXPECT_EQ(check("%x: tensor<4x2xf32>",
                  "%0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : "
                  "tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>"),
            "([a,b])->([c,d]) replicate={a,b,c,d}");
  EXPECT_EQ(check("", "%0 = stablehlo.partition_id : tensor<ui32>"), "()->([])");
}

} // namespace
} // namespace partita::program
