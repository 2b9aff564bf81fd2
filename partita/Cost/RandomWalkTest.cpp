//===- RandomWalkTest.cpp - the tracker against full evaluation -----------===//
//
// Random graphs, meshes, steps, pins, use groups and rollbacks; several donors
// for several results; dropped prices. After each change the tracker equals a
// full evaluation from scratch, and the reshards add up to the collectives that
// lowering emits. PARTITA_WALKS sets the number of walks.
//
//===----------------------------------------------------------------------===//

#include "partita/Cost/CostReport.h"
#include "partita/Cost/ReshardPlanPrice.h"
#include "partita/Machine/Presets.h"
#include "partita/Propagate/Propagation.h"
#include "partita/Testing/RandomGraph.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace partita::cost {

using namespace fixtures;
namespace {

struct Setting {
  llvm::StringRef mesh, machine;
};

constexpr Setting settings[] = {{"x=2,y=4", "h100-sxm:1x8"},
                                {"x=2,y=2,z=2", "h100-sxm:1x8"},
                                {"x=4,y=8", "h100-sxm:4x8"},
                                {"x=4,y=4", "tpu-v5e:4x4"},
                                {"x=2,y=2,z=2,u=2,v=2", "h100-sxm:4x8"}};

NameId addName(Graph &graph, llvm::StringRef name) { return graph.names.push_back(name.str()); }

/// Gives the ops of a random graph flops, classes and phases to be priced.
void decorate(Graph &graph, RandomNumbers &random) {
  NameId update = addName(graph, "stablehlo.dynamic_update_slice"), slice = addName(graph, "stablehlo.dynamic_slice");
  NameId exponential = addName(graph, "stablehlo.exponential"), bf16 = addName(graph, "bf16");
  std::vector<OpClass> classes = {OpClass::Elementwise, OpClass::Elementwise, OpClass::Elementwise, OpClass::Movement,
                                  OpClass::Contraction, OpClass::Reduction,   OpClass::Indexing,    OpClass::Opaque};
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    Op &op = graph.ops[id];
    op.phase = static_cast<Phase>(random.below(3));
    op.flops = 1 + random.below(1'000'000);
    op.opClass = op.role != IdentityRole::None ? OpClass::Identity : random.pick(classes);
    if (op.opClass == OpClass::Indexing)
      graph.setOpName(id, random.chance(50) ? update : slice);
    else if (random.chance(20))
      graph.setOpName(id, exponential);
  }
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    graph.cells[cell].element = bf16;
  for (CellId cell : graph.arguments)
    if (random.chance(60))
      graph.donated.push_back(cell);
}

/// All collectives of the program, added up from its reshards.
int64_t addCollectives(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner) {
  Reshards reshards = buildReshards(assignment, planner);
  int64_t total = 0;
  for (const Reshard &reshard : reshards.list.raw())
    for (size_t step = 0; step < planner[reshard.plan].steps.size(); ++step)
      total += priceStep(model, planner[reshard.plan], step).timePs * model.getTimes(reshard.region);
  return total;
}

class Walk {
public:
  Walk(uint64_t seed, const Setting &setting)
      : random(seed), graph(makeGraph(seed)), machine(*buildPreset(setting.machine)),
        axes(refineAxes(*parseMesh(setting.mesh), graph)), topology(graph), assignment(topology, axes),
        propagation(assignment), placement(*placeRowMajor(axes.mesh, machine)), liveTimes(topology),
        model(topology, axes, machine, placement, {}, liveTimes), planner(axes),
        tracker(model, assignment, planner, seed % 3 == 0 ? 1 : size_t(1) << 21),
        evaluator(model, assignment, planner) {}

  void run() {
    check();
    for (uint32_t step = 1; step < 14 && !testing::Test::HasFatalFailure(); ++step) {
      if (random.chance(30))
        marks.push_back({assignment.mark(), evaluateCost(model, assignment, planner)});
      if (!marks.empty() && random.chance(25))
        goBack();
      else
        act(step);
      if (random.chance(80)) {
        tracker.update();
        check();
      }
    }
    while (!marks.empty() && !testing::Test::HasFatalFailure())
      goBack();
  }

private:
  struct Mark {
    size_t assignment;
    Cost cost;
  };

