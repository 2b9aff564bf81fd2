//===- SolverTest.cpp - choices against exhaustive search -----------------===//

#include "partita/Solve/Solver.h"

#include "partita/Solve/NeighborhoodSearch.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>

using namespace partita;
using namespace partita::solve;

namespace {

struct RandomShape {
  unsigned numNodes = 6, mostStrategies = 4, numEdges = 8;
  double forbiddenShare = 0, limitShare = 1;
};

ChoiceProblem makeProblem(const RandomShape &shape, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto draw = [&](int64_t count) { return static_cast<int64_t>(random() % count); };
  ChoiceProblem problem;
  int64_t most = 0;
  for (unsigned node = 0; node < shape.numNodes; ++node) {
    ChoiceNode made;
    made.begin = draw(8);
    made.end = made.begin + draw(6);
    for (int64_t strategy = 1 + draw(shape.mostStrategies); strategy-- > 0;) {
      made.costs.push_back(draw(100) - 10);
      made.usages.push_back(draw(50));
      most = std::max(most, made.usages.back());
    }
    problem.nodes.push_back(made);
  }
  for (unsigned edge = 0; edge < shape.numEdges; ++edge) {
    ChoiceEdge made{static_cast<uint32_t>(draw(shape.numNodes)), static_cast<uint32_t>(draw(shape.numNodes)), {}};
    size_t numPairs = problem.nodes[made.source].costs.size() * problem.nodes[made.target].costs.size();
    bool isEquality = draw(4) == 0;
    for (size_t pair = 0; pair < numPairs; ++pair) {
      size_t numTargets = problem.nodes[made.target].costs.size();
      bool isRuledOut = isEquality ? pair / numTargets != pair % numTargets && shape.forbiddenShare > 0
                                   : static_cast<double>(draw(1000)) < 1000 * shape.forbiddenShare;
      made.costs.push_back(isRuledOut ? forbidden : draw(80));
    }
    problem.edges.push_back(made);
  }
  if (shape.limitShare < 1)
    problem.usageLimit = static_cast<int64_t>(shape.limitShare * static_cast<double>(most * shape.numNodes));
  return problem;
}

/// The least cost of all choices; nothing if none is within the limit.
std::optional<Total> findOptimum(const ChoiceProblem &problem) {
  Choices choices(problem.nodes.size(), 0);
  std::optional<Total> best;
  while (true) {
    ChoiceValue value = evaluateChoices(problem, choices);
    if (value.isFeasible && (!best || value.cost < *best))
      best = value.cost;
    size_t node = 0;
    while (node < choices.size() && ++choices[node] == problem.nodes[node].costs.size())
      choices[node++] = 0;
    if (node == choices.size())
      return best;
  }
}

SolverOptions makeOptions() {
  SolverOptions options;
  options.budget = 2;
  return options;
}

class Random : public testing::TestWithParam<RandomShape> {};

TEST_P(Random, SolverAgreesWithExhaustiveSearch) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    ChoiceProblem problem = makeProblem(GetParam(), seed);
    std::optional<Total> optimum = findOptimum(problem);
    Solution solution = solveProblem(problem, makeOptions());
    ASSERT_EQ(solution.isInfeasible, !optimum) << seed;
    if (!optimum)
      continue;
    ASSERT_EQ(evaluateChoices(problem, solution.choices).cost, solution.value.cost);
    ASSERT_TRUE(evaluateChoices(problem, solution.choices).isFeasible);
    ASSERT_EQ(static_cast<int64_t>(solution.value.cost), static_cast<int64_t>(*optimum)) << seed;
    ASSERT_EQ(solution.lowerBound, solution.value.cost);
  }
}

/// What the solver does where it cannot enumerate: the bound holds, and regions find the optimum nearly always.
TEST_P(Random, BoundHoldsAndRegionsFindTheOptimum) {
  unsigned numSolved = 0, numFound = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    ChoiceProblem problem = makeProblem(GetParam(), seed);
    std::optional<Total> optimum = findOptimum(problem);
    ReducedProblem reduced = reduceProblem(problem);
    if (reduced.isInfeasible || !optimum) {
      EXPECT_FALSE(optimum && reduced.isInfeasible) << seed;
      continue;
    }
    UsageRows rows = buildUsageRows(problem, reduced);
    DualAscent dual(reduced, rows);
    for (unsigned iteration = 0; iteration < 60; ++iteration)
      dual.iterate();
    ASSERT_LE(dual.getBound(), static_cast<double>(*optimum) + 1e-6) << seed;
    NeighborhoodSearch search(reduced, rows, dual.getMultipliers(), buildState(reduced, rows, dual.decode(true)), {});
    for (unsigned batch = 0; batch < 20; ++batch)
      search.runBatch();
    const LabeledState &best = search.getBest();
    LabeledState again = buildState(reduced, rows, best.labels);
    ASSERT_NEAR(again.cost, best.cost, 1e-6);
    ASSERT_NEAR(again.excess, best.excess, 1e-6);
    ChoiceValue value = evaluateChoices(problem, reduced.expand(best.labels));
    ASSERT_EQ(value.isFeasible, best.isFeasible()) << seed;
    if (best.isFeasible()) {
      ASSERT_NEAR(static_cast<double>(value.cost), best.cost, 1e-6) << seed;
    }
    ++numSolved;
    numFound += best.isFeasible() && value.cost == *optimum;
  }
  EXPECT_GE(numFound, numSolved * 90 / 100) << numSolved;
}

