#include "partita/Search/RandomSpace.h"
#include "partita/Search/TacticsOfMoves.h"

#include <gtest/gtest.h>

#include <map>

using namespace partita;

/// What a walker's assignment is, the schedule of its moves leads to as well.
TEST(PlanSpace, MovesAreTactics) {
  Random random(1);
  int numCompared = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    RandomSpace space(seed);
    if (space.table.moves.empty())
      continue;
    PlanProblem problem = space.getProblem();
    PlanWalker walker(problem);
    Folding folding = buildPlainFolding(space.graph);
    TacticsOfMoves tactics(space.graph, space.groups, folding, space.table);
    for (int i = 0; i < 4; ++i) {
      Moves moves = space.drawMoves(random);
      Evaluated evaluated = walker.evaluate(moves);
      Schedule schedule{tactics.build(moves)};
      Assignment assignment(space.topology, space.axes);
      Result<ScheduleOutcome> outcome = applySchedule(schedule, space.names, assignment, nullptr);
      ASSERT_TRUE(bool(outcome)) << outcome.error().str();
      ReshardPlanner planner(space.axes);
      Cost cost = evaluateCost(space.model, assignment, planner);
      EXPECT_EQ(cost, walker.getCost()) << "seed " << seed;
      EXPECT_TRUE(assignment.isEquivalent(walker.getAssignment())) << "seed " << seed;
      numCompared += evaluated.effective != 0;
    }
  }
  EXPECT_GT(numCompared, 300);
}

/// What a walker answers depends on the list alone, not on where it was before.
TEST(PlanSpace, WalkersForgetWhereTheyWere) {
  Random random(2);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomSpace space(seed);
    if (space.table.moves.empty())
      continue;
    PlanProblem problem = space.getProblem();
    PlanWalker walker(problem);
    for (int i = 0; i < 6; ++i) {
      Moves moves = space.drawMoves(random);
      Evaluated evaluated = walker.evaluate(moves);
      PlanWalker fresh(problem);
      EXPECT_EQ(fresh.evaluate(moves), evaluated);
    }
  }
}

/// Equal keys, equal costs.
TEST(PlanSpace, StatesWithOneKeyCostTheSame) {
  Random random(3);
  int numMet = 0;
  for (uint64_t seed = 0; seed < 80; ++seed) {
    RandomSpace space(seed);
    if (space.table.moves.empty())
      continue;
    PlanProblem problem = space.getProblem();
    PlanWalker walker(problem);
    std::map<uint64_t, Cost> known;
    for (int i = 0; i < 60; ++i) {
      Moves moves = space.drawMoves(random);
      Evaluated evaluated = walker.evaluate(moves);
      auto [entry, isNew] = known.try_emplace(evaluated.state, walker.getCost());
      EXPECT_EQ(entry->second, walker.getCost()) << "seed " << seed;
      numMet += !isNew;
    }
  }
  EXPECT_GT(numMet, 1000);
}

TEST(PlanSpace, MirrorsOfMirrorsAreTheSame) {
  Random random(4);
  for (uint64_t seed = 0; seed < 40; ++seed) {
    RandomSpace space(seed);
    if (space.table.moves.empty())
      continue;
    PlanSpace plans(space.getProblem());
    Moves moves = space.drawMoves(random);
    for (const Moves &mirror : plans.getMirrors(moves))
      if (mirror.size() == moves.size())
        EXPECT_TRUE(llvm::is_contained(plans.getMirrors(mirror), moves));
  }
}

/// Two axes of one size on one switch are the same: exchanged, everything costs the same, and one list stands for both.
TEST(PlanSpace, EquivalentAxesAreOne) {
  Random random(6);
  int numExchanged = 0;
  for (uint64_t seed = 0; seed < 80; ++seed) {
    RandomSpace space(seed);
    if (space.table.moves.empty())
      continue;
    PlanSpace plans(space.getProblem());
    PlanProblem problem = space.getProblem();
    PlanWalker walker(problem);
    for (int i = 0; i < 10; ++i) {
      Moves moves = space.drawMoves(random), canonical = plans.canonicalize(moves);
      numExchanged += canonical != moves;
      EXPECT_EQ(plans.canonicalize(canonical), canonical);
      EXPECT_EQ(walker.evaluate(moves).rating, walker.evaluate(canonical).rating) << "seed " << seed;
      EXPECT_EQ(walker.evaluate(moves).effective, walker.evaluate(canonical).effective) << "seed " << seed;
    }
  }
  EXPECT_GT(numExchanged, 50);
}

/// Proposals split what counts: on a program that is short of memory, each of the first ones splits something that is
/// alive at the peak.
TEST(PlanSpace, ProposesForTheGoalThatIsMissed) {
  int numProposed = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CostOptions cost;
    cost.memoryLimitBytes = 1;
    RandomSpace space(seed, cost);
    PlanProblem problem = space.getProblem();
    PlanWalker walker(problem);
    walker.evaluate({});
    std::vector<MoveId> proposed = walker.propose();
    std::vector<AliveCell> alive = walker.getTracker().listAtPeak();
    for (MoveId move : proposed) {
      EXPECT_TRUE(llvm::any_of(alive, [&](const AliveCell &cell) {
        NodeId source = space.topology.getSource(cell.cell);
        return source.isValid() && space.table.reaches[move].has(source);
      }));
      ++numProposed;
    }
  }
  EXPECT_GT(numProposed, 100);
}
