//===- BoundTest.cpp - bounds against walks and exhaustive search ---------===//

#include "partita/Search/Bound/Bound.h"

#include "partita/Machine/Presets.h"
#include "partita/Propagate/Propagation.h"
#include "partita/Testing/CostFixture.h"
#include "partita/Testing/RandomGraph.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace partita::search {

using namespace fixtures;
namespace {

struct Setting {
  llvm::StringRef mesh, machine;
};

constexpr Setting settings[] = {{"x=2,y=4", "h100-sxm:1x8"},
                                {"x=2,y=2,z=2", "h100-sxm:1x8"},
                                {"x=4,y=8", "h100-sxm:4x8"},
                                {"x=4,y=4", "tpu-v5e:4x4"},
                                {"a=2,b=2,c=2,d=2,e=2,f=2", "h100-sxm:8x8"},
                                {"x=8", "h100-sxm:1x8"}};

/// Gives the ops of a random graph flops and sizes to be priced.
Graph buildPricedGraph(uint64_t seed) {
  Graph graph = buildRandomGraph(seed);
  RandomNumbers random(seed + 1000);
  NameId update = graph.names.push_back("stablehlo.dynamic_update_slice");
  NameId exponential = graph.names.push_back("stablehlo.exponential"), bf16 = graph.names.push_back("bf16");
  std::vector<OpClass> classes = {OpClass::Elementwise, OpClass::Elementwise, OpClass::Movement, OpClass::Contraction,
                                  OpClass::Reduction,   OpClass::Indexing,    OpClass::Opaque};
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    Op &op = graph.ops[id];
    op.phase = static_cast<Phase>(random.below(3));
    // Such that splitting pays, or does not.
    op.flops = int64_t(1) << (10 + random.below(30));
    op.opClass = op.role != IdentityRole::None ? OpClass::Identity : random.pick(classes);
    if (op.opClass == OpClass::Indexing)
      graph.setOpName(id, update);
    else if (random.chance(20))
      graph.setOpName(id, exponential);
  }
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    graph.cells[cell].element = bf16;
    // Large elements: what is moved, and what is alive, is worth something beside launches.
    graph.cells[cell].elementBits = random.chance(50) ? 16 : uint32_t(1) << (4 + random.below(22));
  }
  // Both ends of an identity, and what is tied, are of one type.
  for (const Tie &tie : graph.ties)
    graph.cells[tie.result].elementBits = graph.cells[tie.argument].elementBits;
  for (CellId cell : graph.arguments)
    if (random.chance(30))
      graph.donated.push_back(cell);
  return graph;
}

/// A program, and states of it that steps, pins, single factors and groups lead to.
class BoundedProgram {
public:
  BoundedProgram(uint64_t seed, const Setting &setting)
      : random(seed), graph(buildPricedGraph(seed)), machine(*buildPreset(setting.machine)),
        axes(refineAxes(*parseMesh(setting.mesh), graph)), topology(graph),
        placement(*placeRowMajor(axes.mesh, machine)), liveTimes(topology) {}

  /// All states that were met. Every second walk takes a step back that makes time longer, every fourth one that makes
  /// the peak higher.
  std::vector<Cost> walk(int numWalks) {
    CostModel model(topology, axes, machine, placement, {}, liveTimes);
    std::vector<Cost> costs;
    for (int i = 0; i < numWalks; ++i) {
      Assignment assignment(topology, axes);
      Propagation propagation(assignment);
      ReshardPlanner planner(axes);
      costs.push_back(evaluateCost(model, assignment, planner));
      Cost current = costs.back();
      for (uint32_t step = 1; step < 16; ++step) {
        size_t mark = assignment.mark();
        act(assignment, propagation, step);
        costs.push_back(evaluateCost(model, assignment, planner));
        bool isWorse = (i % 2 == 1 && costs.back().timePs > current.timePs) ||
                       (i % 4 == 2 && costs.back().peakBytes > current.peakBytes);
        if (isWorse)
          assignment.rollback(mark);
        else
          current = costs.back();
      }
    }
    return costs;
  }

