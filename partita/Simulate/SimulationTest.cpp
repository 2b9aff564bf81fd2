//===- SimulationTest.cpp - timelines of small programs, by hand ----------===//

#include "partita/Simulate/Simulation.h"

#include "partita/Testing/TestProgram.h"

#include "llvm/Support/JSON.h"

namespace partita::simulate {

using namespace fixtures;
namespace {

constexpr const char *matmul = "([a,b],[b,c])->([a,c]) reduce(add)={b}";

/// Every op takes 10, every reshard 4 on the only level; identities take nothing. Arguments are prefetched, and what is
/// only returned is late.
struct Simulated {
  Simulated(TestProgram &program, SimulationOptions options = {})
      : planner(program.state().axes), reshards(buildReshards(program.state().assignment, planner)) {
    const Graph &graph = program.getGraph();
    for (const Op &op : graph.ops.raw())
      durations.ops.push_back(op.role == IdentityRole::None && op.numUses > 0 ? 10 : 0);
    for (const Reshard &reshard : reshards.list.raw()) {
      auto isReturned = [&](UseId use) {
        OpId user = program.state().topology.getUser(use);
        return graph.cells[graph.getResults(user)[0]].kind == CellKind::Result;
      };
      ReshardOverlap overlap = ReshardOverlap::None;
      if (graph.cells[reshard.cell].kind == CellKind::Argument)
        overlap = ReshardOverlap::Prefetched;
      else if (llvm::all_of(program.state().topology.getUses(reshard.cell), isReturned))
        overlap = ReshardOverlap::Late;
      durations.reshards.push_back({planner[reshard.plan].isLocal() ? 0 : 4, 1, overlap});
    }
    durations.numStreams = 2;
    timeline = simulate(program.state().topology, reshards, durations, options);
  }

  ReshardPlanner planner;
  Reshards reshards;
  Durations durations;
  Timeline timeline;
};

TEST(Simulation, AReductionThatTheNextOpNeedsIsExposed) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w1 = program.argument({4, 6}), w2 = program.argument({6, 2});
  CellId h = program.op({x, w1}, {8, 6}, matmul);
  program.result(program.op({h, w2}, {8, 2}, matmul));
  program.tile(w1, 0, "x");
  Simulated result(program);
  ASSERT_EQ(result.reshards.size(), 1u);
  // Product, reduction, product.
  EXPECT_EQ(result.timeline.totalPs, 10 + 4 + 10);
  EXPECT_EQ(result.timeline.getExposedPs(), 4);
  EXPECT_EQ(result.timeline.exposedPs.raw(), (std::vector<int64_t>{4}));
  EXPECT_EQ(result.timeline.busyPs, (std::vector<int64_t>{20, 4}));
}

TEST(Simulation, AReductionThatNothingWaitsForRunsBesideCompute) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w1 = program.argument({4, 6}), y = program.argument({8, 6});
  CellId h = program.op({x, w1}, {8, 6}, matmul);
  CellId other = program.elementwise({y});
  program.result(h);
  program.result(program.elementwise({other}));
  program.tile(w1, 0, "x");
  Simulated result(program);
  ASSERT_EQ(result.reshards.size(), 1u);
  // The reduction runs from 10 to 14, beside the second of three ops.
  EXPECT_EQ(result.timeline.totalPs, 30);
  EXPECT_EQ(result.timeline.getExposedPs(), 0);
  EXPECT_EQ(result.timeline.exposedPs.raw(), (std::vector<int64_t>{0}));
}

/// Options under which collectives whose results take at most so many bytes are joined, and stay in order.
static SimulationOptions makeOrdered(int64_t combineBytes, bool isOneAtATime) {
  SimulationOptions options;
  options.order = {combineBytes, isOneAtATime};
  return options;
}

/// Two products of the input by parameters that are stored split.
static void addGatheredProducts(TestProgram &program) {
  CellId x = program.argument({8, 4}), w1 = program.argument({4, 4}), w2 = program.argument({4, 4});
  CellId h = program.op({x, w1}, {8, 4}, matmul);
  program.result(program.op({h, w2}, {8, 4}, matmul));
  program.tile(x, 0, "x");
  program.tile(w1, 0, "x");
  program.tile(w2, 0, "x");
}

TEST(Simulation, GathersOfABatchAreThereTogether) {
  TestProgram program("x=2");
  addGatheredProducts(program);
  Simulated apart(program);
  ASSERT_EQ(apart.reshards.size(), 2u);
  // The second gather runs beside the first product.
  EXPECT_EQ(apart.timeline.totalPs, 4 + 10 + 10);
  Simulated joined(program, makeOrdered(1000, false));
  EXPECT_EQ(joined.timeline.totalPs, 4 + 4 + 10 + 10);
  EXPECT_EQ(joined.timeline.exposedPs.raw(), (std::vector<int64_t>{4, 4}));
}

