//===- SearchTest.cpp - searches against exhaustive search and the bound --===//

#include "partita/Search/Search.h"

#include "partita/Search/Baselines.h"
#include "partita/Search/Bound/Bound.h"
#include "partita/Search/Decoding.h"
#include "partita/Search/SearchAnswers.h"
#include "partita/Search/SearchBudget.h"
#include "partita/Testing/RandomSpace.h"
#include "partita/Testing/TableSpace.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>

using namespace partita;
using namespace partita::search;
using namespace partita::fixtures;

namespace {

/// What exhaustive search finds up to a length, and whether it got there.
struct Optimum {
  Found best;
  bool isComplete = false;
};

} // namespace

static Optimum findOptimum(const PlanSpace &space, uint32_t maxLength) {
  StateEvaluatorOptions options;
  options.budget = 60'000;
  StateEvaluator evaluator(space, options);
  bool isComplete = searchExhaustively(evaluator, maxLength);
  return {*evaluator.getBest(), isComplete};
}

/// A random program that has, for most seeds, less memory than it takes whole: then something must be split.
static std::unique_ptr<RandomSpace> makeSpace(uint64_t seed) {
  static constexpr int64_t percents[] = {0, 90, 75, 60, 50};
  int64_t percent = percents[seed % 5];
  auto space = std::make_unique<RandomSpace>(seed);
  if (percent == 0)
    return space;
  PlanProblem problem = space->getProblem();
  CostOptions cost;
  cost.memoryLimitBytes = std::max<int64_t>(1, PlanWalker(problem).getCost().peakBytes * percent / 100);
  return std::make_unique<RandomSpace>(seed, cost);
}

/// On small random programs a search meets the exhaustive optimum of lists up to three moves, or beats it with a longer
/// list; the bound is below all of it. In at least half of them the optimum is neither empty nor a seed. 60 programs;
/// PARTITA_EXHAUSTIVE says another number.
TEST(Search, MeetsTheExhaustiveOptimum) {
  const char *wish = std::getenv("PARTITA_EXHAUSTIVE");
  int numWanted = wish ? int(std::strtol(wish, nullptr, 10)) : 60, numPrograms = 0, numMet = 0, numInteresting = 0;
  for (uint64_t seed = 0; numPrograms < numWanted && seed < 50 * uint64_t(numWanted); ++seed) {
    std::unique_ptr<RandomSpace> random = makeSpace(seed);
    // Small enough to be enumerated.
    if (random->table.moves.size() < 3 || random->table.moves.size() > 30)
      continue;
    PlanSpace space(random->getProblem());
    Optimum optimum = findOptimum(space, 3);
    if (!optimum.isComplete)
      continue;
    ++numPrograms;
    SearchOptions options;
    options.budget = 1000;
    options.threads = 1;
    SearchOutcome outcome = runSearch(space, options, {});
    ASSERT_TRUE(outcome.best.has_value());
    bool isMet = outcome.best->evaluated.rating <= optimum.best.evaluated.rating;
    numMet += isMet;
    if (!isMet)
      std::cout << "seed " << seed << ": not the optimum\n";
    bool isSeed = llvm::any_of(outcome.seeds,
                               [&](const Seed &seed) { return seed.evaluated.state == optimum.best.evaluated.state; });
    numInteresting += !optimum.best.moves.empty() && !isSeed;
    PlanWalker walker(space.getProblem());
    walker.evaluate(outcome.best->moves);
    EXPECT_LE(computeLowerBoundPs(random->model), walker.getCost().timePs) << "seed " << seed;
  }
  std::cout << numPrograms << " programs: the optimum is met in " << numMet << "; it is neither empty nor a seed in "
            << numInteresting << "\n";
  EXPECT_EQ(numPrograms, numWanted);
  EXPECT_GE(numMet * 100, numPrograms * 99);
  EXPECT_GE(numInteresting * 2, numPrograms);
}

