//===- TacticsTest.cpp ----------------------------------------------------===//

#include "partita/Schedule/Tactics.h"

#include "partita/Testing/PlanningFixture.h"

namespace partita::schedule {

using namespace fixtures;
namespace {

/// s = x @ x^T: the rows of x are rows and columns of s.
const char *const squareGraph = R"json({"partita_graph": 1, "regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"bits": 32, "type": "f32", "shape": [8, 8], "name": "jit(f)/dot", "occurrence": 0, "place": "m.py:3"},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 8], "name": "s"}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 0], "results": [1], "place": "m.py:3",
   "rule": "([a,b],[c,b])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [1], "results": [2],
   "rule": "([a,b])->([a,b])"}]}
)json";

/// A loop over 4 layers steps through dim 0 of the stacked weight w; m is its moment.
const char *const stackedGraph = R"json({"partita_graph": 1,
"regions": [{"kind": "program"}, {"kind": "loop_body", "parent": 0, "trips": 4}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 6, 8], "name": "w"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 6, 8], "name": "m", "number": 1},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [4, 6, 8], "name": "while", "occurrence": 0, "region": 1},
  {"bits": 32, "type": "f32", "shape": [4, 6, 8], "name": "add", "occurrence": 0},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4, 6, 8], "name": "r"}],
"ops": [
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [0], "results": [2],
   "rule": "([a,b,c])->([a,b,c])"},
  {"kind": "stablehlo.add", "class": "elementwise", "operands": [0, 1], "results": [3], "rule": "([a,b,c],[a,b,c])->([a,b,c])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [3], "results": [4],
   "rule": "([a,b,c])->([a,b,c])"}],
"stepped": [[2, 0, 1]]}
)json";

void expectError(const std::string &error, llvm::StringRef part) {
  EXPECT_NE(error.find(part.str()), std::string::npos) << "error is: " << error;
}

TEST(TacticsTest, AssignSplitsOneOpAlone) {
  PlanningFixture fixture(squareGraph, "a=2,b=2");
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"name": "K", "axis": "a", "assign": [["jit\\(f\\)/dot#0", 1]]},
                                          {"name": "R", "axis": "b", "assign": [["jit\\(f\\)/dot#0", 0]]}]})"),
            "");
  NodeId dot = fixture.assignment.getTopology().getNode(OpId(0));
  EXPECT_EQ(fixture.assignment.getFactor(dot, AxisId(0)), 1);
  EXPECT_EQ(fixture.assignment.getFactor(dot, AxisId(1)), 0);
  EXPECT_EQ(fixture.getSharding("x"), "[{}, {}]");
  EXPECT_EQ(fixture.getSharding("s"), "[{}, {}]");
  ASSERT_EQ(fixture.outcome.actions.size(), 2u);
  EXPECT_EQ(fixture.outcome.actions[0].kind, ActionKind::Assign);
}

TEST(TacticsTest, AssignSaysWhyNot) {
  auto errorOf = [](const std::string &entries) {
    PlanningFixture fixture(squareGraph, "a=2,c=3");
    return fixture.apply("{\"tactics\": [{\"axis\": " + entries + "}]}");
  };
  std::string dot = R"("jit\\(f\\)/dot#0")";
  expectError(errorOf("\"a\", \"assign\": [[" + dot + ", 7]]"), "its op has 3 factors, counted from 0");
  expectError(errorOf("\"c\", \"assign\": [[" + dot + ", 0]]"), "does not divide by 3");
  expectError(errorOf("\"a\", \"assign\": [[" + dot + ", 0], [" + dot + ", 1]]"), "already splits another factor");
  expectError(errorOf("\"a\", \"assign\": [[\"x\", 0]]"), "no single op defines it");
}

