//===- PipelineChoiceTest.cpp - which pipelines a search tries ------------===//

#include "partita/Variants/PipelineChoice.h"

#include <gtest/gtest.h>

using namespace partita;
using namespace partita::variants;

namespace {

/// A graph with a loop of 12 layers.
graph::Graph makeGraph() {
  graph::Graph graph;
  graph.regions.push_back({});
  graph.regions.push_back({});
  graph.regions[graph::RegionId(1)].trips = 12;
  graph.steppedDims.push_back({graph::CellId(0), 0, graph::RegionId(1)});
  return graph;
}

machine::Mesh makeMesh() { return {{{"data", 4}, {"model", 16}}}; }

} // namespace

TEST(PipelineChoice, AxesHaveAtMostAsManyStagesAsThereAreLayers) {
  std::vector<PipelineAxis> axes = listPipelines(countSteppedLayers(makeGraph()), makeMesh(), 48);
  ASSERT_EQ(axes.size(), 1u);
  EXPECT_EQ(axes[0].axis, "data");
  EXPECT_EQ(axes[0].counts, (std::vector<int64_t>{2, 4, 8, 16, 48}));
  EXPECT_EQ(axes[0].repeats, (std::vector<int64_t>{1, 3}));
  EXPECT_TRUE(listPipelines(countSteppedLayers(graph::Graph()), makeMesh(), 48).empty());
  // 126 layers in 16 stages fill 128 places.
  EXPECT_EQ(listPipelines(126, {{{"pipe", 16}}}, 48)[0].repeats, (std::vector<int64_t>{1, 2, 4, 8}));
}

TEST(PipelineChoice, ALoopMayHaveAnyNumberOfTrips) {
  std::vector<PipelineAxis> axes = listPipelines(INT64_MAX, {{{"pipe", 2}}}, 8);
  ASSERT_EQ(axes.size(), 1u);
  // One of 2^63 - 1 is left over, and a stage has 2^62 - 1. Up to 16 only 3 divides that.
  EXPECT_EQ(axes[0].repeats, (std::vector<int64_t>{1, 3}));
}

TEST(PipelineChoice, CountsClimbFromFourForEachStage) {
  std::vector<PipelineAxis> axes = listPipelines(countSteppedLayers(makeGraph()), makeMesh(), 64);
  std::vector<PipelineTrial> tried;
  std::vector<int64_t> counts;
  // 32 microbatches are the best.
  auto getTime = [](int64_t count) { return 1000 + std::abs(count - 32); };
  while (auto next = chooseNextPipeline(axes, tried, 100, 1'000'000)) {
    counts.push_back(next->microbatches);
    tried.push_back({*next, getTime(next->microbatches)});
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{16, 32, 64}));
}

TEST(PipelineChoice, TheBestCountIsTriedWithRepeats) {
  std::vector<PipelineAxis> axes = listPipelines(countSteppedLayers(makeGraph()), {{{"data", 2}}}, 8);
  std::vector<PipelineTrial> tried;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  // 4 microbatches and 3 repeats are the best.
  auto getTime = [](const PipelineVariant &pipeline) {
    return 1000 + std::abs(pipeline.microbatches - 4) + std::abs(pipeline.repeats - 3);
  };
  while (auto next = chooseNextPipeline(axes, tried, 1000, 1'000'000)) {
    pairs.emplace_back(next->microbatches, next->repeats);
    tried.push_back({*next, getTime(*next)});
  }
  EXPECT_EQ(pairs, (std::vector<std::pair<int64_t, int64_t>>{
                       {8, 1}, {4, 1}, {2, 1}, {4, 2}, {8, 2}, {2, 2}, {4, 3}, {8, 3}, {2, 3}, {4, 6}}));
  // A bubble of less than a hundredth is not worth another search.
  EXPECT_FALSE(chooseNextPipeline(axes, {{{"data", 8}, 1000000}, {{"data", 4}, 2000000}}, 1000, 10'000'000));
}

TEST(PipelineChoice, EachAxisIsTriedBeforeTheBestOneIsFollowed) {
  graph::Graph graph = makeGraph();
  machine::Mesh mesh{{{"data", 4}, {"model", 2}}};
  std::vector<PipelineAxis> axes = listPipelines(countSteppedLayers(graph), mesh, 64);
  std::vector<PipelineTrial> tried;
  std::vector<std::string> names;
  while (auto next = chooseNextPipeline(axes, tried, 100, 1'000'000)) {
    names.push_back(next->axis);
    tried.push_back({*next, next->axis == "data" ? 10000 + std::abs(next->microbatches - 16) : 20000});
  }
  EXPECT_EQ(names, (std::vector<std::string>{"model", "data", "data", "data"}));
}

TEST(PipelineChoice, IdleTimeMustBeWorthIt) {
  std::vector<PipelineAxis> axes = listPipelines(countSteppedLayers(makeGraph()), makeMesh(), 64);
  // 19 ticks for 16 microbatches.
  EXPECT_FALSE(chooseNextPipeline(axes, {}, 1600, 1900));
  EXPECT_TRUE(chooseNextPipeline(axes, {}, 1600, 1901));
}

TEST(PipelineChoice, WhatDoesNotFitIsNotFollowed) {
  std::vector<PipelineAxis> axes = listPipelines(countSteppedLayers(makeGraph()), makeMesh(), 64);
  EXPECT_FALSE(chooseNextPipeline(axes, {{{"data", 16}, std::nullopt}}, 100, 1000));
}
