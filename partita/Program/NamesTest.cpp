//===- NamesTest.cpp ------------------------------------------------------===//

#include "partita/Program/Names.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

TEST(NamesTest, PathsOfPytreeNames) {
  EXPECT_EQ(toPath("state.params['w1']"), "state/params/w1");
  EXPECT_EQ(toPath("state.params['h']['0']['mlp']"), "state/params/h/0/mlp");
  EXPECT_EQ(toPath("params['layers'][0]['wq']"), "params/layers/0/wq");
  EXPECT_EQ(toPath("['res_net50/~/block_0']['w']"), "res_net50/~/block_0/w");
  EXPECT_EQ(toPath("weight[<flat index 0>]"), "weight/<flat index 0>");
  EXPECT_EQ(toPath("opt_state[0].mu['a\\'b']"), "opt_state/0/mu/a'b");
  EXPECT_EQ(toPath("arg3"), "arg3");
}

TEST(NamesTest, StatesAreFoundByTheRestOfTheName) {
  EXPECT_EQ(stripFirstComponent("state.params['w']", false), ".params['w']");
  EXPECT_EQ(stripFirstComponent("result[0].params['w']", true), ".params['w']");
  EXPECT_EQ(stripFirstComponent("result.params['w']", true), ".params['w']");
  EXPECT_EQ(stripFirstComponent("params['w']", false), "['w']");
  EXPECT_EQ(stripFirstComponent("result['w']", true), "['w']");
  EXPECT_EQ(stripFirstComponent("result[1]", true), "");
}

} // namespace
} // namespace partita