  /// The bound by one ascent after another, each of which goes on with the last.
  int64_t computeBound(int64_t limitBytes, llvm::ArrayRef<BoundOptions> ascents) {
    CostOptions cost;
    cost.memoryLimitBytes = limitBytes;
    CostModel model(topology, axes, machine, placement, cost, liveTimes);
    BoundAscent bound(model);
    int64_t boundPs = 0;
    for (const BoundOptions &options : ascents)
      boundPs = bound.ascend(options);
    return boundPs;
  }

private:
  void act(Assignment &assignment, Propagation &propagation, uint32_t step) {
    if (topology.getNumDims() == 0 || axes.size() == 0)
      return;
    AxisId axis(random.below(axes.size()));
    DimId dim(random.below(topology.getNumDims()));
    CellId cell = topology.getCell(dim);
    NodeId node(random.below(topology.getNumNodes()));
    switch (random.below(8)) {
    case 0:
      if (propagation.explainAtomic(cell, axis).empty())
        assignment.pin(cell, axis, {PinKind::Atomic, 0}, step);
      break;
    case 1:
    case 2:
      if (topology.isOp(node) && topology.getNumOpFactors(node) > 0) {
        uint8_t factor = static_cast<uint8_t>(random.below(topology.getNumOpFactors(node)));
        if (assignment.getFactor(node, axis) == noFactor && propagation.explainFactor(node, factor, axis).empty())
          assignment.assign(node, axis, factor, step);
      }
      break;
    case 3:
      if (llvm::ArrayRef<UseId> uses = topology.getUses(cell); uses.size() > 1)
        groupSome(assignment, uses);
      break;
    default:
      if (propagation.explainRoot(dim, axis).empty())
        propagation.run(dim, axis, step);
    }
  }

  /// Uses of one region.
  void groupSome(Assignment &assignment, llvm::ArrayRef<UseId> uses) {
    RegionId region = graph.ops[topology.getUser(uses[random.below(uses.size())])].region;
    std::vector<UseId> list;
    for (UseId use : uses)
      if (graph.ops[topology.getUser(use)].region == region)
        list.push_back(use);
    std::vector<AxisId> all;
    for (AxisId axis : idRange<AxisId>(axes.size()))
      all.push_back(axis);
    assignment.groupUses(list, all);
  }

  RandomNumbers random;
  Graph graph;
  Machine machine;
  Axes axes;
  Topology topology;
  Placement placement;
  LiveTimes liveTimes;
};

/// No state that fits takes less than the bound under the limit, wherever the limit is, and whatever plan is known.
/// PARTITA_BOUNDS says for how many programs.
TEST(Bound, IsBelowAllStatesThatFit) {
  const char *given = std::getenv("PARTITA_BOUNDS");
  uint64_t count = given ? std::strtoull(given, nullptr, 10) : 120;
  int numBinding = 0, numTight = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    BoundedProgram program(seed, settings[seed % std::size(settings)]);
    std::vector<Cost> costs = program.walk(12);
    RandomNumbers random(seed);
    int64_t fastest = INT64_MAX;
    std::vector<int64_t> peaks;
    for (const Cost &cost : costs) {
      fastest = std::min(fastest, cost.timePs);
      peaks.push_back(cost.peakBytes);
    }
    llvm::sort(peaks);
    BoundOptions options;
    options.work = 200'000;
    options.isLimited = false;
    int64_t unlimited = program.computeBound(1, options);
    ASSERT_LE(unlimited, fastest) << "seed " << seed;
    numTight += unlimited > fastest - fastest / 20;
    for (bool isKnown : {false, true}) {
      // Most of them do not fit.
      int64_t limit = std::max<int64_t>(1, peaks[random.below(peaks.size() / 5)]);
      int64_t best = INT64_MAX;
      for (const Cost &cost : costs)
        if (cost.peakBytes <= limit)
          best = std::min(best, cost.timePs);
      options.isLimited = true;
      options.knownPs = isKnown ? best : INT64_MAX;
      int64_t bound = program.computeBound(limit, options);
      ASSERT_LE(bound, best) << "seed " << seed << ", limit " << limit;
      numBinding += bound > unlimited + unlimited / 1000;
      BoundOptions begin = options, lifted = options;
      begin.work /= 4;
      begin.knownPs = isKnown && seed % 2 == 0 ? best + best / 10 : INT64_MAX;
      ASSERT_LE(program.computeBound(limit, {begin, options}), best) << "seed " << seed << ", limit " << limit;
      lifted.isLimited = false;
      lifted.knownPs = fastest;
      ASSERT_LE(program.computeBound(limit, {begin, lifted}), fastest) << "seed " << seed << ", limit " << limit;
    }
  }
  // Not merely by being low.
  EXPECT_GT(numTight, int(count) / 10);
  EXPECT_GT(numBinding, 0);
}