TEST(Simulation, ReductionsOfABatchBeginTogether) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w1 = program.argument({4, 6}), w2 = program.argument({4, 6});
  program.result(program.op({x, w1}, {8, 6}, matmul));
  program.result(program.op({x, w2}, {8, 6}, matmul));
  program.tile(x, 1, "x");
  Simulated apart(program);
  ASSERT_EQ(apart.reshards.size(), 2u);
  EXPECT_EQ(apart.timeline.totalPs, 10 + 10 + 4);
  Simulated joined(program, makeOrdered(1000, false));
  EXPECT_EQ(joined.timeline.totalPs, 10 + 10 + 4 + 4);
}

TEST(Simulation, AGatherDoesNotPassWhatComputeWaitsFor) {
  TestProgram program("x=2,y=2");
  CellId x = program.argument({8, 4}), w1 = program.argument({4, 6}), w2 = program.argument({6, 6});
  CellId h = program.op({x, w1}, {8, 6}, matmul);
  program.result(program.op({h, w2}, {8, 6}, matmul));
  program.tile(w1, 0, "x");
  program.tile(x, 0, "y");
  program.tile(w2, 0, "y");
  Simulated free(program);
  // A reduction behind the first product, and a gather before the second one.
  ASSERT_EQ(free.reshards.size(), 2u);
  EXPECT_EQ(free.timeline.totalPs, 10 + 4 + 10);
  EXPECT_EQ(Simulated(program, makeOrdered(0, true)).timeline.totalPs, 10 + 4 + 4 + 10);
}

TEST(Simulation, ABatchDoesNotPassWhatComputeWaitsFor) {
  TestProgram program("x=2,y=2");
  CellId x = program.argument({8, 4}), w0 = program.argument({4, 4}), w1 = program.argument({4, 6});
  CellId w2 = program.argument({6, 6});
  CellId h = program.op({program.op({x, w0}, {8, 4}, matmul), w1}, {8, 6}, matmul);
  program.result(program.op({h, w2}, {8, 6}, matmul));
  program.tile(x, 0, "y");
  program.tile(w0, 0, "y");
  program.tile(w1, 0, "x");
  program.tile(w2, 0, "y");
  // A gather before the first product, a reduction behind the second one, and a gather before the third.
  EXPECT_EQ(Simulated(program).timeline.totalPs, 4 + 10 + 10 + 4 + 10);
  EXPECT_EQ(Simulated(program, makeOrdered(1000, true)).timeline.totalPs, 4 + 10 + 10 + 4 + 4 + 10);
}

TEST(Simulation, AGatherDoesNotPassAFenceOfGathers) {
  TestProgram program("x=2");
  addGatheredProducts(program);
  Simulated result(program);
  auto run = [&](bool isOneAtATime) {
    return simulate(program.state().topology, result.reshards, result.durations, makeOrdered(0, isOneAtATime)).totalPs;
  };
  EXPECT_EQ(run(true), 4 + 10 + 10);
  // The second gather begins when the first product has ended, as if that were the last op of a fence.
  result.durations.gatherFences.resize(program.getGraph().ops.size());
  result.durations.gatherFences[OpId(0)] = {true, true};
  EXPECT_EQ(run(true), 4 + 10 + 4 + 10);
  EXPECT_EQ(run(false), 4 + 10 + 10);
  // A fence of several ops waits for those that it awaits.
  result.durations.gatherFences[OpId(0)] = {true, false};
  result.durations.gatherFences[OpId(1)] = {false, true};
  EXPECT_EQ(run(true), 4 + 10 + 10) << "the fence stands behind the second product";
}

TEST(Simulation, ComputeDoesNotGoAheadWhileItWaitsForAGather) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w = program.argument({4, 4}), y = program.argument({8, 4});
  program.result(program.op({x, w}, {8, 4}, matmul));
  program.result(program.elementwise({y}));
  program.tile(x, 0, "x");
  program.tile(w, 0, "x");
  Simulated result(program);
  ASSERT_EQ(result.reshards.size(), 1u);
  EXPECT_EQ(result.timeline.totalPs, 4 + 10 + 10);
  EXPECT_EQ(result.timeline.exposedPs.raw(), (std::vector<int64_t>{4}));
}

TEST(Simulation, OthersPassWhatWaitsForALateReduction) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w = program.argument({4, 6}), y = program.argument({8, 6});
  CellId h = program.op({x, w}, {8, 6}, matmul);
  program.result(program.elementwise({h}));
  program.result(program.elementwise({y}));
  program.tile(w, 0, "x");
  Simulated result(program);
  ASSERT_EQ(result.reshards.size(), 1u);
  result.durations.reshards[ReshardId(0)].overlap = ReshardOverlap::Late;
  // The op that takes the reduced value runs behind the one that does not wait.
  EXPECT_EQ(simulate(program.state().topology, result.reshards, result.durations, {}).totalPs, 30);
}

