//===- RandomGraphTest.cpp - graphs of random ops, for tests --------------===//

#include "partita/Testing/RandomGraph.h"

#include <gtest/gtest.h>

namespace partita::fixtures {

using namespace fixtures;

TEST(RandomGraphTest, GraphsAreWellFormed) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Graph graph = buildRandomGraph(seed);
    RandomNumbers random(seed);
    for (const Graph &one : {graph, renumber(graph, random).graph}) {
      Status error = verifyGraph(one);
      ASSERT_FALSE(bool(error)) << "seed " << seed << ": " << error->str();
    }
    ASSERT_TRUE(graph == buildRandomGraph(seed));
  }
}

} // namespace partita::fixtures
