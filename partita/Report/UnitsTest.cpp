//===- UnitsTest.cpp ------------------------------------------------------===//

#include "partita/Report/Units.h"

#include "gtest/gtest.h"

using namespace partita::report;

namespace {

TEST(UnitsTest, ShortNamesStay) { EXPECT_EQ(shortenName("state.params['w']", 17), "state.params['w']"); }

TEST(UnitsTest, LongNamesKeepWholePartsOfBothEnds) {
  // A third of 42 is for the start, 14: `state.params`. 42 - 3 - 12 = 27 are left for the end.
  EXPECT_EQ(shortenName("state.params['layers']['attention']['query']['kernel']", 42),
            "state.params...['query']['kernel']");
  // Moments are told apart.
  EXPECT_EQ(shortenName("state.opt_state[0].mu['bert']['encoder']['layer']['0']['attention']['key']['kernel']", 64),
            "state.opt_state[0].mu...['0']['attention']['key']['kernel']");
}

TEST(UnitsTest, WhatIsInBracketsStaysTogether) {
  EXPECT_EQ(shortenName("state['rest']['batch_normalization/moving.mean']", 44),
            "state...['batch_normalization/moving.mean']");
}

TEST(UnitsTest, OfAKeyThatIsAPathTheEndIsLeft) {
  // `state` and `['params']` are 15 letters, `['w']` is 5; 50 - 15 - 3 - 5 = 27 are left for the path.
  EXPECT_EQ(shortenName("state['params']['res_net50/~/block_group_2/~/block_0/~/conv_1']['w']", 50),
            "state['params'].../~/block_0/~/conv_1']['w']");
}

TEST(UnitsTest, OfALongPartTheEndIsLeft) {
  EXPECT_EQ(shortenName("state['a_name_that_is_longer_than_the_line']", 20), "...r_than_the_line']");
  EXPECT_EQ(shortenName("", 4), "");
}

TEST(UnitsTest, LocationsKeepAFolder) {
  EXPECT_EQ(shortenLocation("/home/me/models/mlp.py:42"), "models/mlp.py:42");
  EXPECT_EQ(shortenLocation("models/mlp.py:42"), "models/mlp.py:42");
  EXPECT_EQ(shortenLocation("mlp.py:42"), "mlp.py:42");
  EXPECT_EQ(shortenLocation(""), "");
}

} // namespace
