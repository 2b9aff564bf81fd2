//===- RowMovesTest.cpp - rows that go from device to device --------------===//

#include "partita/Graph/RowMoves.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace partita::graph;

namespace {

/// Every row that a device needs comes from the device that has it, once; no round uses a device twice.
void check(int64_t size, int64_t resultSize, int64_t shift, int64_t parts) {
  RowMoves plan = planRowMoves(size, resultSize, shift, parts);
  std::map<int64_t, int64_t> arrived;
  auto take = [&](const MoveRound &round) {
    std::set<int64_t> sources, targets;
    for (const RowMove &move : round.moves) {
      EXPECT_TRUE(sources.insert(move.source).second);
      EXPECT_TRUE(targets.insert(move.target).second);
      EXPECT_LE(move.end - move.begin, round.rows);
      EXPECT_LE(round.rows, plan.maxRows);
      for (int64_t row = move.begin; row < move.end; ++row) {
        EXPECT_EQ(row / (size / parts), move.source);
        EXPECT_EQ((row - shift) / (resultSize / parts), move.target);
        ++arrived[row - shift];
      }
    }
  };
  take(plan.kept);
  for (const RowMove &move : plan.kept.moves)
    EXPECT_EQ(move.source, move.target);
  for (const MoveRound &round : plan.rounds)
    take(round);
  for (int64_t row = 0; row < resultSize; ++row)
    EXPECT_EQ(arrived[row], row + shift >= 0 && row + shift < size) << row;
}

TEST(RowMovesTest, EveryRowArrivesOnce) {
  for (int64_t parts : {2, 3, 4, 8})
    for (int64_t size : {1, 2, 3, 6})
      for (int64_t resultSize : {1, 2, 3, 6})
        for (int64_t shift = -7 * parts; shift <= 7 * parts; ++shift)
          check(size * parts, resultSize * parts, shift, parts);
}

TEST(RowMovesTest, FewRounds) {
  // By one row: each device sends one to the next.
  RowMoves shifted = planRowMoves(32, 32, -1, 8);
  ASSERT_EQ(shifted.rounds.size(), 1U);
  EXPECT_EQ(shifted.rounds[0].rows, 1);
  EXPECT_EQ(shifted.rounds[0].moves.size(), 7U);
  EXPECT_EQ(shifted.kept.rows, 3);
  // The second third: a device has what at most three others need.
  RowMoves third = planRowMoves(96, 32, 32, 8);
  EXPECT_LE(third.rounds.size(), 4U);
  EXPECT_EQ(third.maxRows, 4);
}

} // namespace
