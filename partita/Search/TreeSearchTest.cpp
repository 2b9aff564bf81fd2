#include "partita/Search/TreeSearch.h"

#include "partita/Search/Controls.h"
#include "partita/Search/Refinement.h"
#include "partita/Search/TableSpace.h"

#include <gtest/gtest.h>

using namespace partita;

/// Everything that an oracle was asked and answered, as text.
static std::string runAndDump(const Space &space, int64_t threads, int64_t budget) {
  std::string text;
  OracleOptions options;
  options.budget = budget;
  options.threads = threads;
  options.onEvaluated = [&](llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated, bool isBest) {
    for (MoveId move : moves)
      text += std::to_string(move.get()) + " ";
    text += "= " + std::to_string(evaluated.rating.parts[0]) + (isBest ? "*\n" : "\n");
  };
  Oracle oracle(space, options);
  TreeSearch(oracle).run();
  return text;
}

TEST(TreeSearch, IsTheSameForAnyNumberOfThreads) {
  TableSpace space(7, 14, 8);
  std::string expected = runAndDump(space, 1, 1500);
  EXPECT_GT(expected.size(), 10'000u);
  EXPECT_EQ(runAndDump(space, 2, 1500), expected);
  EXPECT_EQ(runAndDump(space, 5, 1500), expected);
}

TEST(TreeSearch, CountsAgainstTheBudgetExactly) {
  TableSpace space(3, 14, 8);
  for (int64_t budget : {0, 1, 7, 100, 333}) {
    OracleOptions options;
    options.budget = budget;
    Oracle oracle(space, options);
    TreeSearch(oracle).run();
    EXPECT_EQ(oracle.getNumEvaluations(), budget);
    EXPECT_EQ(oracle.getStopReason(), StopReason::Budget);
  }
}

/// With enough budget tree search meets the exhaustive optimum up to length 4: proposals never prune.
TEST(TreeSearch, FindsTheExhaustiveOptimum) {
  int numEqual = 0, numSpaces = 40;
  for (int seed = 0; seed < numSpaces; ++seed) {
    TableSpace space(seed, 8, 6);
    Oracle all(space, {});
    ASSERT_TRUE(searchExhaustively(all, 4));
    OracleOptions options;
    options.budget = 4000;
    Oracle oracle(space, options);
    TreeSearch(oracle).run();
    EXPECT_LE(oracle.getBest()->evaluated.rating, all.getBest()->evaluated.rating) << "seed " << seed;
    numEqual += oracle.getBest()->evaluated.rating <= all.getBest()->evaluated.rating;
  }
  EXPECT_EQ(numEqual, numSpaces);
}

TEST(TreeSearch, BeatsRandomListsOfTheSameBudget) {
  int numBetter = 0, numWorse = 0;
  for (int seed = 100; seed < 130; ++seed) {
    TableSpace space(seed, 60, 16);
    OracleOptions options;
    options.budget = 1500;
    Oracle tree(space, options), random(space, options);
    TreeSearch(tree).run();
    searchAtRandom(random, 1, 8);
    numBetter += tree.getBest()->evaluated.rating < random.getBest()->evaluated.rating;
    numWorse += random.getBest()->evaluated.rating < tree.getBest()->evaluated.rating;
  }
  EXPECT_GT(numBetter, 4 * numWorse) << numBetter << " better, " << numWorse << " worse";
}

TEST(Oracle, KeepsTheBestStatesOnceEach) {
  TableSpace space(5, 10, 6);
  Oracle oracle(space, {});
  searchExhaustively(oracle, 3);
  std::vector<Found> kept = oracle.getKept();
  ASSERT_EQ(kept.size(), Oracle::maxKept);
  EXPECT_EQ(kept.front().evaluated, oracle.getBest()->evaluated);
  for (size_t i = 1; i < kept.size(); ++i) {
    EXPECT_LE(kept[i - 1].evaluated.rating, kept[i].evaluated.rating);
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(kept[i].evaluated.state, kept[j].evaluated.state);
  }
}

TEST(Oracle, StopsWhenInterrupted) {
  TableSpace space(5, 40, 10);
  int numAsked = 0;
  OracleOptions options;
  options.isInterrupted = [&] { return ++numAsked > 3; };
  Oracle oracle(space, options);
  TreeSearch(oracle).run();
  EXPECT_EQ(oracle.getStopReason(), StopReason::Interrupted);
  EXPECT_TRUE(oracle.getBest().has_value());
}

TEST(Refinement, GivesLocalOptima) {
  for (int seed = 0; seed < 20; ++seed) {
    TableSpace space(seed, 12, 8);
    Oracle oracle(space, {});
    Found found = refineBySweeps(oracle, {Moves(), oracle.evaluate(Moves())}, SweepKind::Thorough);
    for (MoveId move : idRange<MoveId>(space.getNumMoves())) {
      Moves longer = found.moves;
      longer.push_back(move);
      EXPECT_GE(space.evaluate(longer).rating, found.evaluated.rating);
    }
    EXPECT_EQ(space.evaluate(found.moves), found.evaluated);
  }
}

TEST(Refinement, RepairsAreNoWorse) {
  for (int seed = 0; seed < 20; ++seed) {
    TableSpace space(seed, 20, 10);
    Oracle oracle(space, {});
    Found swept = refineBySweeps(oracle, {Moves(), oracle.evaluate(Moves())}, SweepKind::Thorough);
    EXPECT_LE(refine(oracle, swept).evaluated.rating, swept.evaluated.rating);
  }
}
