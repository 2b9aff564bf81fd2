//===- TreeSearchTest.cpp - tree search on small spaces -------------------===//

#include "partita/Search/TreeSearch.h"

#include "partita/Search/Baselines.h"
#include "partita/Search/Refinement.h"
#include "partita/Testing/TableSpace.h"

#include <gtest/gtest.h>

using namespace partita;
using namespace partita::search;
using namespace partita::fixtures;

/// All states that a search evaluates, in order, as text.
static std::string runAndDump(const Space &space, int64_t threads, int64_t budget) {
  std::string text;
  StateEvaluatorOptions options;
  options.budget = budget;
  options.threads = threads;
  options.onEvaluated = [&](llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated, bool isBest) {
    for (MoveId move : moves)
      text += std::to_string(move.get()) + " ";
    text += "= " + std::to_string(evaluated.rating.parts[0]) + (isBest ? "*\n" : "\n");
  };
  StateEvaluator evaluator(space, options);
  TreeSearch(evaluator).run();
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
    StateEvaluatorOptions options;
    options.budget = budget;
    StateEvaluator evaluator(space, options);
    TreeSearch(evaluator).run();
    EXPECT_EQ(evaluator.getNumEvaluations(), budget);
    EXPECT_EQ(evaluator.getStopReason(), StopReason::Budget);
  }
}

/// With enough budget tree search meets the exhaustive optimum up to length 4: proposals never prune.
TEST(TreeSearch, FindsTheExhaustiveOptimum) {
  int numEqual = 0, numSpaces = 40;
  for (int seed = 0; seed < numSpaces; ++seed) {
    TableSpace space(seed, 8, 6);
    StateEvaluator all(space, {});
    ASSERT_TRUE(searchExhaustively(all, 4));
    StateEvaluatorOptions options;
    options.budget = 4000;
    StateEvaluator evaluator(space, options);
    TreeSearch(evaluator).run();
    EXPECT_LE(evaluator.getBest()->evaluated.rating, all.getBest()->evaluated.rating) << "seed " << seed;
    numEqual += evaluator.getBest()->evaluated.rating <= all.getBest()->evaluated.rating;
  }
  EXPECT_EQ(numEqual, numSpaces);
}

TEST(TreeSearch, BeatsRandomListsOfTheSameBudget) {
  int numBetter = 0, numWorse = 0;
  for (int seed = 100; seed < 130; ++seed) {
    TableSpace space(seed, 60, 16);
    StateEvaluatorOptions options;
    options.budget = 1500;
    StateEvaluator tree(space, options), random(space, options);
    TreeSearch(tree).run();
    searchAtRandom(random, 1, 8);
    numBetter += tree.getBest()->evaluated.rating < random.getBest()->evaluated.rating;
    numWorse += random.getBest()->evaluated.rating < tree.getBest()->evaluated.rating;
  }
  EXPECT_GT(numBetter, 4 * numWorse) << numBetter << " better, " << numWorse << " worse";
}

TEST(StateEvaluator, KeepsTheBestStatesOnceEach) {
  TableSpace space(5, 10, 6);
  StateEvaluator evaluator(space, {});
  searchExhaustively(evaluator, 3);
  std::vector<Found> kept = evaluator.getKept();
  ASSERT_EQ(kept.size(), StateEvaluator::maxKept);
  EXPECT_EQ(kept.front().evaluated, evaluator.getBest()->evaluated);
  for (size_t i = 1; i < kept.size(); ++i) {
    EXPECT_LE(kept[i - 1].evaluated.rating, kept[i].evaluated.rating);
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(kept[i].evaluated.state, kept[j].evaluated.state);
  }
}

TEST(StateEvaluator, StopsWhenInterrupted) {
  TableSpace space(5, 40, 10);
  int numAsked = 0;
  StateEvaluatorOptions options;
  options.isInterrupted = [&] { return ++numAsked > 3; };
  StateEvaluator evaluator(space, options);
  TreeSearch(evaluator).run();
  EXPECT_EQ(evaluator.getStopReason(), StopReason::Interrupted);
  EXPECT_TRUE(evaluator.getBest().has_value());
}

