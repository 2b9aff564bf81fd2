//===- PlanningFixture.h - a graph, a mesh and a schedule, for tests ------===//

#ifndef PARTITA_TESTING_PLANNINGFIXTURE_H
#define PARTITA_TESTING_PLANNINGFIXTURE_H

#include "partita/Graph/GraphJson.h"
#include "partita/Schedule/PlanFile.h"
#include "partita/Testing/Rooms.h"

#include <gtest/gtest.h>

namespace partita::fixtures {

/// Specs by pattern from a file's text.
inline Result<std::vector<PartitionRule>> parseRules(llvm::StringRef text) {
  Result<JsonValue> json = parseJson(text, "rules.json");
  return json ? readPartitionRules(*json, "rules.json") : json.error();
}

/// A graph with everything needed to apply a schedule. Its parts refer to each other, so it must not be copied or
/// moved.
class PlanningFixture {
public:
  /// `rules` are bound to the graph; without an error `wrong` stays empty.
  PlanningFixture(llvm::StringRef graphText, llvm::StringRef meshText, llvm::ArrayRef<std::string> parts = {},
                  llvm::StringRef rules = "[]")
      : graph(bind(read(graphText), *parseMesh(meshText), rules)), names(graph),
        axes(refineAxes(*parseMesh(meshText), graph, parts)), topology(graph), assignment(topology, axes) {}

  /// Returns the error message; empty if there is none.
  std::string apply(llvm::StringRef scheduleText) {
    Result<Schedule> read = readSchedule(scheduleText, "s.json");
    if (!read)
      return read.error().str();
    schedule = std::move(*read);
    return take(applySchedule(*schedule, names, assignment, nullptr));
  }

  std::string replay(llvm::ArrayRef<Action> actions) {
    return take(replayActions(actions, names, assignment, nullptr));
  }

  /// The sharding of the cell with that name: `[{data}, {}]`.
  std::string getSharding(llvm::StringRef name) const {
    return printSharding(axes, assignment.getCellSharding(names.find(name)));
  }

  std::string printPlan() const {
    std::string text;
    llvm::raw_string_ostream out(text);
    writePlan({schedule ? &*schedule : nullptr, outcome, assignment, names, {}, nullptr}, out);
    return text;
  }

  /// Why the rules could not be bound, and what was said of those that could.
  std::string wrong;
  std::vector<std::string> warnings;
  Graph graph;
  CellNames names;
  Axes axes;
  Topology topology;
  Assignment assignment;
  std::optional<Schedule> schedule;
  ScheduleOutcome outcome;

private:
  Graph bind(Graph graph, const Mesh &mesh, llvm::StringRef text) {
    Result<std::vector<PartitionRule>> rules = parseRules(text);
    if (!rules) {
      wrong = rules.error().str();
      return graph;
    }
    Result<std::vector<std::string>> bound = bindPartitionRules(*rules, mesh, graph);
    if (bound)
      warnings = *bound;
    else
      wrong = bound.error().str();
    return graph;
  }
  static Graph read(llvm::StringRef text) {
    Result<Graph> graph = readGraph(text, "g.json");
    EXPECT_TRUE(bool(graph)) << graph.error().str();
    return graph ? *graph : Graph();
  }
  std::string take(Result<ScheduleOutcome> result) {
    if (!result)
      return result.error().str();
    outcome = std::move(*result);
    return "";
  }
};

/// y = relu(x @ w0) @ w1, with the names of two layers.
inline constexpr llvm::StringLiteral mlpGraph = R"json({"partita_graph": 1, "program": {"name": "mlp", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "batch['x']"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 6], "name": "params['layers'][0]['w']", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [6, 4], "name": "params['layers'][1]['w']", "number": 2},
  {"bits": 32, "type": "f32", "shape": [8, 6], "name": "jit(f)/dot", "occurrence": 0, "place": "m.py:3"},
  {"bits": 32, "type": "f32", "shape": [8, 6], "name": "jit(f)/relu", "occurrence": 0, "place": "m.py:3"},
  {"bits": 32, "type": "f32", "shape": [8, 4], "name": "jit(f)/dot", "occurrence": 1, "place": "m.py:4"},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 4], "name": "result"}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [3], "place": "m.py:3",
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.maximum", "class": "elementwise", "operands": [3], "results": [4], "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [4, 2], "results": [5], "place": "m.py:4",
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [5], "results": [6],
   "rule": "([a,b])->([a,b])"}]}
)json";

} // namespace partita::fixtures

#endif