TEST(Simulation, AnIterationLikeTheOneBeforeIsCountedNotRun) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w = program.argument({4, 4});
  CellId carried = program.beginLoop(x);
  CellId h = program.op({carried, w}, {8, 4}, matmul);
  program.endLoop(carried, program.elementwise({h}));
  program.result(carried);
  Simulated result(program);
  // Four iterations of two ops; all are equal, so the last three are one event.
  EXPECT_EQ(result.timeline.totalPs, 4 * 20);
  EXPECT_EQ(result.timeline.busyPs[computeStream], 4 * 20);
  ASSERT_FALSE(result.timeline.events.empty());
  EXPECT_EQ(result.timeline.events.back().iterations, 3);
  EXPECT_EQ(result.timeline.events.back().startPs, 20);
}

TEST(Simulation, AnIterationWaitsForReductionsThatAreOneBatch) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w = program.argument({4, 4});
  CellId carried = program.beginLoop(x);
  CellId h = program.op({carried, w}, {8, 4}, matmul);
  program.elementwise({carried});
  program.endLoop(carried, h);
  program.result(carried);
  program.tile(w, 0, "x");
  Simulated result(program);
  auto run = [&](ReshardOverlap overlap, int64_t combineBytes) {
    for (ReshardId id : idRange<ReshardId>(result.durations.reshards.size()))
      result.durations.reshards[id].overlap = overlap;
    return simulate(program.state().topology, result.reshards, result.durations, makeOrdered(combineBytes, false))
        .totalPs;
  };
  // Four iterations of two ops; the reduction of the first runs beside the second, unless it ends the iteration.
  EXPECT_EQ(run(ReshardOverlap::Late, 1000), 4 * 20);
  EXPECT_EQ(run(ReshardOverlap::LateAtEnd, 1000), 4 * 24);
}

/// A loop that gathers a parameter: x stays split by rows, w is stored split.
static CellId addGatheringLoop(TestProgram &program) {
  CellId x = program.argument({8, 4}), w = program.argument({4, 4});
  CellId carried = program.beginLoop(x);
  program.endLoop(carried, program.op({carried, w}, {8, 4}, matmul));
  program.result(carried);
  program.tile(x, 0, "x");
  program.tile(w, 0, "x");
  return w;
}

TEST(Simulation, AnIterationGathersItsOwnParameters) {
  TestProgram program("x=2");
  addGatheringLoop(program);
  Simulated result(program);
  ASSERT_EQ(result.reshards.size(), 1u);
  // The gather of an iteration's first op has nothing to hide behind.
  EXPECT_EQ(result.timeline.totalPs, 4 * (4 + 10));
  EXPECT_EQ(result.timeline.busyPs, (std::vector<int64_t>{40, 16}));
  EXPECT_EQ(result.timeline.exposedPs.raw(), (std::vector<int64_t>{16}));
}

TEST(Simulation, WhatComputeWaitsForComesBeforeALateReduction) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), y = program.argument({8, 4}), w1 = program.argument({4, 6});
  CellId w2 = program.argument({6, 2});
  program.result(program.op({y, w1}, {8, 6}, matmul));
  CellId h = program.op({x, w1}, {8, 6}, matmul);
  program.result(program.op({h, w2}, {8, 2}, matmul));
  program.tile(w1, 0, "x");
  Simulated result(program);
  ASSERT_EQ(result.reshards.size(), 2u);
  // The first product's reduction takes 20. It runs from 10 to 20, and again behind the second one, from 24 to 34.
  for (ReshardId id : idRange<ReshardId>(result.reshards.size()))
    if (result.durations.reshards[id].overlap == ReshardOverlap::Late)
      result.durations.reshards[id].timePs = 20;
  Timeline timeline = simulate(program.state().topology, result.reshards, result.durations, {});
  EXPECT_EQ(timeline.totalPs, 10 + 10 + 4 + 10);
  EXPECT_EQ(timeline.getExposedPs(), 4);
  EXPECT_EQ(timeline.busyPs, (std::vector<int64_t>{30, 24}));
  std::vector<int64_t> starts;
  for (const TimelineEvent &event : timeline.events)
    if (event.reshard.isValid())
      starts.push_back(event.startPs);
  EXPECT_EQ(starts, (std::vector<int64_t>{10, 20, 24}));
}