TEST(Refinement, GivesLocalOptima) {
  for (int seed = 0; seed < 20; ++seed) {
    TableSpace space(seed, 12, 8);
    StateEvaluator evaluator(space, {});
    Found found = refineBySweeps(evaluator, {Moves(), evaluator.evaluate(Moves())}, SweepKind::Thorough);
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
    StateEvaluator evaluator(space, {});
    Found swept = refineBySweeps(evaluator, {Moves(), evaluator.evaluate(Moves())}, SweepKind::Thorough);
    EXPECT_LE(refine(evaluator, swept).evaluated.rating, swept.evaluated.rating);
  }
}

namespace {

/// Two axes, each with a move that is best for it alone (0 and 1). Two other moves of the second axis (2 and 3) are
/// better together, and neither helps while move 1 is there.
class CornerSpace : public Space {
public:
  uint32_t getNumMoves() const override { return 4; }
  size_t getNumOps() const override { return 1; }
  double getReward(const Rating &rating) const override { return -std::log(double(rating.parts[0])); }
  double getBlend(const Rating &rating, double) const override { return double(rating.parts[0]); }
  std::unique_ptr<Walker> makeWalker() const override { return std::make_unique<CornerWalker>(); }
  std::vector<PartialPlan> getPartialPlans(llvm::ArrayRef<MoveId> moves) const override {
    PartialPlan rest;
    for (MoveId move : moves)
      if (move == MoveId(0))
        rest.moves.push_back(move);
    rest.excluded = {MoveId(1)};
    return {rest};
  }

private:
  class CornerWalker : public Walker {
    Evaluated evaluate(llvm::ArrayRef<MoveId> moves) override {
      Evaluated result;
      uint32_t made = 0;
      for (size_t i = 0; i < moves.size(); ++i) {
        uint32_t bit = 1U << moves[i].get();
        bool isTaken = (bit == 2 && (made & 12) != 0) || (bit > 2 && (made & 2) != 0);
        if (isTaken || (made & bit) != 0)
          continue;
        made |= bit;
        result.effective |= uint64_t(1) << i;
      }
      static constexpr int64_t gains[] = {100, 50, 30, 30};
      result.rating.parts = {1000, 0, 0, 0};
      for (uint32_t move = 0; move < 4; ++move)
        result.rating.parts[0] -= (made >> move & 1) != 0 ? gains[move] : 0;
      result.state = made + 1;
      return result;
    }
  };
};

} // namespace

/// Without the move that is best alone, an axis finds what is better together; no excluded move is made.
TEST(Refinement, RestsLeadOutOfCorners) {
  CornerSpace space;
  StateEvaluator evaluator(space, {});
  Found corner = completeGreedily(evaluator, Moves());
  EXPECT_EQ(corner.evaluated.rating.parts[0], 850);
  std::vector<PartialPlan> partialPlans = space.getPartialPlans(corner.moves);
  ASSERT_EQ(partialPlans.size(), 1u);
  Found found = completeOtherwise(evaluator, partialPlans.front());
  EXPECT_EQ(found.evaluated.rating.parts[0], 840);
  EXPECT_FALSE(llvm::is_contained(found.moves, MoveId(1)));
  EXPECT_EQ(refine(evaluator, corner).evaluated.rating.parts[0], 840);
}

/// One more move must bring what is asked for, and is left out otherwise.
TEST(Refinement, LongerListsMustBeWorthIt) {
  CornerSpace space;
  for (auto [least, expected] :
       {std::pair(0.0, 850), std::pair(0.05, 850), std::pair(0.08, 900), std::pair(0.2, 1000)}) {
    StateEvaluator evaluator(space, {});
    Found found = refineBySweeps(evaluator, {Moves(), evaluator.evaluate(Moves())}, SweepKind::Quick, least);
    EXPECT_EQ(found.evaluated.rating.parts[0], expected) << least;
  }
}