TEST(TacticsTest, TilesSpreadAndAreReported) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["batch/.*", 0]]},
                                          {"name": "MP", "axis": "model", "tile": [["params/layers/0/w", 1]]}]})"),
            "");
  EXPECT_EQ(fixture.getSharding("batch['x']"), "[{data}, {}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][0]['w']"), "[{}, {model}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{model}, {}]");
  EXPECT_EQ(fixture.getSharding("jit(f)/dot#0"), "[{data}, {model}]");
  EXPECT_EQ(fixture.getSharding("result"), "[{data}, {}]");
  ASSERT_EQ(fixture.outcome.reports.size(), 2u);
  const TacticReport &second = fixture.outcome.reports[1];
  EXPECT_EQ(second.entries[0].matched, 1u);
  EXPECT_EQ(second.entries[0].applied, 1u);
  // dot, relu and dot; the second dot gives a partial sum that is reduced for the result.
  EXPECT_EQ(second.numSplitOps, 3u);
  // They have different types, so they are not one group.
  ASSERT_EQ(second.tiled.size(), 2u);
  EXPECT_EQ(second.tiled[0].name, "params['layers'][*]['w']");
  EXPECT_EQ(second.tiled[0].type, "tensor<4x6xf32>");
  EXPECT_EQ(second.tiled[0].bytes, 4 * 6 * 4);
  EXPECT_EQ(second.tiled[0].localBytes, 4 * 6 * 4 / 2);
  EXPECT_TRUE(second.wholeArguments.empty());
  EXPECT_EQ(fixture.outcome.reports[0].wholeArguments.size(), 2u);
  EXPECT_EQ(fixture.outcome.actions.size(), 2u);
}

TEST(TacticsTest, AnArgumentThatIsCutIsBoundAlone) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  EXPECT_EQ(fixture.apply(R"({"tactics": [
    {"name": "A", "axis": "model", "cut": ["params/layers/0/w"], "tile": [["params/layers/0/w", 1]]}]})"),
            "");
  EXPECT_EQ(fixture.getSharding("params['layers'][0]['w']"), "[{}, {model}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{}, {}]");
  // The same tile again, not cut, propagates.
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"name": "B", "axis": "model", "tile": [["params/layers/0/w", 1]]}]})"), "");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{model}, {}]");
}

TEST(TacticsTest, WhatCannotApplyIsAnErrorThatChangesNothing) {
  PlanningFixture fixture(mlpGraph, "data=2,model=4,one=1");
  size_t mark = fixture.assignment.mark();
  auto expect = [&](llvm::StringRef tactics, llvm::StringRef part) {
    expectError(fixture.apply(("{\"tactics\": [" + tactics + "]}").str()), part);
    EXPECT_EQ(fixture.assignment.mark(), mark);
  };
  expect(R"({"axis": "dat", "tile": [["batch/.*", 0]]})", "s.json:1:23: error: 'dat' is not an axis of the mesh");
  expect(R"({"axis": "dat"})", "did you mean 'data'?");
  expect(R"({"axis": "expert"})", "its axes are data, model, one");
  expect(R"({"axis": "data", "tile": [["bach/.*", 0]]})",
         "s.json:1:41: error: tactic 'tactic': the pattern 'bach/.*' matches no");
  expect(R"({"axis": "data", "tile": [["batch/.*", 2]]})",
         "cannot tile batch['x'] (tensor<8x4xf32>) along dim 2 over 'data': it has 2 dims");
  expect(R"({"axis": "model", "tile": [["params/layers/1/w", 0]]})",
         "its dim 0 of size 6 does not divide by the 4 devices of 'model'");
  expect(R"({"name": "A", "axis": "data", "tile": [["batch/.*", 0]]},
            {"name": "B", "axis": "data", "tile": [["batch/.*", 1]]})",
         "'data' already splits its dim 0, since tactic 'A'");
  expect(R"({"name": "A", "axis": "data", "tile": [["batch/.*", 0]]},
            {"name": "B", "axis": "data", "atomic": ["batch/x"]})",
         "cannot atomic batch['x'] (tensor<8x4xf32>) over 'data': 'data' already splits its dim 0, since tactic 'A'");
  expect(R"({"name": "A", "axis": "data", "atomic": ["batch/.*"]},
            {"name": "B", "axis": "data", "tile": [["batch/.*", 0]]})",
         "it is replicated over 'data', since tactic 'A'");
  expect(R"({"axis": "data", "side": [["batch/.*", 7]]})", "it has 2 dims");
  // One that cannot be reached after one that could.
  expect(R"({"axis": "data", "tile": [["batch/.*", 0], ["params/layers/0/w", 9]]})", "it has 2 dims");
}