/// All assignments of a program on one axis, node by node; nothing is pinned.
class AllAssignments : public CostFixture {
public:
  AllAssignments(llvm::StringRef graphText, llvm::StringRef meshText, const CostOptions &options)
      : CostFixture(graphText, meshText, options) {}

  std::vector<Cost> run() {
    visit(NodeId(0));
    return std::move(costs);
  }

private:
  void visit(NodeId node) {
    if (node.get() == topology.getNumNodes()) {
      costs.push_back(evaluate());
      return;
    }
    NodeId next(node.get() + 1);
    visit(next);
    for (uint32_t factor = 0; factor < topology.getNumOpFactors(node); ++factor) {
      if (assignment.getPartSize(topology.getOpFactor(node, static_cast<uint8_t>(factor))) % axes[AxisId(0)].size != 0)
        continue;
      size_t mark = assignment.mark();
      assignment.assign(node, AxisId(0), static_cast<uint8_t>(factor), 1);
      visit(next);
      assignment.rollback(mark);
    }
  }

  std::vector<Cost> costs;
};

constexpr llvm::StringLiteral productGraph = R"json({"partita_graph": 1, "program": {"name": "product", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [256, 1024], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [1024, 512], "name": "w", "number": 1},
  {"bits": 32, "type": "f32", "shape": [256, 512], "name": "jit(f)/dot", "occurrence": 0, "place": "m.py:3"},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [256, 512], "name": "result"}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 268435456, "operands": [0, 1], "results": [2],
   "place": "m.py:3", "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [2], "results": [3],
   "rule": "([a,b])->([a,b])"}]}
)json";

/// Each of six axes splits a, b, c or nothing: too many states to list, so the bound is the least time of any of them.
TEST(Bound, CountsOpsWithTooManyStates) {
  CostFixture program(productGraph, "a=2,b=2,c=2,d=2,e=2,f=2");
  NodeId product = program.topology.getNode(OpId(0));
  int64_t least = INT64_MAX, whole = program.model.getOpPricer().computeTimePs(program.assignment, OpId(0));
  for (uint32_t code = 0; code < 4096; ++code) {
    size_t mark = program.assignment.mark();
    for (uint32_t axis = 0; axis < 6; ++axis)
      if (uint32_t factor = code >> 2 * axis & 3; factor < 3)
        program.assignment.assign(product, AxisId(axis), static_cast<uint8_t>(factor), 1);
    least = std::min(least, program.model.getOpPricer().computeTimePs(program.assignment, OpId(0)));
    program.assignment.rollback(mark);
  }
  EXPECT_LT(least, whole / 8);
  EXPECT_EQ(computeLowerBoundPs(program.model), least);
}

/// Two layers, and nothing hides behind compute. Under every limit that some assignment meets, the bound is
/// below the best of all that fit, and not far: memory costs what has to be gathered or reduced for it.
TEST(Bound, FollowsTheLimit) {
  CostOptions options;
  options.overlapPpm = 0;
  AllAssignments all(mlpGraph, "x=2", options);
  std::vector<Cost> costs = all.run();
  std::set<int64_t> peaks;
  for (const Cost &cost : costs)
    peaks.insert(cost.peakBytes);
  std::set<int64_t> bounds;
  for (int64_t limit : peaks) {
    int64_t best = INT64_MAX;
    for (const Cost &cost : costs)
      if (cost.peakBytes <= limit)
        best = std::min(best, cost.timePs);
    options.memoryLimitBytes = limit;
    CostModel model(all.topology, all.axes, all.machine, all.placement, options, all.liveTimes);
    int64_t bound = computeLowerBoundPs(model);
    EXPECT_LE(bound, best) << "limit " << limit;
    EXPECT_GE(bound, best - best / 10) << "limit " << limit;
    bounds.insert(bound);
  }
  EXPECT_GT(bounds.size(), 1u);
}

} // namespace
} // namespace partita::search
