//===- SeparatedTiesTest.cpp ----------------------------------------------===//

#include "partita/Graph/SeparatedTies.h"

#include <gtest/gtest.h>

namespace partita::graph {
namespace {

/// Cells of these sizes, of one dim each.
Graph makeCells(llvm::ArrayRef<int64_t> sizes) {
  Graph graph;
  for (int64_t size : sizes) {
    Cell cell;
    cell.firstDim = graph.sizes.size();
    cell.rank = 1;
    graph.sizes.push_back(size);
    graph.cells.push_back(cell);
  }
  return graph;
}

GivenSharding split(uint32_t cell, std::string axis) {
  GivenDim dim;
  dim.axes = {std::move(axis)};
  return {CellId(cell), {dim}, {}};
}

TEST(SeparatedTiesTest, ShardingsThatOneValueCannotHaveSeparate) {
  Graph graph = makeCells({8, 8, 8, 8, 8, 8});
  graph.ties = {{CellId(0), CellId(1)}, {CellId(2), CellId(3)}, {CellId(4), CellId(5)}};
  // The first pair contradicts itself, the second agrees, of the third only one is given.
  graph.shardings = {split(0, "x"), split(1, "y"), split(2, "x"), split(3, "x"), split(5, "x")};
  EXPECT_EQ(findSeparatedTies(graph), (std::vector<uint8_t>{1, 0, 0}));
}

TEST(SeparatedTiesTest, ShapesThatDifferSeparate) {
  Graph graph = makeCells({8, 4});
  graph.ties = {{CellId(0), CellId(1)}};
  EXPECT_EQ(findSeparatedTies(graph), std::vector<uint8_t>{1});
}

} // namespace
} // namespace partita::graph