  Graph makeGraph(uint64_t seed) {
    Graph made = buildRandomGraph(seed, random.chance(50), random.below(4));
    decorate(made, random);
    return made;
  }

  void act(uint32_t step) {
    if (topology.getNumDims() == 0 || axes.size() == 0)
      return;
    DimId dim(random.below(topology.getNumDims()));
    AxisId axis(random.below(axes.size()));
    CellId cell = topology.getCell(dim);
    uint32_t what = random.below(100);
    if (what < 70) {
      if (propagation.explainRoot(dim, axis).empty())
        propagation.run(dim, axis, step);
    } else if (what < 85) {
      if (propagation.explainAtomic(cell, axis).empty())
        assignment.pin(cell, axis, {PinKind::Atomic, 0}, step);
    } else {
      groupSome(cell, axis);
    }
  }

  /// As `group` actions do.
  void groupSome(CellId cell, AxisId axis) {
    std::vector<UseId> uses;
    for (UseId use : topology.getUses(cell))
      if (random.chance(60))
        uses.push_back(use);
    assignment.groupUses(uses, axis);
  }

  void goBack() {
    size_t to = random.below(marks.size());
    Mark mark = marks[to];
    marks.resize(to);
    tracker.rollback(mark.assignment);
    assignment.rollback(mark.assignment);
    // Otherwise the next update prices it together with the next change, which may redo what was undone.
    if (random.chance(50))
      return;
    ASSERT_EQ(tracker.update(), mark.cost);
    check();
  }

  void check() {
    Cost full = evaluateCost(model, assignment, planner);
    ASSERT_EQ(tracker.getCost(), full);
    ASSERT_EQ(evaluator.evaluate(), full);
    ASSERT_EQ(full.communicationPs, addCollectives(model, assignment, planner));
    ASSERT_EQ(full.timePs, full.computePs + full.exposedPs);
    ASSERT_LE(full.exposedPs, full.communicationPs);
    int64_t alive = 0;
    for (const AliveCell &cell : tracker.listAtPeak())
      alive += cell.bytes;
    ASSERT_EQ(alive, full.peakBytes);
    int64_t compute = 0;
    for (const OpTime &op : tracker.listOps())
      compute += op.timePs;
    ASSERT_EQ(compute, full.computePs);
    if (random.chance(10))
      checkReport(full);
  }

  /// The report adds up to the cost and to what lowering emits.
  void checkReport(const Cost &full) {
    CostReport report = buildCostReport(model, assignment, buildReshards(assignment, planner), planner);
    ASSERT_EQ(report.cost, full);
    std::vector<CollectiveCount> counts = countCollectives(assignment, planner, buildReshards(assignment, planner));
    ASSERT_EQ(report.collectives.size(), counts.size());
    int64_t time = 0, alive = 0;
    for (auto [line, count] : llvm::zip_equal(report.collectives, counts)) {
      ASSERT_EQ(line.kind, count.kind);
      ASSERT_EQ(line.axes, count.axes);
      ASSERT_EQ(line.count, count.count);
      ASSERT_EQ(line.payloadBytes, count.payloadBytes);
      time += line.timePs;
    }
    ASSERT_EQ(time, full.communicationPs);
    for (const ReshardLine &line : report.reshards)
      time -= line.timePs;
    ASSERT_EQ(time, 0);
    for (const MemoryLine &line : report.memory.atPeak)
      alive += line.bytes;
    ASSERT_EQ(alive, full.peakBytes);
  }

  RandomNumbers random;
  Graph graph;
  Machine machine;
  Axes axes;
  Topology topology;
  Assignment assignment;
  Propagation propagation;
  Placement placement;
  LiveTimes liveTimes;
  CostModel model;
  ReshardPlanner planner;
  CostTracker tracker;
  CostEvaluator evaluator;
  std::vector<Mark> marks;
};

TEST(RandomWalk, TrackerEqualsFullEvaluation) {
  const char *given = std::getenv("PARTITA_WALKS");
  uint64_t count = given ? std::strtoull(given, nullptr, 10) : 3000;
  for (uint64_t seed = 0; seed < count && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Walk(seed, settings[seed % std::size(settings)]).run();
  }
}

} // namespace
} // namespace partita::cost