TEST(Simulation, WithoutPrefetchEachGatherIsExposed) {
  TestProgram program("x=2");
  addGatheringLoop(program);
  Simulated plain(program);
  for (ReshardId id : idRange<ReshardId>(plain.reshards.size()))
    plain.durations.reshards[id].overlap = ReshardOverlap::None;
  Timeline timeline = simulate(program.state().topology, plain.reshards, plain.durations, {});
  EXPECT_EQ(timeline.totalPs, 4 * (4 + 10));
  // Those of the iterations that are counted, not run, too.
  EXPECT_EQ(timeline.exposedPs.raw(), (std::vector<int64_t>{16}));
}

TEST(Simulation, RoomForOneGatheredValueBoundsPrefetch) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4});
  CellId w1 = program.argument({4, 4}), w2 = program.argument({4, 4}), w3 = program.argument({4, 4});
  CellId h = program.op({x, w1}, {8, 4}, matmul);
  h = program.op({h, w2}, {8, 4}, matmul);
  program.result(program.op({h, w3}, {8, 4}, matmul));
  program.tile(x, 0, "x");
  for (CellId w : {w1, w2, w3})
    program.tile(w, 0, "x");
  // Gathers start at 0, 4 and 14, the last when the second product uses the second gathered value.
  SimulationOptions options;
  options.prefetchDepth = 1;
  Simulated bounded(program, options);
  ASSERT_EQ(bounded.reshards.size(), 3u);
  std::vector<int64_t> starts;
  for (const TimelineEvent &event : bounded.timeline.events)
    if (event.reshard.isValid())
      starts.push_back(event.startPs);
  EXPECT_EQ(starts, (std::vector<int64_t>{0, 4, 14}));
  EXPECT_EQ(bounded.timeline.totalPs, 4 + 30);
}

TEST(Simulation, AnOpMayNeedMoreGatheredValuesThanThereIsRoomFor) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w1 = program.argument({4, 4}), w2 = program.argument({4, 4});
  CellId h = program.op({x, w1, w2}, {8, 4}, "([a,b],[b,c],[b,c])->([a,c]) reduce(add)={b}");
  program.result(h);
  program.tile(x, 0, "x");
  program.tile(w1, 0, "x");
  program.tile(w2, 0, "x");
  SimulationOptions options;
  options.prefetchDepth = 1;
  Simulated result(program, options);
  ASSERT_EQ(result.reshards.size(), 2u);
  EXPECT_EQ(result.timeline.totalPs, 4 + 4 + 10);
}

TEST(Simulation, AHostThatIsSlowerThanTheDeviceSetsThePace) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w = program.argument({4, 4});
  CellId carried = program.beginLoop(x);
  CellId h = program.op({carried, w}, {8, 4}, matmul);
  program.endLoop(carried, program.elementwise({h}));
  program.result(carried);
  SimulationOptions options;
  // Eight ops are issued, the last after 8 * 15; then it runs.
  options.issuePs = 15;
  EXPECT_EQ(Simulated(program, options).timeline.totalPs, 8 * 15 + 10);
  // A faster host only delays the first op.
  options.issuePs = 3;
  EXPECT_EQ(Simulated(program, options).timeline.totalPs, 3 + 4 * 20);
}

TEST(Simulation, LargeGroupsTakeTheHostLonger) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w = program.argument({4, 4});
  program.result(program.op({x, w}, {8, 4}, matmul));
  program.tile(x, 0, "x");
  program.tile(w, 0, "x");
  SimulationOptions options;
  options.issuePs = 15;
  options.issuePeerPs = 5;
  Simulated result(program, options);
  ASSERT_EQ(result.reshards.size(), 1u);
  // The gather and the product are issued one after the other, and then the product runs.
  EXPECT_EQ(result.timeline.totalPs, 2 * 15 + 10);
  // Three peers of the gather's group.
  result.durations.reshards[ReshardId(0)].peers = 3;
  Timeline timeline = simulate(program.state().topology, result.reshards, result.durations, options);
  EXPECT_EQ(timeline.totalPs, 2 * 15 + 3 * 5 + 10);
}

TEST(Simulation, AHostsLeadIsUsedUp) {
  TestProgram program("x=2");
  CellId x = program.argument({8, 4}), w = program.argument({4, 4});
  CellId first = program.op({x, w}, {8, 4}, matmul);
  CellId carried = program.beginLoop(first);
  program.endLoop(carried, program.elementwise({carried}));
  program.result(carried);
  SimulationOptions options;
  options.issuePs = 12;
  Simulated result(program, options);
  // One op of 100 lets the host run ahead; four of 10 follow, the last issued at 5 * 12.
  for (OpId op : idRange<OpId>(program.getGraph().ops.size()))
    if (program.getGraph().ops[op].numUses == 2)
      result.durations.ops[op] = 100;
  Timeline timeline = simulate(program.state().topology, result.reshards, result.durations, options);
  EXPECT_EQ(timeline.totalPs, 12 + 100 + 4 * 10);
}

} // namespace
} // namespace partita::simulate
