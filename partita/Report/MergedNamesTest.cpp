//===- MergedNamesTest.cpp - one name for several -------------------------===//

#include "partita/Report/MergedNames.h"

#include <gtest/gtest.h>

namespace partita::report {
namespace {

TEST(MergedNames, EntriesOfAListAreIndices) {
  EXPECT_EQ(mergeNames({"p[0].w", "p[1].w", "p[2].w"}), "p[0:3].w");
  EXPECT_EQ(mergeNames({"p[0]", "p[1]"}), "p[0:2]");
  EXPECT_EQ(mergeNames({"p[1]", "p[3]", "p[5]"}), "p[1:6:2]");
  EXPECT_EQ(mergeNames({"p[1]", "p[3]"}), "p[1, 3]");
  EXPECT_EQ(mergeNames({"p[9]", "p[10]", "p[2]"}), "p[2, 9, 10]");
  EXPECT_EQ(mergeNames({"p[0]", "p[1]", "p[3]", "p[7]", "p[8]"}), "p[0, 1, 3, 7, ...]");
}

TEST(MergedNames, OtherNumbersAreStars) {
  EXPECT_EQ(mergeNames({"w"}), "w");
  EXPECT_EQ(mergeNames({"p['h_0']['w1']", "p['h_1']['w1']"}), "p['h_*']['w1']");
  EXPECT_EQ(mergeNames({"p['0']", "p['1']"}), "p['*']");
  EXPECT_EQ(mergeNames({"p[0][0]", "p[0][1]", "p[1][0]"}), "p[*][*]");
}

/// Names of which one has a number more cannot be merged piece by piece.
TEST(MergedNames, DifferentPiecesAreCollapsed) { EXPECT_EQ(mergeNames({"h/w", "h_1/w"}), "h_*/w"); }

/// An index that no integer holds is a number like any other.
TEST(MergedNames, LongNumbers) { EXPECT_EQ(mergeNames({"p[0]", "p[99999999999999999999]"}), "p[*]"); }

} // namespace
} // namespace partita::report
