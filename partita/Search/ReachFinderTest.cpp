//===- ReachFinderTest.cpp - what tiles of tables and tokens split --------===//

#include "partita/Search/ReachFinder.h"

#include "partita/Testing/PlanningFixture.h"

using namespace partita;
using namespace partita::search;
using namespace partita::fixtures;

/// Rows of a table are looked up, and multiplied with the same table for logits.
constexpr llvm::StringLiteral lookup = R"json({"partita_graph": 1, "program": {"name": "lookup", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16, 8], "name": "table"},
  {"kind": "argument", "bits": 32, "type": "i32", "shape": [4], "name": "tokens", "number": 1},
  {"bits": 32, "type": "f32", "shape": [4, 8]}, {"bits": 32, "type": "f32", "shape": [4, 16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4, 16]}],
"ops": [
  {"kind": "stablehlo.gather", "class": "indexing", "operands": [0, 1], "results": [2],
   "rule": "([a,b],[c])->([c,b]) reduce(add)={a}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [2, 0], "results": [3],
   "rule": "([a,b],[c,b])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "operands": [3], "results": [4], "rule": "([a,b])->([a,b])"}]})json";

/// What a tile of the cell along the dim splits.
static MoveReach findReach(llvm::StringRef name, int dim) {
  PlanningFixture fixture(lookup, "x=2");
  std::string tile = "[[\"" + name.str() + "\", " + std::to_string(dim) + "]]";
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"name": "T", "axis": "x", "tile": )" + tile + "}]}"), "");
  ArgumentGroups groups;
  groups.ofCell.resize(fixture.graph.cells.size());
  ArgumentGroup table;
  table.kind = GroupKind::Parameter;
  table.members = {CellId(0)};
  table.bytes = 512;
  groups.ofCell[CellId(0)] = groups.list.push_back(table);
  std::vector<NodeId> splits;
  for (NodeId node : idRange<NodeId>(fixture.topology.getNumNodes()))
    if (fixture.assignment.getFactor(node, AxisId(0)) != noFactor)
      splits.push_back(node);
  return ReachFinder(fixture.topology, groups).find(splits, {AxisId(0)}, fixture.assignment);
}

/// A table is split where its rows are: VOCAB. What a row holds is the model's width, and tokens leave it whole.
TEST(ReachFinder, TablesAreSplitByTheirRows) {
  MoveReach rows = findReach("table", 0), columns = findReach("table", 1), tokens = findReach("tokens", 0);
  EXPECT_TRUE(rows.splitsParameters);
  EXPECT_TRUE(rows.splitsTable);
  EXPECT_TRUE(columns.splitsParameters);
  EXPECT_FALSE(columns.splitsTable);
  EXPECT_FALSE(tokens.splitsParameters);
  EXPECT_FALSE(tokens.splitsTable);
}

/// All three split the only product, each along another factor: rows its columns, columns its sum, tokens its rows.
TEST(ReachFinder, TellsFactorsOfProductsApart) {
  MoveReach rows = findReach("table", 0), columns = findReach("table", 1), tokens = findReach("tokens", 0);
  for (const MoveReach *reach : {&rows, &columns, &tokens}) {
    ASSERT_EQ(reach->products.size(), 1u);
    ASSERT_EQ(reach->productFactors.size(), 1u);
  }
  EXPECT_NE(rows.productFactors, columns.productFactors);
  EXPECT_NE(rows.productFactors, tokens.productFactors);
  EXPECT_NE(columns.productFactors, tokens.productFactors);
}
