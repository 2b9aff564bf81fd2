//===- MicrobatchesTest.cpp - tests of proposed numbers of microbatches ---===//

#include "partita/Variants/Microbatches.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita::variants;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Microbatches, CountsDivideTheRowsAndEachOther) {
  EXPECT_THAT(listCounts(24), ElementsAre(2, 4, 8, 24));
  EXPECT_THAT(listCounts(15), ElementsAre(3, 15));
  EXPECT_THAT(listCounts(7), ElementsAre(7));
  EXPECT_THAT(listCounts(1), IsEmpty());
  EXPECT_THAT(listCounts(0), IsEmpty());
}

static const std::vector<int64_t> counts{2, 4, 8, 16};

/// A number that does not fit.
static CountTrial makeLarge(int64_t count, int64_t bytes) { return {count, false, 100, 100, bytes}; }

static int64_t choose(std::vector<CountTrial> tried, int64_t limitBytes) {
  return chooseNextCount(counts, std::move(tried), 20, limitBytes);
}

TEST(Microbatches, NextIsTheFirstThatMayFit) {
  // 100 = 20 + 80 / 1: 2 microbatches take 60, 4 take 40, 8 take 30, 16 take 25; 5% too much may fit.
  EXPECT_EQ(choose({makeLarge(1, 100)}, 70), 2);
  EXPECT_EQ(choose({makeLarge(1, 100)}, 31), 8);
  std::vector<CountTrial> tried{makeLarge(1, 100), makeLarge(2, 60)};
  EXPECT_EQ(choose(tried, 40), 4);
  EXPECT_EQ(choose(tried, 39), 4);
  EXPECT_EQ(choose(tried, 35), 8);
  EXPECT_EQ(choose(tried, 26), 16);
}

TEST(Microbatches, TheLastIsTriedWhateverIsPredicted) {
  EXPECT_EQ(choose({makeLarge(1, 100), makeLarge(2, 60)}, 10), 16) << "20 stay";
  EXPECT_EQ(choose({makeLarge(1, 100), makeLarge(2, 100)}, 50), 16) << "nothing falls";
  EXPECT_EQ(choose({makeLarge(8, 30), makeLarge(16, 25)}, 10), 0) << "none is left";
}

TEST(Microbatches, SmallerOnesAreTriedIfTheyMayFit) {
  // 60 = 20 + 80 / 2, 25 = 20 + 80 / 16.
  std::vector<CountTrial> tried{makeLarge(1, 100), makeLarge(2, 60), {16, true, 200, 200, 25}};
  EXPECT_EQ(choose(tried, 40), 4);
  EXPECT_EQ(choose(tried, 30), 8);
  EXPECT_EQ(choose(tried, 26), 0) << "8 microbatches take 30";
  tried.push_back({8, true, 150, 150, 30});
  EXPECT_EQ(choose(tried, 30), 0) << "4 microbatches take 40";
}

TEST(Microbatches, LargerOnesAreTriedWhileTheyAllowMore) {
  // A plan that takes 90 does not fit yet.
  EXPECT_EQ(choose({{1, true, 100, 90, 50}}, 60), 2);
  EXPECT_EQ(choose({{1, true, 100, 99, 50}}, 60), 0) << "1% is not worth it";
  EXPECT_EQ(choose({{1, true, 100, 90, 50}, {2, true, 98, 92, 50}}, 60), 4);
  EXPECT_EQ(choose({{1, true, 100, 90, 50}, {2, true, 92, 92, 50}}, 60), 0);
}
