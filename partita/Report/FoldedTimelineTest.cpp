//===- FoldedTimelineTest.cpp - loops as blocks, short events as one ------===//

#include "partita/Report/FoldedTimeline.h"

#include <gtest/gtest.h>

namespace partita::report {
namespace {

const RegionId program(0), loop(1), inner(2);

/// A program with a loop of ten iterations, in which another runs three times.
Graph makeGraph() {
  Graph graph;
  graph.regions.push_back({RegionKind::Program, RegionId(), 1, NameId()});
  graph.regions.push_back({RegionKind::LoopBody, program, 10, NameId()});
  graph.regions.push_back({RegionKind::LoopBody, loop, 3, NameId()});
  return graph;
}

TEST(FoldedTimeline, ALoopIsABlockOfItsFirstIteration) {
  LaneEvents given{{"compute", "data"}, {}, 1100};
  given.events = {{0, 0, 100, program, "embed", "m.py:1", 0},
                  {0, 100, 150, loop, "dot", "m.py:2", 0},
                  {1, 150, 200, loop, "all_gather", "m.py:3", 0},
                  {0, 200, 1100, loop, "9 more iterations", "m.py:2", 9}};
  FoldedTimeline folded = foldTimeline(makeGraph(), given);
  ASSERT_EQ(folded.blocks.size(), 2u);
  EXPECT_EQ(folded.blocks[0].events.size(), 1u);
  const FoldedBlock &block = folded.blocks[1];
  EXPECT_EQ(std::tuple(block.parent, block.startPs, block.endPs, block.loopEndPs, block.iterations, block.simulated),
            std::tuple(0u, 100, 200, 1100, 10, 1));
  ASSERT_EQ(block.events.size(), 2u);
  EXPECT_EQ(folded.strings[block.events[1].name], "all_gather");
  EXPECT_EQ(folded.strings[block.events[1].loc], "m.py:3");
  EXPECT_EQ(block.busyPs, (std::vector<int64_t>{50, 50}));
  // 100 before the loop, and ten times 50.
  EXPECT_EQ(folded.blocks[0].busyPs, (std::vector<int64_t>{600, 500}));
}

TEST(FoldedTimeline, ALoopInALoopIsABlockOfThat) {
  LaneEvents given{{"compute"}, {}, 400};
  given.events = {{0, 0, 10, inner, "dot", "", 0},
                  {0, 10, 30, inner, "2 more iterations", "", 2},
                  {0, 30, 40, loop, "add", "", 0},
                  {0, 40, 400, loop, "9 more iterations", "", 9}};
  FoldedTimeline folded = foldTimeline(makeGraph(), given);
  ASSERT_EQ(folded.blocks.size(), 3u);
  EXPECT_EQ(folded.blocks[1].parent, 0u);
  EXPECT_EQ(folded.blocks[2].parent, 1u);
  EXPECT_EQ(folded.blocks[1].endPs, 40);
  EXPECT_EQ(folded.blocks[2].loopEndPs, 30);
  EXPECT_EQ(folded.blocks[1].busyPs.front(), 40);
}

TEST(FoldedTimeline, ALoopsConditionIsAPartOfIt) {
  Graph graph = makeGraph();
  graph.regions.push_back({RegionKind::LoopCondition, program, 6, NameId()});
  graph.regions.push_back({RegionKind::LoopBody, program, 5, NameId()});
  LaneEvents given{{"compute"}, {}, 50};
  given.events = {{0, 0, 2, RegionId(3), "compare", "", 0},
                  {0, 2, 10, RegionId(4), "dot", "", 0},
                  {0, 10, 50, RegionId(4), "4 more iterations", "", 4}};
  FoldedTimeline folded = foldTimeline(graph, given);
  ASSERT_EQ(folded.blocks.size(), 2u);
  EXPECT_EQ(folded.blocks[1].events.size(), 2u);
  EXPECT_EQ(folded.blocks[0].busyPs.front(), 50);
}

TEST(FoldedTimeline, AProgramOfManyOpsStaysSmall) {
  LaneEvents given{{"compute"}, {}, 100'000};
  for (int64_t i = 0; i < 100'000; ++i)
    given.events.push_back({0, i, i + 1, program, "op" + std::to_string(i), "", 0});
  FoldedTimeline folded = foldTimeline(makeGraph(), given, {100, 10, 600});
  EXPECT_LE(folded.countEvents(), 100u);
  EXPECT_LE(folded.strings.size(), 101u);
  int64_t count = 0;
  for (const FoldedEvent &event : folded.blocks[0].events)
    count += event.count;
  EXPECT_EQ(count, 100'000);
}

TEST(FoldedTimeline, BeyondTheMostBlocksLoopsAreDrawnInTheBlockAround) {
  LaneEvents given{{"compute"}, {}, 30};
  given.events = {{0, 0, 10, loop, "dot", "", 0}, {0, 10, 30, loop, "2 more iterations", "", 2}};
  FoldedTimeline folded = foldTimeline(makeGraph(), given, {100, 1, 600});
  ASSERT_EQ(folded.blocks.size(), 1u);
  EXPECT_EQ(folded.blocks[0].events.size(), 2u);
}

} // namespace
} // namespace partita::report