TEST(TacticsTest, OptionalTacticsReportWhatCannotApply) {
  PlanningFixture fixture(mlpGraph, "data=2,model=4");
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"axis": "model", "optional": true,
                              "tile": [["nothing", 0], ["params/layers/1/w", 0], ["batch/x", 1]]}]})"),
            "");
  const TacticReport &report = fixture.outcome.reports[0];
  ASSERT_EQ(report.refused.size(), 2u);
  EXPECT_EQ(report.refused[0], "the pattern 'nothing' matches no value of the program");
  expectError(report.refused[1], "does not divide by the 4 devices");
  EXPECT_EQ(fixture.getSharding("batch['x']"), "[{}, {model}]");
  EXPECT_EQ(fixture.outcome.actions.size(), 1u);
}

TEST(TacticsTest, AnAxisOfOneDeviceDoesNothing) {
  PlanningFixture fixture(mlpGraph, "data=2,one=1");
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"axis": "one", "tile": [["batch/.*", 0]]}]})"), "");
  EXPECT_EQ(fixture.getSharding("batch['x']"), "[{}, {}]");
  EXPECT_EQ(fixture.outcome.reports[0].entries[0].applied, 1u);
}

TEST(TacticsTest, PartsOfAnAxisAreStepsMajorToMinor) {
  PlanningFixture fixture(mlpGraph, "model=4", {"model:(1)2"});
  ASSERT_EQ(fixture.axes.size(), 2u);
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"name": "A", "axis": "model:(1)2", "tile": [["params/layers/1/w", 0]]},
                                          {"name": "B", "axis": "model:(2)2", "tile": [["batch/.*", 0]]}]})"),
            "");
  EXPECT_EQ(fixture.getSharding("jit(f)/dot#0"), "[{model:(2)2}, {model:(1)2}]");
  // 8 rows divide by all of it: one name again. 6 do not, though the major part of the axis fits.
  PlanningFixture whole(mlpGraph, "model=4", {"model:(1)2"});
  EXPECT_EQ(whole.apply(R"({"tactics": [{"axis": "model", "tile": [["batch/.*", 0]]}]})"), "");
  EXPECT_EQ(whole.getSharding("batch['x']"), "[{model}, {}]");
  PlanningFixture uneven(mlpGraph, "model=4", {"model:(1)2"});
  expectError(uneven.apply(R"({"tactics": [{"axis": "model", "tile": [["params/layers/1/w", 0]]}]})"),
              "of which each device has 3, does not divide by the 2 devices of 'model:(2)2'");
  EXPECT_EQ(uneven.getSharding("params['layers'][1]['w']"), "[{}, {}]");
}

TEST(TacticsTest, ConflictsSayHowToChoose) {
  PlanningFixture fixture(squareGraph, "data=2");
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"axis": "data", "tile": [["x", 0]]}]})"), "");
  const TacticReport &report = fixture.outcome.reports[0];
  ASSERT_EQ(report.conflicts.size(), 1u);
  const ConflictReport &conflict = report.conflicts[0];
  EXPECT_EQ(conflict.ops, (std::vector<std::string>{"m.py:3 stablehlo.dot_general", "identity"}));
  ASSERT_EQ(conflict.sides.size(), 2u);
  EXPECT_EQ(fixture.getSharding("jit(f)/dot#0"), "[{}, {}]");
  // Each side is chosen if a schedule names it as the report does.
  for (auto [number, sharding] : {std::pair(0, "[{data}, {}]"), std::pair(1, "[{}, {data}]")}) {
    const ConflictReport::Side &side = conflict.sides[number];
    PlanningFixture chosen(squareGraph, "data=2");
    std::string text;
    llvm::raw_string_ostream(text) << R"({"tactics": [{"axis": "data", "tile": [["x", 0]], "side": [[)"
                                   << llvm::json::Value(side.pattern) << ", " << side.dim << "]]}]}";
    EXPECT_EQ(chosen.apply(text), "");
    EXPECT_TRUE(chosen.outcome.reports[0].conflicts.empty());
    EXPECT_EQ(chosen.getSharding("jit(f)/dot#0"), sharding);
  }
}