/// No state that is reached at random takes less than the bound.
TEST(Search, TheBoundIsNoHigherThanAnyPlan) {
  RandomNumbers random(5);
  for (uint64_t seed = 0; seed < 150; ++seed) {
    RandomSpace program(seed);
    int64_t boundPs = computeLowerBoundPs(program.model);
    if (program.table.moves.empty())
      continue;
    PlanProblem problem = program.getProblem();
    PlanWalker walker(problem);
    EXPECT_LE(boundPs, walker.getCost().timePs);
    for (int i = 0; i < 10; ++i) {
      walker.evaluate(program.drawMoves(random));
      EXPECT_LE(boundPs, walker.getCost().timePs) << "seed " << seed;
    }
  }
}

TEST(Search, IsTheSameForAnyNumberOfThreads) {
  for (uint64_t seed : {3, 7, 11, 19}) {
    RandomSpace program(seed);
    PlanSpace space(program.getProblem()), other(program.getProblem());
    SearchOptions options;
    options.budget = 800;
    options.threads = 1;
    SearchOutcome one = runSearch(space, options, {});
    options.threads = 3;
    SearchOutcome three = runSearch(other, options, {});
    EXPECT_EQ(one.best->moves, three.best->moves);
    EXPECT_EQ(one.best->evaluated, three.best->evaluated);
    EXPECT_EQ(one.numEvaluations, three.numEvaluations);
    ASSERT_EQ(one.others.size(), three.others.size());
    for (size_t i = 0; i < one.others.size(); ++i)
      EXPECT_EQ(one.others[i].moves, three.others[i].moves);
  }
}

