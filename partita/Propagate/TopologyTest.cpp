//===- TopologyTest.cpp - the graph, indexed ------------------------------===//

#include "partita/Propagate/Topology.h"

#include <gtest/gtest.h>

namespace partita::propagate {

namespace {

TEST(TopologyTest, ALoopIsItsBodyAndItsOwnCondition) {
  Graph graph;
  auto add = [&](RegionKind kind, RegionId parent) { return graph.regions.push_back({kind, parent, 1, NameId()}); };
  RegionId program = add(RegionKind::Program, RegionId());
  RegionId condition = add(RegionKind::LoopCondition, program), body = add(RegionKind::LoopBody, program);
  RegionId branchOfCondition = add(RegionKind::Branch, condition), branchOfBody = add(RegionKind::Branch, body);
  RegionId laterCondition = add(RegionKind::LoopCondition, program), laterBody = add(RegionKind::LoopBody, program);
  for (RegionId region : {condition, body, branchOfCondition, branchOfBody})
    EXPECT_TRUE(isOfLoop(graph, region, body)) << region.get();
  // A later loop may use the value that this one leaves, also in its condition.
  for (RegionId region : {program, laterCondition, laterBody})
    EXPECT_FALSE(isOfLoop(graph, region, body)) << region.get();
}

} // namespace

} // namespace partita::propagate
