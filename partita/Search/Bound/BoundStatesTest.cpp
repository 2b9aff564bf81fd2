//===- BoundStatesTest.cpp - which node states are listed -----------------===//

#include "partita/Search/Bound/BoundStates.h"

#include "partita/Testing/CostFixture.h"

#include <gtest/gtest.h>

namespace partita::search {

using namespace fixtures;
namespace {

/// x is refined into two axes of 2, which have the same factor in every tied state.
TEST(BoundStates, SubAxesAreTied) {
  CostFixture fixture(mlpGraph, "x=4", CostOptions());
  Axes axes = refineAxes(fixture.axes.mesh, fixture.graph, {"x:(1)2"});
  ASSERT_EQ(axes.size(), 2u);
  CostModel model(fixture.topology, axes, fixture.machine, fixture.placement, CostOptions(), fixture.liveTimes);
  StateEnumeration all(model, false), tied(model, true);
  size_t numAll = 0, numTied = 0;
  for (OpId op : idRange<OpId>(fixture.graph.ops.size())) {
    BoundStates states = tied.list(op);
    for (const BoundState &state : states.states)
      EXPECT_EQ(state[0], state[1]);
    numTied += states.states.size();
    numAll += all.list(op).states.size();
  }
  EXPECT_LT(numTied, numAll);
}

} // namespace
} // namespace partita::search
