//===- MemoryCurveTest.cpp - memory over the time of a step ---------------===//

#include "partita/Report/MemoryCurve.h"

#include <gtest/gtest.h>

namespace partita::report {
namespace {

using Points = std::vector<MemoryPoint>;

Graph makeGraph(std::vector<RegionId> regions) {
  Graph graph;
  graph.regions.push_back({RegionKind::Program, RegionId(), 1, NameId()});
  graph.regions.push_back({RegionKind::LoopBody, RegionId(0), 10, NameId()});
  for (RegionId region : regions) {
    Op op;
    op.region = region;
    graph.ops.push_back(op);
  }
  return graph;
}

TimelineEvent run(uint32_t op, int64_t startPs, int64_t endPs) {
  TimelineEvent event;
  event.op = OpId(op);
  event.startPs = startPs;
  event.endPs = endPs;
  return event;
}

TEST(MemoryCurve, OpsWithoutTimeCountWhereTheNextOneBegins) {
  Graph graph = makeGraph({RegionId(0), RegionId(0), RegionId(0), RegionId(0)});
  Timeline timeline;
  // The second op is fused into the third, and the last one takes no time.
  timeline.events = {run(0, 0, 10), run(2, 10, 20)};
  timeline.totalPs = 20;
  EXPECT_EQ(buildMemoryCurve(graph, timeline, {5, 9, 7, 6}), (Points{{0, 5}, {10, 9}, {20, 9}}));
}

TEST(MemoryCurve, SkippedIterationsAreAsHighAsTheLoop) {
  Graph graph = makeGraph({RegionId(0), RegionId(1), RegionId(1), RegionId(0)});
  Timeline timeline;
  TimelineEvent rest;
  rest.startPs = 30;
  rest.endPs = 210;
  rest.loop = RegionId(1);
  rest.iterations = 9;
  timeline.events = {run(0, 0, 10), run(1, 10, 20), run(2, 20, 30), rest, run(3, 210, 220)};
  EXPECT_EQ(buildMemoryCurve(graph, timeline, {1, 8, 3, 2}), (Points{{0, 1}, {10, 8}, {20, 3}, {30, 8}, {210, 2}}));
}

TEST(MemoryCurve, ThinnedItKeepsItsPeak) {
  Points curve;
  for (int64_t i = 0; i < 1000; ++i)
    curve.push_back({i, i == 777 ? 50 : i % 10});
  Points thin = thinMemoryCurve(curve, 20);
  EXPECT_LE(thin.size(), 20u);
  EXPECT_TRUE(llvm::is_contained(thin, MemoryPoint{777, 50}));
  EXPECT_EQ(thinMemoryCurve(curve, 1000), curve);
}

} // namespace
} // namespace partita::report
