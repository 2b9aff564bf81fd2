//===- SpellingTest.cpp ---------------------------------------------------===//

#include "partita/Support/Spelling.h"

#include "gtest/gtest.h"

using namespace partita;

TEST(Spelling, FindsTheNearestOfThoseThatAreNear) {
  EXPECT_EQ(findNearestName("h100-smx", {"h200-sxm", "h100-sxm", "b200"}), "h100-sxm");
  EXPECT_EQ(findNearestName("Model", {"data", "model"}), "model");
  EXPECT_EQ(findNearestName("w1", {"params/w2", "params/w1"}), "params/w1");
  EXPECT_EQ(findNearestName("h100", {"b200", "h100-sxm", "h200-sxm"}), "h100-sxm");
  EXPECT_EQ(findNearestName("A100", {"b200", "a100-sxm-40"}), "a100-sxm-40");
  EXPECT_EQ(findNearestName("a", {"b", "c"}), std::nullopt);
  EXPECT_EQ(findNearestName("A", {"b", "a"}), "a");
  EXPECT_EQ(findNearestName("w", {"x", "params/w"}), "params/w");
  EXPECT_EQ(findNearestName("expert", {"data", "model"}), std::nullopt);
  EXPECT_EQ(findNearestName("", {"a"}), std::nullopt);
  EXPECT_EQ(findNearestName(std::string(100000, 'x'), {"a"}), std::nullopt);
}

TEST(Spelling, AdvisesWithTheNearestOrWithAll) {
  EXPECT_EQ(adviseName("nvlnk", {"node", "nvlink"}, "levels"), "did you mean 'nvlink'?");
  EXPECT_EQ(adviseName("xyz", {"node", "nvlink"}, "levels"), "levels are node, nvlink");
  EXPECT_EQ(adviseName("xyz", {}, "levels"), "there are no levels");
}
