//===- ShardingDumpTest.cpp -----------------------------------------------===//

#include "partita/Schedule/ShardingDump.h"

#include "partita/Testing/PlanningFixture.h"

#include "gmock/gmock.h"

namespace partita::schedule {

using namespace fixtures;
namespace {

using testing::HasSubstr;

/// The rules of a dump; the message goes to `wrong`.
static std::vector<PartitionRule> readRules(llvm::StringRef text, std::string &wrong) {
  Result<JsonValue> json = parseJson(text, "dump.json");
  EXPECT_TRUE(bool(json) && isShardingDump(*json));
  Result<ShardingDump> dump = readShardingDump(*json, "dump.json");
  if (dump)
    return dump->rules;
  wrong = dump.error().str();
  return {};
}

/// The error message; empty if there is none. The fixture's graph is given the shardings.
static std::string applyDump(PlanningFixture &fixture, llvm::StringRef text) {
  std::string wrong;
  std::vector<PartitionRule> rules = readRules(text, wrong);
  if (!wrong.empty())
    return wrong;
  if (auto bound = bindPartitionRules(rules, fixture.axes.mesh, fixture.graph); !bound)
    return bound.error().str();
  return fixture.apply(R"({"tactics": []})");
}

constexpr const char *mesh = R"("mesh": {"axis_names": ["data", "stage", "model"],
                                         "shape": {"data": 2, "stage": 1, "model": 2}})";

static std::string makeDump(llvm::StringRef first, llvm::StringRef second) {
  return "{\"['layers']/[0]/['w']\": {" + std::string(mesh) + ", \"partition_spec\": " + first.str() +
         "},\n\"['layers']/[1]/['w']\": {" + std::string(mesh) + ", \"partition_spec\": " + second.str() + "}}";
}

TEST(ShardingDump, SpecsOfArraysByTheirPaths) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  EXPECT_EQ(applyDump(fixture, makeDump(R"([null, ["stage", "model"]])", R"(["model", "data"])")), "");
  EXPECT_EQ(fixture.getSharding("params['layers'][0]['w']"), "[{}, {model}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{model}, {data}]");
}

TEST(ShardingDump, TheMeshHasTheAxesThatSplit) {
  Result<JsonValue> json = parseJson(makeDump("[]", "[]"), "dump.json");
  EXPECT_EQ(readShardingDump(*json, "dump.json")->mesh->str(), "data=2,model=2");
}

TEST(ShardingDump, RulesTakeTheirTurns) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  // `embed` may not take model, because `mlp` has it; its second rule gives it data.
  EXPECT_EQ(applyDump(fixture, R"({"logical_axis_rules": [["mlp", "model"], ["embed", ["model"]], ["embed", "data"]],
    "logical_axes": {"['layers']/[0]/['w']": ["embed", "mlp"], "['layers']/[1]/['w']": [null, "embed"]}})"),
            "");
  EXPECT_EQ(fixture.getSharding("params['layers'][0]['w']"), "[{data}, {model}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{}, {model}]");
}

TEST(ShardingDump, WhatIsWrongHasItsPlace) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  auto refuse = [&](llvm::StringRef text) { return applyDump(fixture, text); };
  EXPECT_THAT(refuse(R"({".w": {"partition_spec": []}})"),
              HasSubstr("dump.json:1:2: error: the pattern '[A-Za-z0-9_]*\\.w' matches no argument"));
  EXPECT_THAT(refuse(R"({".w": {"partition_spec": []}, ".v": {"spec": []}})"),
              HasSubstr("dump.json:1:32: error: '.v' has no \"partition_spec\""));
  EXPECT_THAT(refuse(R"({".w": {"partition_spec": [3]}})"), HasSubstr("dump.json:1:28: error: what splits a dim"));
  EXPECT_THAT(refuse(R"({".w": {"mesh": {}, "partition_spec": []}})"), HasSubstr("\"mesh\" has no \"shape\""));
  EXPECT_THAT(refuse(R"({".w": {"mesh": {"axis_names": ["a"], "shape": {}}, "partition_spec": []}})"),
              HasSubstr("dump.json:1:33: error: \"shape\" has no size for the axis 'a'"));
  EXPECT_THAT(refuse(R"({".w": {"mesh": {"shape": {"a": 2}}, "partition_spec": []},
                         ".v": {"mesh": {"shape": {"a": 4}}, "partition_spec": []}})"),
              HasSubstr("dump.json:2:41: error: this mesh is a=4, but that of arrays before it is a=2"));
  EXPECT_THAT(refuse(R"({"logical_axis_rules": [], "logical_axes": {".w": ["mlp"]}})"),
              HasSubstr("dump.json:1:52: error: no rule names the dim 'mlp'"));
  EXPECT_THAT(refuse(R"({"logical_axis_rules": [["mlp"]], "logical_axes": {}})"), HasSubstr("a rule is a pair"));
  EXPECT_THAT(refuse(R"({"logical_axis_rules": [], "axes": {}})"),
              HasSubstr("dump.json:1:28: error: unknown key \"axes\""));
}

} // namespace
} // namespace partita::schedule
