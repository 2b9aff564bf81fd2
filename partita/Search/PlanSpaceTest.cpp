//===- PlanSpaceTest.cpp - walkers, symmetric moves and keys --------------===//

#include "partita/Search/TacticsOfMoves.h"
#include "partita/Testing/RandomSpace.h"

#include <gtest/gtest.h>

#include <map>

using namespace partita;
using namespace partita::search;
using namespace partita::fixtures;

/// The schedule of a walker's moves leads to the walker's assignment.
TEST(PlanSpace, MovesAreTactics) {
  RandomNumbers random(1);
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

/// What a walker answers depends on the list alone, not on where it was before, nor on what others have found.
TEST(PlanSpace, WalkersForgetWhereTheyWere) {
  RandomNumbers random(2);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomSpace space(seed);
    if (space.table.moves.empty())
      continue;
    PlanProblem problem = space.getProblem();
    PlanWalker walker(problem), other(problem);
    for (int i = 0; i < 6; ++i) {
      Moves moves = space.drawMoves(random);
      Evaluated evaluated = walker.evaluate(moves);
      EXPECT_EQ(other.evaluate(moves), evaluated);
      EXPECT_EQ(other.getCost(), walker.getCost());
      PlanProblem apart = space.getProblem();
      PlanWalker fresh(apart);
      EXPECT_EQ(fresh.evaluate(moves), evaluated);
      EXPECT_EQ(fresh.getCost(), walker.getCost());
    }
  }
}

/// Lists of the same moves in another order lead to one state only if they cost the same: what is known of a state
/// does not depend on which list came first, nor on which thread.
TEST(PlanSpace, AStateHasOneCost) {
  RandomNumbers random(12);
  int numShared = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    RandomSpace space(seed, {}, "x=2,y=2,z=2", "h100-sxm:1x8");
    if (space.table.moves.empty())
      continue;
    PlanProblem problem = space.getProblem();
    PlanWalker walker(problem);
    std::map<uint64_t, Cost> costs;
    for (int i = 0; i < 8; ++i) {
      Moves moves = space.drawMoves(random);
      for (int turn = 0; turn < 6; ++turn) {
        std::swap(moves[random.below(static_cast<uint32_t>(moves.size()))], moves.back());
        uint64_t state = walker.evaluate(moves).state;
        auto [known, isNew] = costs.try_emplace(state, walker.getCost());
        EXPECT_EQ(known->second, walker.getCost()) << "seed " << seed;
        numShared += !isNew;
      }
    }
  }
  EXPECT_GT(numShared, 1000);
}

/// Without axis symmetry: moves are applied on each axis.
MoveTable withoutKin(MoveTable table) {
  for (MoveId id : idRange<MoveId>(table.moves.size()))
    table.symmetric[id] = id;
  return table;
}

/// Repeating a move from memory equals applying it, also on axes that share factors too small for all of them, and on
/// symmetric axes.
TEST(PlanSpace, RepeatedMovesDoTheSame) {
  RandomNumbers random(8);
  int numCompared = 0;
  for (uint64_t seed = 0; seed < 80; ++seed) {
    for (llvm::StringRef mesh : {"x=2,y=2", "x=2,y=2,z=2", "x=4,y=1,z=2"}) {
      RandomSpace space(seed, {}, mesh, mesh.contains('z') ? "h100-sxm:1x8" : "h100-sxm:1x4");
      if (space.table.moves.empty())
        continue;
      PlanProblem problem = space.getProblem();
      PlanWalker walker(problem);
      MoveTable table = withoutKin(space.table);
      for (int i = 0; i < 12; ++i) {
        Moves moves = space.drawMoves(random);
        Evaluated evaluated = walker.evaluate(moves);
        PlanProblem given = space.getProblem();
        PlanProblem apart{given.model,       given.names, given.given,  table,
                          given.steppedDims, given.goals, given.shared, given.memory};
        PlanWalker fresh(apart);
        EXPECT_EQ(fresh.evaluate(moves), evaluated) << "seed " << seed << " mesh " << mesh.str();
        EXPECT_TRUE(fresh.getAssignment().isEquivalent(walker.getAssignment())) << "seed " << seed;
        numCompared += evaluated.effective != 0;
      }
    }
  }
  EXPECT_GT(numCompared, 1000);
}

