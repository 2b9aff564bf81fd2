//===- PlanFileTest.cpp ---------------------------------------------------===//

#include "partita/Testing/PlanningFixture.h"

namespace partita::schedule {

using namespace fixtures;
namespace {

const char *const schedule = R"({"tactics": [
  {"name": "A", "axis": "data", "cut": ["jit\\(f\\)/dot#0"], "tile": [["batch/x", 0]]},
  {"name": "B", "axis": "model:(1)2", "atomic": ["params/layers/1/w"], "tile": [["batch/x", "first_divisible"]]},
  {"name": "C", "axis": "data", "tile": [["result", 0]], "optional": true},
  {"name": "E", "axis": "model:(2)2", "assign": [["jit\\(f\\)/dot#1", 1]],
   "group": [["batch/x", ["jit\\(f\\)/dot#0"]]], "optional": true},
  {"name": "D", "axis": "model:(2)2", "side": [["result", 1]], "tile": [["nothing", 0]], "optional": true},
  {"name": "F", "axis": "data", "tile": [["params/layers/1/w", [2, 1]]]}]})";

TEST(PlanTest, ActionsReplayToTheSameAssignmentAndBytes) {
  PlanningFixture fixture(mlpGraph, "data=2,model=4", {"model:(1)2"});
  ASSERT_EQ(fixture.apply(schedule), "");
  std::string text = fixture.printPlan();
  Result<PlanFile> plan = readPlan(text, "plan.json");
  ASSERT_TRUE(bool(plan)) << plan.error().str();
  EXPECT_EQ(plan->mesh, *parseMesh("data=2,model=4"));
  PlanningFixture again(mlpGraph, "data=2,model=4", {"model:(1)2"});
  EXPECT_FALSE(verifyPlanProgram(*plan, again.graph, again.names).has_value());
  Result<std::vector<Action>> actions = findActions(*plan, again.names);
  ASSERT_TRUE(bool(actions)) << actions.error().str();
  ASSERT_EQ(again.replay(*actions), "");
  again.schedule = plan->schedule;
  EXPECT_TRUE(again.assignment.isEquivalent(fixture.assignment));
  EXPECT_EQ(again.printPlan(), text);
}

TEST(PlanTest, HasTheFormThatIsDocumented) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  ASSERT_EQ(fixture.apply(R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["batch/.*", 0]]}]})"), "");
  EXPECT_EQ(fixture.printPlan(), R"json({"partita_plan": 1,
"program": {"sha256":"00","name":"mlp"},
"platform": null,
"mesh": "data=2,model=2",
"machine": null,
"schedule": {"tactics":[{"name":"BP","axis":"data","tile":[["batch/.*",0]]}]},
"actions": [
{"tile":["batch['x']",0,"data"],"tactic":"BP"}],
"arguments": [
{"name":"batch['x']","type":"tensor<8x4xf32>","sharding":[["data"],[]]},
{"name":"params['layers'][0]['w']","type":"tensor<4x6xf32>","sharding":[[],[]]},
{"name":"params['layers'][1]['w']","type":"tensor<6x4xf32>","sharding":[[],[]]}],
"results": [
{"name":"result","type":"tensor<8x4xf32>","sharding":[["data"],[]]}],
"cost": null}
)json");
}

TEST(PlanTest, IsRefusedForAnotherProgram) {
  PlanningFixture fixture(mlpGraph, "data=2");
  ASSERT_EQ(fixture.apply(R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["batch/.*", 0]]}]})"), "");
  Result<PlanFile> plan = readPlan(fixture.printPlan(), "plan.json");
  ASSERT_TRUE(bool(plan));
  auto errorOf = [&](llvm::StringRef from, llvm::StringRef to) {
    std::string text = mlpGraph.str();
    text.replace(text.find(from.str()), from.size(), to.str());
    PlanningFixture other(text, "data=2");
    Status error = verifyPlanProgram(*plan, other.graph, other.names);
    return error ? error->str() : "accepted";
  };
  EXPECT_NE(errorOf("batch['x']", "batch['y']")
                .find("plan.json:1:1: error: this plan is of another program: argument batch['y'] (tensor<8x4xf32>) "
                      "is new"),
            std::string::npos);
  EXPECT_NE(errorOf("\"name\": \"result\"", "\"name\": \"loss\"").find("result loss (tensor<8x4xf32>) is new"),
            std::string::npos);
  EXPECT_NE(errorOf("\"sha256\": \"00\"", "\"sha256\": \"01\"").find("what is computed between them is not"),
            std::string::npos);
}

TEST(PlanTest, SaysWhatIsWrongInAFile) {
  auto errorOf = [](llvm::StringRef text) {
    Result<PlanFile> plan = readPlan(text, "plan.json");
    return plan ? std::string("accepted") : plan.error().str();
  };
  EXPECT_NE(errorOf("{}").find("this is no partita_plan of version 1"), std::string::npos);
  std::string head = R"({"partita_plan": 1, "program": {"sha256": "", "name": ""}, "mesh": "data=2", "arguments": [], )"
                     R"("results": [], "actions": )";
  EXPECT_EQ(errorOf(head + "[]}"), "accepted");
  EXPECT_NE(errorOf(head + R"([{"tile": ["x", "data"]}]})").find("expected a name, a dim and an axis"),
            std::string::npos);
  EXPECT_NE(errorOf(head + R"([{"assign": [0, "data", 0]}]})").find("expected an op, an axis and a factor"),
            std::string::npos);
  EXPECT_NE(errorOf(head + R"([{"tyle": []}]})").find("unknown member \"tyle\""), std::string::npos);
}

} // namespace
} // namespace partita::schedule