TEST(TacticsTest, LaterTilesOfATacticChooseForEarlierOnes) {
  PlanningFixture fixture(squareGraph, "data=2");
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"axis": "data", "tile": [["x", 0], ["s", 1]]}]})"), "");
  EXPECT_TRUE(fixture.outcome.reports[0].conflicts.empty());
  EXPECT_EQ(fixture.getSharding("s"), "[{}, {data}]");
}

TEST(TacticsTest, FirstDivisibleSkipsDimsThatLoopsStepThrough) {
  PlanningFixture fixture(stackedGraph, "data=2,model=4");
  // Of 4 x 6 x 8: dim 0 is stepped, in the loop and so in the moment; 6 divides by 2, not by 4.
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"axis": "data", "tile": [["m", "first_divisible"]]},
                                          {"axis": "model", "tile": [["w", "first_divisible"]]}]})"),
            "");
  EXPECT_EQ(fixture.getSharding("m"), "[{}, {data}, {model}]");
  EXPECT_EQ(fixture.getSharding("w"), "[{}, {data}, {model}]");
  PlanningFixture none(stackedGraph, "data=5");
  EXPECT_EQ(none.apply(R"({"tactics": [{"axis": "data", "tile": [["[mw]", "first_divisible"]]}]})"), "");
  EXPECT_EQ(none.outcome.reports[0].entries[0].skipped, 2u);
  EXPECT_TRUE(none.outcome.actions.empty());
}

TEST(TacticsTest, TheFirstOfSeveralDimsThatCanBeSplitIs) {
  PlanningFixture fixture(mlpGraph, "data=2,model=3");
  // 4 x 6 and 6 x 4: 3 divides 6 alone; the second follows from the first along its rows, which is its other dim.
  EXPECT_EQ(fixture.apply(R"({"tactics": [
      {"axis": "model", "tile": [["params/layers/0/w", [0, 1]], ["params/layers/1/w", [1, 0]]]}]})"),
            "");
  EXPECT_EQ(fixture.getSharding("params['layers'][0]['w']"), "[{}, {model}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{model}, {}]");
  EXPECT_EQ(fixture.outcome.reports[0].entries[1].applied, 1u);
  EXPECT_TRUE(fixture.outcome.reports[0].refused.empty());
  PlanningFixture none(mlpGraph, "data=5");
  EXPECT_NE(none.apply(R"({"tactics": [{"axis": "data", "tile": [["params/layers/0/w", [1, 0]]]}]})"), "");
}

TEST(TacticsTest, CutsEndWithTheirTactic) {
  PlanningFixture fixture(mlpGraph, "data=2");
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"axis": "data", "cut": ["jit\\(f\\)/dot#0"], "tile": [["batch/x", 0]]}]})"),
            "");
  EXPECT_EQ(fixture.getSharding("jit(f)/dot#0"), "[{data}, {}]");
  EXPECT_EQ(fixture.getSharding("jit(f)/relu#0"), "[{}, {}]");
  PlanningFixture second(mlpGraph, "data=2");
  EXPECT_EQ(second.apply(R"({"tactics": [{"axis": "data", "cut": ["jit\\(f\\)/dot#0"], "tile": [["batch/x", 0]]},
                                         {"axis": "data", "tile": [["result", 0]]}]})"),
            "");
  EXPECT_EQ(second.getSharding("jit(f)/relu#0"), "[{data}, {}]");
}

} // namespace
} // namespace partita::schedule
