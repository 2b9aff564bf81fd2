//===- EliminationTest.cpp - elimination against all labels ---------------===//

#include "partita/Solve/Elimination.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>

using namespace partita::solve;

namespace {

struct SmallProblem {
  std::vector<uint32_t> sizes;
  std::vector<EliminationPair> pairs;
  std::vector<std::vector<double>> costs, tables;

  double computeCost(const std::vector<uint32_t> &labels) const {
    double cost = 0;
    for (size_t variable = 0; variable < sizes.size(); ++variable)
      cost += costs[variable][labels[variable]];
    for (size_t pair = 0; pair < pairs.size(); ++pair)
      cost += tables[pair][labels[pairs[pair].first] * sizes[pairs[pair].second] + labels[pairs[pair].second]];
    return cost;
  }
};

SmallProblem makeProblem(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto draw = [&](size_t count) { return static_cast<uint32_t>(random() % count); };
  auto makeCosts = [&](size_t count) {
    std::vector<double> costs(count);
    for (double &cost : costs)
      cost = draw(50);
    return costs;
  };
  SmallProblem problem;
  for (unsigned variable = 0; variable < 6; ++variable) {
    problem.sizes.push_back(1 + draw(4));
    problem.costs.push_back(makeCosts(problem.sizes.back()));
  }
  for (unsigned pair = 0; pair < 8; ++pair) {
    uint32_t first = draw(6), second = (first + 1 + draw(5)) % 6;
    problem.pairs.push_back({first, second});
    problem.tables.push_back(makeCosts(size_t(problem.sizes[first]) * problem.sizes[second]));
  }
  return problem;
}

double findLeast(const SmallProblem &problem) {
  std::vector<uint32_t> labels(problem.sizes.size(), 0);
  double least = problem.computeCost(labels);
  for (size_t variable = 0; variable < labels.size();) {
    if (++labels[variable] < problem.sizes[variable]) {
      least = std::min(least, problem.computeCost(labels));
      variable = 0;
    } else {
      labels[variable++] = 0;
    }
  }
  return least;
}

TEST(Elimination, FindsTheLeastSum) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SmallProblem problem = makeProblem(seed);
    Elimination elimination(problem.sizes, problem.pairs, SIZE_MAX);
    EXPECT_TRUE(elimination.getLeftOut().empty());
    std::vector<uint32_t> labels = elimination.solve(problem.costs, problem.tables);
    ASSERT_EQ(problem.computeCost(labels), findLeast(problem)) << seed;
    // The order serves other costs, too.
    for (auto &costs : problem.costs)
      std::reverse(costs.begin(), costs.end());
    ASSERT_EQ(problem.computeCost(elimination.solve(problem.costs, problem.tables)), findLeast(problem)) << seed;
  }
}

TEST(Elimination, LeavesOutTheVariableWithMostNeighbors) {
  // A star: a leaf's table has 3 * 3 entries. A triangle's has 27.
  std::vector<EliminationPair> star{{0, 1}, {0, 2}, {3, 0}}, triangle{{0, 1}, {1, 2}, {2, 0}, {2, 3}};
  EXPECT_TRUE(Elimination({3, 3, 3, 3}, star, 9).getLeftOut().empty());
  EXPECT_TRUE(Elimination({3, 3, 3, 3}, triangle, 27).getLeftOut().empty());
  EXPECT_THAT(Elimination({3, 3, 3, 3}, triangle, 9).getLeftOut(), testing::SizeIs(1));
  EXPECT_THAT(Elimination({3, 3, 3, 3}, star, 8).getLeftOut(), testing::ElementsAre(0));
}

} // namespace
