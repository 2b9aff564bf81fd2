//===- PresetsTest.cpp ----------------------------------------------------===//

#include "partita/Schedule/Presets.h"

#include "partita/Testing/PlanningFixture.h"

namespace partita::schedule {

using namespace fixtures;
namespace {

/// q = x wq, k = x wk, s = q k for each of a batch, and 2 heads of 4.
const char *const scoresGraph = R"json({"partita_graph": 1, "regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 3, 16], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16, 2, 4], "name": "params['k']", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16, 2, 4], "name": "params['q']", "number": 2},
  {"kind": "argument", "bits": 32, "type": "ui32", "shape": [2], "name": "key", "number": 3},
  {"bits": 32, "type": "f32", "shape": [8, 3, 2, 4], "name": "q", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [8, 3, 2, 4], "name": "k", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [8, 2, 3, 3], "name": "s", "occurrence": 0},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 2, 3, 3], "name": "result"}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 2], "results": [4],
   "rule": "([b,t,d],[d,h,e])->([b,t,h,e]) reduce(add)={d}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [5],
   "rule": "([b,t,d],[d,h,e])->([b,t,h,e]) reduce(add)={d}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [4, 5], "results": [6],
   "rule": "([b,t,h,e],[b,u,h,e])->([b,h,t,u]) reduce(add)={e}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [6], "results": [7],
   "rule": "([a,b,c,d])->([a,b,c,d])"}]}
)json";

/// h = x w, and the norm of each row of it.
const char *const normGraph = R"json({"partita_graph": 1, "regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16, 4], "name": "params['w']", "number": 1},
  {"bits": 32, "type": "f32", "shape": [8, 4], "name": "h", "occurrence": 0},
  {"bits": 32, "type": "f32", "shape": [8], "name": "n", "occurrence": 0},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8], "name": "result"}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [2],
   "rule": "([b,d],[d,e])->([b,e]) reduce(add)={d}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [2, 2], "results": [3],
   "rule": "([b,e],[b,e])->([b]) reduce(add)={e}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [3], "results": [4],
   "rule": "([a])->([a])"}]}
)json";

/// The expanded schedule, or the error.
std::string expand(llvm::StringRef graphText, llvm::StringRef scheduleText) {
  PlanningFixture fixture(graphText, "data=2,model=2");
  Result<Schedule> schedule = readSchedule(scheduleText, "s.json");
  if (!schedule)
    return schedule.error().str();
  const Topology &topology = fixture.assignment.getTopology();
  Result<Schedule> expanded = expandPresets(std::move(*schedule), topology, CellNames(topology.getGraph()));
  if (!expanded)
    return expanded.error().str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  writeSchedule(*expanded, json);
  return text;
}

TEST(PresetsTest, TakeTheirPlaceAmongTactics) {
  EXPECT_EQ(expand(mlpGraph, R"({"tactics": [{"axis": "model", "tile": [["batch.*", 1]]},
                                             {"preset": "fsdp", "axis": "data"},
                                             {"preset": "zero3", "axis": "model", "state": "params.*"}]})"),
            R"({"tactics":[{"name":"tactic","axis":"model","tile":[["batch.*",1]]},)"
            R"({"name":"data_parallel","axis":"data","tile":[["batch\\['x'\\]",0]]},)"
            R"({"name":"zero3","axis":"data","tile":[["params\\['layers'\\]\\[0\\]\\['w'\\]","first_divisible"],)"
            R"(["params\\['layers'\\]\\[1\\]\\['w'\\]","first_divisible"]],"optional":true},)"
            R"json({"name":"zero3 (2)","axis":"model","tile":[["params.*","first_divisible"]],"optional":true}]})json");
}

TEST(PresetsTest, MegatronSplitsOutputsAndThenInputs) {
  EXPECT_EQ(expand(mlpGraph, R"({"tactics": [{"preset": "megatron", "axis": "model"}]})"),
            R"({"tactics":[{"name":"megatron","axis":"model","tile":[["params\\['layers'\\]\\[0\\]\\['w'\\]",[1,0]],)"
            R"(["params\\['layers'\\]\\[1\\]\\['w'\\]",[1,0]]],"optional":true}]})");
  EXPECT_EQ(expand(mlpGraph, R"({"tactics": [{"preset": "megatron", "axis": "model", "name": "MP",
                                              "column": ["result", "params/.*/0/w"], "row": "params/.*/1/w"}]})"),
            R"({"tactics":[{"name":"MP","axis":"model","tile":[["params\\['layers'\\]\\[0\\]\\['w'\\]",1],)"
            R"(["params\\['layers'\\]\\[1\\]\\['w'\\]",0]],"optional":true}]})");
}

// Dim 2 is larger, and the product of queries and keys sums over it. Keys of random numbers are no parameters.
TEST(PresetsTest, MegatronSplitsHeads) {
  EXPECT_EQ(expand(scoresGraph, R"({"tactics": [{"preset": "megatron", "axis": "model"}]})"),
            R"({"tactics":[{"name":"megatron","axis":"model","tile":[["params\\['q'\\]",1],["params\\['k'\\]",1]],)"
            R"("optional":true}]})");
  EXPECT_EQ(expand(scoresGraph, R"({"tactics": [{"preset": "zero3", "axis": "data"}]})"),
            R"({"tactics":[{"name":"zero3","axis":"data","tile":[["params\\['k'\\]","first_divisible"],)"
            R"(["params\\['q'\\]","first_divisible"]],"optional":true}]})");
}

// A norm sums over the outputs, but is no attention.
TEST(PresetsTest, MegatronSplitsWhatANormIsTakenOf) {
  EXPECT_EQ(expand(normGraph, R"({"tactics": [{"preset": "megatron", "axis": "model"}]})"),
            R"({"tactics":[{"name":"megatron","axis":"model","tile":[["params\\['w'\\]",[1,0]]],"optional":true}]})");
}

TEST(PresetsTest, SayWhatIsMissing) {
  const char *const square = R"json({"partita_graph": 1, "regions": [{"kind": "program"}],
"cells": [{"kind": "argument", "bits": 32, "type": "f32", "shape": [], "name": "x"},
          {"kind": "result", "bits": 32, "type": "f32", "shape": [], "name": "y"}],
"ops": [{"kind": "identity", "class": "identity", "role": "result", "operands": [0], "results": [1], "rule": "([])->([])"}]}
)json";
  EXPECT_NE(expand(square, R"({"tactics": [{"preset": "fsdp", "axis": "data"}]})").find("s.json:1:14: "),
            std::string::npos);
  EXPECT_NE(expand(square, R"({"tactics": [{"preset": "fsdp", "axis": "data"}]})").find("looks like a batch"),
            std::string::npos);
  EXPECT_NE(expand(square, R"({"tactics": [{"preset": "megatron", "axis": "data"}]})").find("is a matrix"),
            std::string::npos);
  EXPECT_EQ(expand(square, R"({"tactics": [{"preset": "megatron", "axis": "data", "optional": true}]})"),
            R"({"tactics":[{"name":"megatron","axis":"data","optional":true}]})");
}

} // namespace
} // namespace partita::schedule
