//===- GraphJsonTest.cpp --------------------------------------------------===//

#include "partita/Graph/GraphJson.h"

#include <gtest/gtest.h>

namespace partita::graph {
namespace {

/// x1 = x @ w1 in a loop of three iterations, written by hand: only what is needed.
const char *const byHand = R"json({"partita_graph": 1,
"regions": [{"kind": "program"}, {"kind": "loop_body", "parent": 0, "trips": 3, "place": "m.py:4"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 6], "name": "w1", "number": 1},
  {"bits": 32, "type": "f32", "shape": [8, 6], "region": 1},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 6]}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "region": 1, "flops": 384, "operands": [0, 1], "results": [2],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [2], "results": [3],
   "rule": "([a,b])->([a,b])"}],
"donated": [0],
"mesh": [["data", 2], ["model", 4]],
"shardings": [{"cell": 0, "dims": [{"axes": ["data"], "open": true, "priority": 1}, {"axes": ["model:(2)2"]}],
               "replicated": ["model:(1)2"]}]}
)json";

std::string print(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeGraph(graph, stream);
  return text;
}

TEST(GraphJsonTest, HandWrittenFilesAreShort) {
  Result<Graph> graph = readGraph(byHand, "g.json");
  ASSERT_TRUE(bool(graph)) << graph.error().str();
  EXPECT_EQ(graph->arguments.size(), 2u);
  EXPECT_EQ(graph->getBytes(CellId(0)), 8 * 4 * 4);
  EXPECT_EQ(graph->getMultiplicity(RegionId(1)), 3);
  EXPECT_EQ(graph->ops[OpId(0)].kind, OpKind::DotGeneral);
  EXPECT_EQ(graph->ops[OpId(1)].kind, OpKind::Other);
  // k is the second factor to appear, of size 4.
  EXPECT_EQ(graph->getFactors(OpId(0))[1], (Factor{FactorKind::Reduce, Combiner::Add, 4}));
}

TEST(GraphJsonTest, ReadsWhatItWrites) {
  Result<Graph> graph = readGraph(byHand, "g.json");
  ASSERT_TRUE(bool(graph));
  Result<Graph> again = readGraph(print(*graph), "h.json");
  ASSERT_TRUE(bool(again)) << again.error().str();
  EXPECT_TRUE(*graph == *again);
  EXPECT_EQ(print(*graph), print(*again));
}

std::string errorOf(llvm::StringRef from, llvm::StringRef to) {
  std::string text = byHand;
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos);
  text.replace(at, from.size(), to.str());
  Result<Graph> graph = readGraph(text, "g.json");
  return graph ? "accepted" : graph.error().str();
}

TEST(GraphJsonTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(errorOf("\"kind\": \"stablehlo", "\"knd\": \"stablehlo").substr(0, 44),
            "g.json:9:4: error: unknown member \"knd\"\n  re");
  EXPECT_NE(errorOf("\"class\": \"contraction\"", "\"class\": \"dot\"").find("\"dot\" is no class"), std::string::npos);
  EXPECT_NE(errorOf("[0, 1]", "[0, 7]").find("g.json:9:3: error: there is no cell 7"), std::string::npos);
  EXPECT_NE(errorOf("reduce(add)={b}", "reduce(add)={e}").find("stands in no operand or result"), std::string::npos);
  EXPECT_NE(errorOf("\"parent\": 0", "\"parent\": 1").find("its parent must be an earlier region"), std::string::npos);
  EXPECT_NE(errorOf("[8, 6], \"region\": 1", "[8, 5], \"region\": 1").find("multiply to"), std::string::npos);
  EXPECT_NE(errorOf("\"partita_graph\": 1", "\"partita_graph\": 2").find("version 1"), std::string::npos);
}

TEST(GraphJsonTest, AKindFollowsFromTheName) {
  Result<Graph> graph = readGraph(byHand, "g.json");
  ASSERT_TRUE(bool(graph));
  EXPECT_FALSE(bool(verifyGraph(*graph)));
  graph->ops[OpId(0)].kind = OpKind::Reshape;
  EXPECT_TRUE(bool(verifyGraph(*graph)));
}

TEST(GraphJsonTest, ChecksShardings) {
  EXPECT_NE(errorOf("[\"data\"]", "[\"dat\"]").find("sharding 0: 'dat' is not an axis of the mesh"), std::string::npos);
  EXPECT_NE(errorOf("model:(1)2", "model:(1)4").find("'model:(1)4' stands twice"), std::string::npos);
  EXPECT_NE(errorOf("model:(1)2", "model:(1)3").find("is no part of an axis of size 4"), std::string::npos);
  EXPECT_NE(errorOf("model:(1)2", "model:(1").find("is no axis"), std::string::npos);
  EXPECT_NE(errorOf("\"cell\": 0", "\"cell\": 9").find("there is no cell 9"), std::string::npos);
  EXPECT_NE(errorOf(", {\"axes\": [\"model:(2)2\"]}", "").find("has 1 dims, the cell 2"), std::string::npos);
  EXPECT_NE(errorOf("\"priority\": 1", "\"priority\": -1").find("priority is negative"), std::string::npos);
  EXPECT_NE(errorOf("[\"data\", 2]", "[\"model\", 2]").find("needs a name of its own"), std::string::npos);
  EXPECT_NE(errorOf("[\"data\", 2]", "[\"data\"]").find("expected an axis and its size"), std::string::npos);
}

} // namespace
} // namespace partita::graph