/// Eight states for each move, 24 for each beyond 104, between 600 and 6,000; 6.8 million by the number of ops, if that
/// is more, up to 5,000; beyond 2,000 ops fewer, but 100 for each copy of an op in the whole program. Moves that
/// another represents do not count.
TEST(Search, ChoosesABudgetByTheMovesThatDiffer) {
  struct Large : TableSpace {
    Large(uint64_t seed, uint32_t numMoves, uint32_t numGoals, size_t numOps = 5000)
        : TableSpace(seed, numMoves, numGoals), numOps(numOps) {}
    size_t getNumOps() const override { return numOps; }
    size_t numOps;
  };
  auto chooseWhole = [](const Space &space) { return chooseBudget({}, space, space.getNumOps()); };
  // A hundred layers that are one in the searched program.
  auto choose = [&](uint32_t numMoves) { return chooseBudget({}, Large(1, numMoves, 2), 500'000); };
  EXPECT_EQ(chooseWhole(TableSpace(1, 100, 2)), 5000);
  EXPECT_EQ(chooseWhole(Large(1, 100, 2, 1600)), 4250);
  EXPECT_EQ(chooseWhole(Large(1, 100, 2, 2000)), 3400);
  EXPECT_EQ(chooseWhole(Large(1, 1000, 2, 2000)), 6000);
  // 6'800'000 / 2200, by 1.1.
  EXPECT_EQ(chooseWhole(Large(1, 100, 2, 2200)), 2809);
  EXPECT_EQ(choose(1), 600);
  EXPECT_EQ(choose(75), 600);
  EXPECT_EQ(choose(76), 608);
  EXPECT_EQ(choose(104), 832);
  EXPECT_EQ(choose(105), 856);
  EXPECT_EQ(choose(144), 1792);
  EXPECT_EQ(choose(1000), 6000);
  // Of twice 2,000 ops, an eighth at most; never below 400.
  EXPECT_EQ(chooseWhole(Large(1, 1000, 2, 4000)), 750);
  EXPECT_EQ(chooseWhole(Large(1, 1000, 2, 100'000)), 400);
  // Ten layers that are one in the searched program.
  EXPECT_EQ(chooseBudget({}, Large(1, 1000, 2, 4000), 40'000), 1000);
  SearchOptions options;
  options.budget = 7;
  EXPECT_EQ(chooseBudget(options, TableSpace(1, 144, 2), 1), 7);
  struct Pairs : Large {
    using Large::Large;
    MoveId getRepresentative(MoveId move) const override { return MoveId(move.get() / 2 * 2); }
  };
  EXPECT_EQ(chooseBudget({}, Pairs(1, 200, 2), 500'000), 800);
}

TEST(Search, WithoutSeedsStartsFromNothing) {
  RandomSpace program(7);
  PlanSpace space(program.getProblem());
  SearchOptions options;
  options.noSeeds = true;
  options.budget = 50;
  std::vector<size_t> lengths;
  StateEvaluatorOptions evaluatorOptions;
  evaluatorOptions.onEvaluated = [&](llvm::ArrayRef<MoveId> moves, const Evaluated &, bool) {
    lengths.push_back(moves.size());
  };
  SearchOutcome outcome = runSearch(space, options, evaluatorOptions);
  ASSERT_FALSE(lengths.empty());
  EXPECT_EQ(lengths.front(), 0u);
  EXPECT_TRUE(outcome.seeds.empty());
}

/// The states of a search, in the order in which it evaluates them.
static std::vector<uint64_t> listStates(RandomSpace &program, const SearchOptions &options) {
  PlanSpace space(program.getProblem());
  std::vector<uint64_t> states;
  StateEvaluatorOptions evaluatorOptions;
  evaluatorOptions.onEvaluated = [&](llvm::ArrayRef<MoveId>, const Evaluated &evaluated, bool) {
    states.push_back(evaluated.state);
  };
  runSearch(space, options, evaluatorOptions);
  return states;
}

/// A longer search begins as a shorter one, on any number of threads.
TEST(Search, ALargerBudgetContinuesASmallerOne) {
  for (uint64_t seed : {3, 7, 11, 19}) {
    RandomSpace program(seed);
    SearchOptions options;
    options.threads = 2;
    options.budget = 1000;
    std::vector<uint64_t> longer = listStates(program, options);
    for (int64_t budget : {1, 40, 333}) {
      options.budget = budget;
      std::vector<uint64_t> shorter = listStates(program, options);
      ASSERT_LE(shorter.size(), longer.size());
      EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin())) << "seed " << seed;
    }
  }
}

/// A search that knows the answers of an earlier one ends as one search with both budgets, whatever it knows.
TEST(Search, GoesOnFromWhatWasEvaluated) {
  for (uint64_t seed : {3, 7, 11, 19}) {
    RandomSpace program(seed);
    SearchOptions options;
    options.budget = 600;
    PlanSpace space(program.getProblem());
    SearchOutcome whole = runSearch(space, options, {});
    for (int64_t budget : {1, 150, 600}) {
      options.budget = budget;
      SearchOutcome begun = runSearch(space, options, {});
      SearchAnswers answers;
      answers.best = begun.best->moves;
      answers.list = begun.answers;
      Result<std::vector<SearchAnswers>> read = parseAnswers(printAnswers(answers), "answers.txt");
      ASSERT_TRUE(bool(read)) << read.error().str();
      EXPECT_EQ(read->front().list, begun.answers);
      EXPECT_EQ(read->front().countStates(), begun.numEvaluations);
      options.budget = 600;
      StateEvaluatorOptions known;
      known.answers = read->front().list;
      PlanSpace other(program.getProblem());
      SearchOutcome resumed = runSearch(other, options, known);
      EXPECT_EQ(resumed.best->moves, whole.best->moves);
      EXPECT_EQ(resumed.numEvaluations, whole.numEvaluations);
      EXPECT_EQ(resumed.answers, whole.answers);
    }
  }
}

TEST(Search, RefusesAnswersOfOtherSearches) {
  SearchAnswers own{1, 2, 3, {MoveId(4)}, {{5, Evaluated()}}};
  std::string text = printAnswers(own);
  EXPECT_TRUE(bool(parseAnswers(text + text, "a.txt")));
  for (llvm::StringRef bad : {"", "partita\n", "partita answers 1 x\n", "partita answers 1 1 2 3 1\n"})
    EXPECT_FALSE(bool(parseAnswers(bad, "a.txt"))) << bad.str();
  EXPECT_FALSE(bool(parseAnswers(llvm::StringRef(text).drop_back(20), "a.txt")));
  auto explain = [&](const SearchAnswers &other) { return findAnswers(own, other, "out").error().reason; };
  EXPECT_TRUE(bool(findAnswers(own, own, "out")));
  EXPECT_NE(explain({1, 9, 3, {}, {}}).find("another program"), std::string::npos);
  EXPECT_NE(explain({9, 2, 3, {}, {}}).find("another build"), std::string::npos);
  EXPECT_NE(explain({1, 2, 9, {}, {}}).find("options"), std::string::npos);
}

/// With seeds and twice the budget nothing is worse than without.
TEST(Search, SeedsCannotLeadIntoACorner) {
  for (uint64_t seed = 0; seed < 15; ++seed) {
    RandomSpace program(seed);
    PlanSpace space(program.getProblem());
    for (int64_t budget : {20, 100}) {
      SearchOptions options;
      options.threads = 1;
      options.budget = budget;
      options.noSeeds = true;
      SearchOutcome without = runSearch(space, options, {});
      options.noSeeds = false;
      options.budget = 2 * budget;
      SearchOutcome with = runSearch(space, options, {});
      EXPECT_LE(with.best->evaluated.rating, without.best->evaluated.rating) << "seed " << seed << ", " << budget;
    }
  }
}

/// The relaxed problem gives a list that leads somewhere in most programs, and in some to what a search finds.
TEST(Search, DecodesTheRelaxedPlan) {
  int numLists = 0, numPrograms = 0, numBetter = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomSpace program(seed);
    if (program.table.moves.empty())
      continue;
    PlanProblem problem = program.getProblem();
    PlanSpace space(problem);
    ++numPrograms;
    BoundAscent bound(program.model);
    bound.ascend();
    std::optional<RelaxedPlan> plan = bound.round();
    ASSERT_TRUE(plan.has_value());
    Moves list = decodeRelaxedPlan(problem, *plan);
    PlanWalker walker(problem);
    Rating whole = walker.evaluate({}).rating;
    Evaluated evaluated = walker.evaluate(list);
    numLists += !list.empty();
    numBetter += evaluated.rating < whole;
    EXPECT_EQ(dropIneffective(list, evaluated), list);
  }
  EXPECT_GE(numLists * 2, numPrograms);
  EXPECT_GE(numBetter * 3, numLists);
  std::cout << numPrograms << " programs, " << numLists << " lists, " << numBetter << " better than nothing\n";
}

TEST(Search, RunsTheStagesThatAreChosen) {
  RandomSpace program(7);
  PlanSpace space(program.getProblem());
  SearchOptions options;
  options.budget = 400;
  SearchOutcome all = runSearch(space, options, {});
  options.stages = "alone, greedy";
  PlanSpace other(program.getProblem());
  SearchOutcome some = runSearch(other, options, {});
  EXPECT_TRUE(some.seeds.empty());
  EXPECT_LE(all.best->evaluated.rating, some.best->evaluated.rating);
  EXPECT_TRUE(some.winnerStage == "start" || some.winnerStage == "alone" || some.winnerStage == "greedy");
  EXPECT_FALSE(checkStages("seeds,tree"));
  EXPECT_TRUE(checkStages("seeds,trees"));
}

TEST(Goal, OrdersStates) {
  Cost fast{10, 10, 0, 0, 200}, small{20, 20, 0, 0, 90};
  // 200 bytes do not fit into 100, 90 do.
  std::vector<Goal> fitTime = *parseGoals("fit,time"), time = *parseGoals("time");
  EXPECT_LT(computeRating(fitTime, small, 100), computeRating(fitTime, fast, 100));
  EXPECT_LT(computeRating(time, fast, 100), computeRating(time, small, 100));
  EXPECT_FALSE(bool(parseGoals("fit,fit")));
  EXPECT_FALSE(bool(parseGoals("speed")));
}
