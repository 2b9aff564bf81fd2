//===- PathsTest.cpp ------------------------------------------------------===//

#include "partita/Graph/Paths.h"

#include <gtest/gtest.h>

namespace partita::graph {
namespace {

TEST(PathsTest, PathsOfPytreeNames) {
  EXPECT_EQ(toPath("state.params['w1']"), "state/params/w1");
  EXPECT_EQ(toPath("state.params['h']['0']['mlp']"), "state/params/h/0/mlp");
  EXPECT_EQ(toPath("params['layers'][0]['wq']"), "params/layers/0/wq");
  EXPECT_EQ(toPath("['res_net50/~/block_0']['w']"), "res_net50/~/block_0/w");
  EXPECT_EQ(toPath("weight[<flat index 0>]"), "weight/<flat index 0>");
  EXPECT_EQ(toPath("opt_state[0].mu['a\\'b']"), "opt_state/0/mu/a'b");
  EXPECT_EQ(toPath("arg3"), "arg3");
}

TEST(PathsTest, NumbersOfRepeatedThingsCollapse) {
  EXPECT_EQ(collapseNumbers("params['layers'][12]['w1']"), "params['layers'][*]['w1']");
  EXPECT_EQ(collapseNumbers("params['Dense_0']['kernel']"), "params['Dense_*']['kernel']");
  EXPECT_EQ(collapseNumbers("params['h']['0']['mlp']"), "params['h']['*']['mlp']");
  EXPECT_EQ(collapseNumbers("state/params/layers/3/wq"), "state/params/layers/*/wq");
  EXPECT_EQ(collapseNumbers("jit(f)/dot_general#17"), "jit(f)/dot_general#*");
  EXPECT_EQ(collapseNumbers("conv_3x3_w2"), "conv_3x3_w2");
  EXPECT_EQ(collapseNumbers("arg3"), "arg3");
}

TEST(PathsTest, NamesThatDifferInNumbersAreOnePattern) {
  EXPECT_EQ(joinNames({"jit(f)/dot#2", "jit(f)/dot#14"}), "jit\\(f\\)/dot#(2|14)");
  EXPECT_EQ(joinNames({"layers/0/w1", "layers/1/w1"}), "layers/(0|1)/w1");
  EXPECT_EQ(joinNames({"7/a"}), "7/a");
}

} // namespace
} // namespace partita::graph
