//===- UniformStartTest.cpp - tactics that name single layers -------------===//

#include "partita/Search/UniformStart.h"

#include "partita/Testing/RandomLayers.h"

#include <gtest/gtest.h>

using namespace partita;
using namespace partita::search;
using namespace partita::fixtures;

/// Layers with named arguments: `a0` is what enters the first one.
static Graph buildNamedLayers(uint64_t seed) {
  Graph graph = RandomLayers(seed, {7, 1, false}).build();
  for (CellId cell : graph.arguments)
    graph.cells[cell].name = graph.names.push_back("a" + std::to_string(cell.get()));
  return graph;
}

static Schedule makeTile(const Graph &graph, CellId cell) {
  std::string name = graph.getName(graph.cells[cell].name).str();
  return *readSchedule(R"({"tactics": [{"name": "T", "axis": "x", "tile": [[")" + name + R"(", 0]]}]})", "s.json");
}

/// A tile of the first layer's input treats all layers alike. A tile of a parameter of an elided layer names a single
/// layer, and so does one of a parameter of the layer that represents others.
TEST(UniformStart, TellsLayersApart) {
  int numCut = 0, numKept = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Graph graph = buildNamedLayers(seed);
    Topology whole(graph);
    Folding folding = buildFolding(whole, findRepetition(whole));
    ASSERT_TRUE(folding.isFolded());
    Axes axes = refineAxes(*parseMesh("x=2,y=2"), graph);
    EXPECT_TRUE(isUniformStart(whole, folding, axes, Schedule()));
    EXPECT_TRUE(isUniformStart(whole, folding, axes, makeTile(graph, graph.arguments[0])));
    for (CellId cell : graph.arguments) {
      CellId folded = folding.folded[cell];
      if (folding.getNumCopies(folded) == 1)
        continue;
      bool isElided = folding.origins[folded] != cell;
      EXPECT_FALSE(isUniformStart(whole, folding, axes, makeTile(graph, cell))) << "seed " << seed;
      ++(isElided ? numCut : numKept);
    }
  }
  EXPECT_GT(numCut, 0);
  EXPECT_GT(numKept, 0);
}
