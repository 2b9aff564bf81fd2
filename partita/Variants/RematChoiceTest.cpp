//===- RematChoiceTest.cpp - tests of the knapsack over classes -----------===//

#include "partita/Variants/RematChoice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita::remat;
using namespace partita::variants;
using testing::ElementsAre;
using testing::IsEmpty;

static RematClass makeClass(RematKind kind, int64_t bytes, int64_t flops) {
  RematClass made;
  made.kind = kind;
  made.bytes = bytes;
  made.flops = flops;
  return made;
}

TEST(RematChoice, RecomputesWhatIsCheapForItsBytes) {
  // 1, 5 and 0.1 flops for each byte.
  std::vector<RematClass> classes{makeClass(RematKind::Recompute, 100, 100), makeClass(RematKind::Recompute, 100, 500),
                                  makeClass(RematKind::Recompute, 50, 5), makeClass(RematKind::Keep, 1000, 0)};
  EXPECT_THAT(chooseRecomputed(classes, 40).classes, ElementsAre(2));
  EXPECT_THAT(chooseRecomputed(classes, 60).classes, ElementsAre(0, 2));
  EXPECT_EQ(chooseRecomputed(classes, 60).bytes, 150);
  EXPECT_THAT(chooseRecomputed(classes, 1000).classes, ElementsAre(0, 1, 2)) << "all there are";
  EXPECT_THAT(chooseRecomputed(classes, 0).classes, IsEmpty());
}

TEST(RematChoice, KeepsWhatSavesMostForItsBytes) {
  std::vector<RematClass> classes{makeClass(RematKind::Keep, 100, 100), makeClass(RematKind::Keep, 100, 500),
                                  makeClass(RematKind::Keep, 50, 5), makeClass(RematKind::Recompute, 1, 1000)};
  EXPECT_THAT(chooseKept(classes, 100).classes, ElementsAre(1));
  EXPECT_THAT(chooseKept(classes, 160).classes, ElementsAre(1, 2)) << "the second best is too large";
  EXPECT_THAT(chooseKept(classes, 250).classes, ElementsAre(0, 1, 2));
  EXPECT_EQ(chooseKept(classes, 250).flops, 605);
  EXPECT_THAT(chooseKept(classes, 49).classes, IsEmpty());
}
