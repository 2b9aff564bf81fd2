//===- ReductionTest.cpp - what is left of a problem, and of its limit ----===//

#include "partita/Solve/UsageRows.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita::solve;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

constexpr int64_t no = forbidden;

TEST(Reduction, NodesThatDetermineEachOtherBecomeOneVariable) {
  // Strategy 0 of each goes with 1 of the next. Costs are 5 + 1 + 5 + 0 or 1 + 0 + 2 + 3; the first uses less.
  ChoiceProblem problem;
  problem.nodes = {{0, 2, {5, 1}, {1, 2}}, {0, 2, {2, 5}, {3, 1}}, {5, 6, {0, 3}, {1, 4}}};
  problem.edges = {{0, 1, {no, 1, 0, no}}, {1, 2, {no, 0, 0, no}}};
  problem.usageLimit = 4;
  ReducedProblem reduced = reduceProblem(problem);
  ASSERT_THAT(reduced.variables, SizeIs(1));
  EXPECT_THAT(reduced.pairs, IsEmpty());
  EXPECT_THAT(reduced.variables[0].nodes, SizeIs(3));
  for (uint32_t label : {0u, 1u}) {
    Choices choices = reduced.expand({label});
    EXPECT_EQ(reduced.constant + reduced.variables[0].costs[label],
              static_cast<double>(evaluateChoices(problem, choices).cost));
  }
}

TEST(Reduction, SumsAndSingleStrategiesLeaveNoPairs) {
  // The edge costs 1 or 3 for node 0 and 0 or 4 for node 1; node 2 has one strategy.
  ChoiceProblem problem;
  problem.nodes = {{0, 2, {5, 1}, {0, 9}}, {0, 2, {2, 1}, {5, 0}}, {0, 2, {7}, {1}}};
  problem.edges = {{0, 1, {1, 5, 3, 7}}, {2, 0, {10, 20}}, {1, 1, {1, no, no, 2}}};
  ReducedProblem reduced = reduceProblem(problem);
  // Without a limit the rest is decided: 7, then 5 + 1 + 10 or 1 + 3 + 20, and 2 + 0 + 1 or 1 + 4 + 2.
  EXPECT_THAT(reduced.variables, IsEmpty());
  EXPECT_EQ(reduced.constant, 7 + 16 + 3);
  EXPECT_THAT(reduced.expand({}), ElementsAre(0, 0, 0));
  // With one, strategies that use less are kept.
  problem.usageLimit = 10;
  EXPECT_THAT(reduceProblem(problem).variables, SizeIs(1));
}

TEST(Reduction, ContradictionsAreFound) {
  // Three nodes, each pair equal, but the last pair different.
  ChoiceProblem problem;
  problem.nodes = {{0, 1, {0, 0}, {0, 0}}, {0, 1, {0, 0}, {0, 0}}, {0, 1, {0, 0}, {0, 0}}};
  problem.edges = {{0, 1, {0, no, no, 0}}, {1, 2, {0, no, no, 0}}, {0, 2, {no, 0, 0, no}}};
  EXPECT_TRUE(reduceProblem(problem).isInfeasible);
}

TEST(UsageRows, TimesThatSayNothingAreLeftOut) {
  // Nodes 0 and 1 at times 2 to 5, node 0 alone before, node 2 alone from 7 on. Beyond the least usages of 1 each, node
  // 0 and 1 can use 4 and 6 more, and the limit leaves 12 - 2 - 1 at time 3, where the fixed node 3 is alive.
  ChoiceProblem problem;
  problem.nodes = {{0, 5, {0, 9}, {5, 1}}, {2, 5, {0, 9}, {7, 1}}, {7, 9, {0, 9}, {12, 1}}, {3, 4, {0}, {1}}};
  problem.usageLimit = 12;
  ReducedProblem reduced = reduceProblem(problem);
  UsageRows rows = buildUsageRows(problem, reduced);
  EXPECT_THAT(rows.capacities, ElementsAre(9));
  ASSERT_THAT(rows.items, SizeIs(2));
  EXPECT_THAT(rows.items[0].amounts, ElementsAre(4, 0));
  EXPECT_THAT(rows.items[1].amounts, ElementsAre(6, 0));
  problem.usageLimit = 13;
  EXPECT_THAT(buildUsageRows(problem, reduced).capacities, IsEmpty());
  problem.usageLimit.reset();
  EXPECT_THAT(buildUsageRows(problem, reduced).capacities, IsEmpty());
}

} // namespace