INSTANTIATE_TEST_SUITE_P(Shapes, Random,
                         testing::Values(RandomShape{6, 4, 8, 0, 1}, RandomShape{6, 4, 8, 0.2, 1},
                                         RandomShape{6, 4, 8, 0, 0.3}, RandomShape{7, 4, 9, 0.2, 0.25},
                                         RandomShape{8, 3, 12, 0.1, 0.2}, RandomShape{5, 5, 0, 0, 0.3}));

/// As large as P of the contest, whose nodes are in a band: each costs with the next two. Without a limit that is no
/// problem: the solver finds what dynamic programming over the band finds.
TEST(Solver, ABandWithoutMemoryIsSolvedExactly) {
  constexpr uint32_t numNodes = 3000, numStrategies = 6;
  std::mt19937_64 random(3);
  auto draw = [&](int64_t count) { return static_cast<int64_t>(random() % count); };
  ChoiceProblem problem;
  for (uint32_t node = 0; node < numNodes; ++node) {
    ChoiceNode made{node, node + 40, {}, {}};
    for (uint32_t strategy = 0; strategy < numStrategies; ++strategy) {
      made.costs.push_back(draw(1'000'000));
      made.usages.push_back(draw(1'000'000));
    }
    problem.nodes.push_back(made);
    for (uint32_t step = 1; step <= std::min(node, 2u); ++step) {
      ChoiceEdge edge{node - step, node, {}};
      for (uint32_t pair = 0; pair < numStrategies * numStrategies; ++pair)
        edge.costs.push_back(draw(20) == 0 ? forbidden : draw(1'000'000));
      problem.edges.push_back(std::move(edge));
    }
  }
  // The least cost up to a node, by its strategy and that of the one before.
  std::vector<Total> least(numStrategies * numStrategies, 0);
  const Total never = Total(forbidden) * 4;
  auto getPair = [&](size_t edge, uint32_t a, uint32_t b) {
    int64_t cost = problem.edges[edge].costs[a * numStrategies + b];
    return cost >= forbidden ? never : Total(cost);
  };
  for (uint32_t a = 0; a < numStrategies; ++a)
    for (uint32_t b = 0; b < numStrategies; ++b)
      least[a * numStrategies + b] = problem.nodes[0].costs[a] + problem.nodes[1].costs[b] + getPair(0, a, b);
  for (uint32_t node = 2; node < numNodes; ++node) {
    // The edges of a node: to the one before, then to the one before that.
    size_t edge = 2 * size_t(node) - 3;
    std::vector<Total> next(least.size(), never * numNodes);
    for (uint32_t a = 0; a < numStrategies; ++a)
      for (uint32_t b = 0; b < numStrategies; ++b)
        for (uint32_t c = 0; c < numStrategies; ++c) {
          Total sum = least[a * numStrategies + b] + problem.nodes[node].costs[c] + getPair(edge, b, c) +
                      getPair(edge + 1, a, c);
          next[b * numStrategies + c] = std::min(next[b * numStrategies + c], sum);
        }
    least = std::move(next);
  }
  Total optimum = *std::min_element(least.begin(), least.end());
  ASSERT_LT(optimum, never);
  SolverOptions options = makeOptions();
  options.budget = 100;
  Solution solution = solveProblem(problem, options);
  ASSERT_FALSE(solution.choices.empty());
  EXPECT_EQ(solution.stage, std::string("eliminate"));
  EXPECT_EQ(static_cast<int64_t>(solution.value.cost), static_cast<int64_t>(optimum));
  EXPECT_EQ(solution.value.cost, solution.lowerBound);
  EXPECT_EQ(evaluateChoices(problem, solution.choices).cost, optimum);
}

TEST(Solver, SameSeedGivesSameChoicesWithAnyNumberOfThreads) {
  ChoiceProblem problem = makeProblem({60, 6, 110, 0, 0.12}, 7);
  SolverOptions options = makeOptions();
  options.budget = 50;
  Solution first = solveProblem(problem, options);
  ASSERT_FALSE(first.choices.empty());
  for (unsigned threads : {1u, 3u}) {
    options.numThreads = threads;
    EXPECT_EQ(solveProblem(problem, options).choices, first.choices);
  }
}

TEST(Solver, StopsWhenToldTo) {
  ChoiceProblem problem = makeProblem({60, 6, 110, 0, 0.12}, 7);
  SolverOptions options;
  unsigned numAsked = 0;
  options.isOver = [&] { return ++numAsked > 70; };
  Solution solution = solveProblem(problem, options);
  EXPECT_STREQ(solution.stopped, "over");
  EXPECT_LT(solution.iterations, 100);
}

TEST(Solver, HugeNumbersDoNotOverflow) {
  ChoiceProblem problem;
  for (int node = 0; node < 40; ++node)
    problem.nodes.push_back({0, INT64_MAX, {forbidden - 1, forbidden - 2}, {INT64_MAX, INT64_MAX / 2}});
  Solution solution = solveProblem(problem, makeOptions());
  EXPECT_EQ(solution.value.cost, Total(40) * (forbidden - 2));
  problem.usageLimit = INT64_MAX;
  EXPECT_TRUE(solveProblem(problem, makeOptions()).isInfeasible);
}

TEST(Solver, EmptyProblem) {
  Solution solution = solveProblem({}, makeOptions());
  EXPECT_FALSE(solution.isInfeasible);
  EXPECT_EQ(solution.value.cost, 0);
}

} // namespace
