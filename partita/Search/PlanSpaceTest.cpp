#include "partita/Search/PlanSpace.h"

#include "partita/Machine/Presets.h"
#include "partita/Propagate/PlanningFixture.h"
#include "partita/Propagate/RandomGraph.h"
#include "partita/Propagate/SteppedDims.h"
#include "partita/Search/Proposals.h"
#include "partita/Search/TacticsOfMoves.h"

using namespace partita;

namespace {

/// Random programs have no names, and tactics need them.
static Graph buildNamedGraph(uint64_t seed) {
  Graph graph = buildRandomGraph(seed);
  NameId name = graph.names.push_back("value");
  for (CellId id : idRange<CellId>(graph.cells.size())) {
    Cell &cell = graph.cells[id];
    if (cell.kind == CellKind::OpResult) {
      cell.name = name;
      cell.occurrence = id.get();
    } else if (cell.kind == CellKind::Argument || cell.kind == CellKind::Result) {
      cell.name = graph.names.push_back("boundary" + std::to_string(id.get()));
    }
  }
  return graph;
}

/// A random program, its moves, and everything that walkers need.
struct RandomSpace {
  explicit RandomSpace(uint64_t seed, llvm::StringRef meshText = "x=2,y=2")
      : graph(buildNamedGraph(seed)), topology(graph), mesh(*parseMesh(meshText)), axes(refineAxes(mesh, graph)),
        machine(*buildPreset("h100-sxm:1x4")), placement(*placeRowMajor(mesh, machine)), liveTimes(topology),
        model(topology, axes, machine, placement, {}, liveTimes), names(graph), steppedDims(findSteppedDims(topology)),
        groups(findArgumentGroups(topology, findRepetition(topology))) {
    Assignment base(topology, axes);
    table = buildMoves(groups, base, steppedDims, {});
  }
  PlanProblem getProblem() const { return {model, names, given, table, steppedDims, {Goal::Fit, Goal::Time}}; }

  Graph graph;
  Topology topology;
  Mesh mesh;
  Axes axes;
  Machine machine;
  Placement placement;
  LiveTimes liveTimes;
  CostModel model;
  CellNames names;
  IdVector<DimId, uint8_t> steppedDims;
  ArgumentGroups groups;
  Schedule given;
  MoveTable table;
};

} // namespace

static Moves drawMoves(const RandomSpace &space, Random &random) {
  Moves moves;
  for (uint32_t size = 1 + random.below(5); size > 0; --size)
    moves.push_back(MoveId(random.below(static_cast<uint32_t>(space.table.moves.size()))));
  return moves;
}

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
      Moves moves = drawMoves(space, random);
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
      Moves moves = drawMoves(space, random);
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
      Moves moves = drawMoves(space, random);
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
    Moves moves = drawMoves(space, random);
    for (const Moves &mirror : plans.getMirrors(moves))
      if (mirror.size() == moves.size())
        EXPECT_TRUE(llvm::is_contained(plans.getMirrors(mirror), moves));
  }
}