/// A move reaches alone what its symmetric move reaches.
TEST(PlanSpace, KinReachTheSame) {
  int numKin = 0;
  for (uint64_t seed = 0; seed < 120; ++seed)
    for (auto [mesh, machine] : {std::pair<llvm::StringRef, llvm::StringRef>{"x=2,y=2", "h100-sxm:1x4"},
                                 {"x=3,y=2", "h100-sxm:1x6"},
                                 {"x=8,y=2", "h100-sxm:2x8"}}) {
      RandomSpace space(seed, {}, mesh, machine);
      for (MoveId id : idRange<MoveId>(space.table.moves.size())) {
        if (space.table.symmetric[id] == id)
          continue;
        Assignment assignment(space.topology, space.axes);
        MoveRunner runner(assignment, space.table, space.steppedDims, 0, nullptr);
        runner.runAnew(id);
        for (NodeId node : idRange<NodeId>(space.topology.getNumNodes())) {
          bool isSplit = llvm::is_contained(runner.getSplits(), node);
          EXPECT_EQ(space.table.reaches[id].has(node), isSplit) << "seed " << seed << " mesh " << mesh.str();
        }
        ++numKin;
      }
    }
  EXPECT_GT(numKin, 500);
}

/// Moves over many groups expand to moves over one group each, which do the same to the first member of each group.
TEST(PlanSpace, ExpandsMovesOverManyGroups) {
  int numExpanded = 0;
  for (uint64_t seed = 0; seed < 700; ++seed) {
    RandomSpace space(seed, {}, "x=2,y=2", "h100-sxm:1x4", "f32");
    PlanProblem problem = space.getProblem();
    PlanWalker walker(problem);
    for (MoveId id : idRange<MoveId>(space.table.numMain)) {
      const Move &move = space.table.moves[id];
      Moves parts = walker.expand({id});
      if (!isOfMany(move.role) || parts == Moves{id}) {
        EXPECT_EQ(parts, Moves{id});
        continue;
      }
      walker.evaluate({id});
      for (MoveId part : parts) {
        const Move &single = space.table.moves[part];
        EXPECT_EQ(single.axis, move.axis);
        const MoveEntry &tile = single.entries.back();
        ASSERT_TRUE(tile.kind == ActionKind::Tile && tile.dim);
        CellId cell = space.table.targets[tile.target].members.front();
        EXPECT_EQ(walker.getAssignment().getCellSharding(cell).findAxis(move.parts.front()), int(*tile.dim));
      }
      numExpanded += !parts.empty();
    }
  }
  EXPECT_GE(numExpanded, 10);
}

/// A move represents the later ones that lead to the same state when applied alone, and no others.
TEST(PlanSpace, LikesDoTheSameAlone) {
  int numRepresented = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomSpace space(seed);
    PlanSpace plans(space.getProblem());
    PlanProblem problem = space.getProblem();
    PlanWalker walker(problem);
    std::map<std::pair<std::string, uint64_t>, MoveId> first;
    for (MoveId id : idRange<MoveId>(space.table.moves.size())) {
      bool isLocalMove = id.get() >= plans.getNumMoves();
      uint64_t state = walker.evaluate({id}).state;
      MoveId representative = first.try_emplace({space.table.moves[id].axis, state}, id).first->second;
      EXPECT_EQ(plans.getRepresentative(id), isLocalMove ? id : representative);
      numRepresented += plans.getRepresentative(id) != id;
    }
  }
  EXPECT_GT(numRepresented, 20);
}

