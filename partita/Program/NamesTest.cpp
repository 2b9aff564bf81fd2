//===- NamesTest.cpp ------------------------------------------------------===//

#include "partita/Program/Names.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

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