/// Alternatives are on the same axis and the same group, the move itself included.
TEST(PlanSpace, AlternativesAreOfTheSameSubject) {
  int numAlternatives = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomSpace space(seed);
    PlanSpace plans(space.getProblem());
    for (MoveId id : idRange<MoveId>(space.table.moves.size())) {
      const Move &move = space.table.moves[id];
      bool hasSome = id.get() < plans.getNumMoves() && move.subject.isValid();
      EXPECT_EQ(llvm::is_contained(plans.getAlternatives(id), id), hasSome);
      for (MoveId other : plans.getAlternatives(id)) {
        EXPECT_EQ(space.table.moves[other].axis, move.axis);
        EXPECT_EQ(space.table.moves[other].subject, move.subject);
        EXPECT_TRUE(llvm::is_contained(plans.getAlternatives(other), id));
        numAlternatives += other != id;
      }
    }
  }
  EXPECT_GT(numAlternatives, 100);
}

/// The same move over another axis: both have the same counterparts but for each other.
TEST(PlanSpace, CounterpartsAreOnOtherAxes) {
  int numCounterparts = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    RandomSpace space(seed);
    PlanSpace plans(space.getProblem());
    for (MoveId id : idRange<MoveId>(space.table.moves.size()))
      for (MoveId other : plans.getCounterparts(id)) {
        const Move &own = space.table.moves[id], &counterpart = space.table.moves[other];
        EXPECT_NE(counterpart.axis, own.axis);
        EXPECT_EQ(counterpart.role, own.role);
        EXPECT_EQ(counterpart.entries, own.entries);
        EXPECT_TRUE(llvm::is_contained(plans.getCounterparts(other), id));
        ++numCounterparts;
      }
  }
  EXPECT_GT(numCounterparts, 100);
}

/// A move on one group belongs in front of those over many groups on its axis; behind them, it has less to do.
TEST(PlanSpace, AMoveBelongsInFrontOfThoseOverManyGroups) {
  int numPlaced = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    RandomSpace space(seed, {}, "x=2,y=2", "h100-sxm:1x4", "f32");
    PlanSpace plans(space.getProblem());
    const IdVector<MoveId, Move> &moves = space.table.moves;
    for (MoveId many : idRange<MoveId>(moves.size()))
      for (MoveId id : idRange<MoveId>(moves.size())) {
        if (!isOfMany(moves[many].role) || moves[many].parts.size() != 1 || moves[id].parts.size() != 1)
          continue;
        bool isInFront = !isOfMany(moves[id].role) && moves[id].axis == moves[many].axis;
        EXPECT_EQ(plans.findPlace({many}, id), isInFront ? 0u : 1u);
        numPlaced += isInFront;
      }
    if (!moves.empty())
      EXPECT_EQ(plans.findPlace({}, MoveId(0)), 0u);
  }
  EXPECT_GT(numPlaced, 100);
}

/// Partial plans lack the moves of one axis and exclude the largest of these, and nothing of another axis.
TEST(PlanSpace, RestsAreWithoutAnAxis) {
  RandomNumbers random(4);
  int numExcluded = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomSpace space(seed);
    if (space.table.numMain == 0)
      continue;
    PlanSpace plans(space.getProblem());
    Moves moves = space.drawMoves(random);
    for (const PartialPlan &rest : plans.getPartialPlans(moves)) {
      ASSERT_FALSE(rest.excluded.empty());
      llvm::StringRef axis = space.table.moves[rest.excluded.front()].axis;
      auto isOfAxis = [&](MoveId move) { return space.table.moves[move].axis == axis; };
      EXPECT_TRUE(llvm::all_of(rest.excluded, isOfAxis));
      EXPECT_TRUE(llvm::none_of(rest.moves, isOfAxis));
      EXPECT_EQ(moves.size() - rest.moves.size(), size_t(llvm::count_if(moves, isOfAxis)));
      numExcluded += int(rest.excluded.size());
    }
  }
  EXPECT_GT(numExcluded, 60);
}

/// Equal keys, equal costs.
TEST(PlanSpace, StatesWithOneKeyCostTheSame) {
  RandomNumbers random(3);
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
  RandomNumbers random(4);
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

/// Two axes of equal size on one switch are equivalent: exchanging them changes no cost, and one list represents both.
TEST(PlanSpace, EquivalentAxesAreOne) {
  RandomNumbers random(6);
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
