//===- ProgramTacticTest.cpp ----------------------------------------------===//

#include "partita/Testing/PlanningFixture.h"

namespace partita::schedule {

using namespace fixtures;
namespace {

/// The MLP with shardings of its own.
std::string shardedMlp(llvm::StringRef mesh, llvm::StringRef shardings) {
  std::string text = mlpGraph.str();
  text.erase(text.rfind('}'));
  return text + ", \"mesh\": " + mesh.str() + ", \"shardings\": " + shardings.str() + "}";
}

const char *const mesh = R"([["data", 2], ["model", 2]])";
const char *const nothing = R"({"tactics": []})";

TEST(ProgramTacticTest, ShardingsOfTheProgramComeFirst) {
  PlanningFixture fixture(shardedMlp(mesh, R"([{"cell": 0, "dims": [{"axes": ["data"]}, {}]},
                           {"cell": 1, "dims": [{"open": true}, {"axes": ["model"], "open": true}]}])"),
                          "data=2,model=2");
  EXPECT_EQ(fixture.apply(nothing), "");
  ASSERT_EQ(fixture.outcome.reports.size(), 1u);
  EXPECT_EQ(fixture.outcome.reports[0].name, "shardings");
  EXPECT_EQ(fixture.getSharding("jit(f)/dot#0"), "[{data}, {model}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{model}, {}]");
  EXPECT_TRUE(fixture.outcome.actions.empty());
}

TEST(ProgramTacticTest, ClosedDimsTakeNothingElseAndOpenOnesGrow) {
  std::string text = shardedMlp(mesh, R"([{"cell": 0, "dims": [{"axes": ["data"]}, {}]},
                                          {"cell": 6, "dims": [{"open": true}, {"open": true}]}])");
  PlanningFixture fixture(text, "data=2,model=2");
  EXPECT_NE(fixture.apply(R"({"tactics": [{"name": "A", "axis": "model", "tile": [["batch/x", 1]]}]})")
                .find("its dim 1 is closed by the sharding that is given for it"),
            std::string::npos);
  EXPECT_NE(fixture.apply(R"({"tactics": [{"name": "A", "axis": "data", "tile": [["batch/x", 1]]}]})").find("closed"),
            std::string::npos);
  // The second weight's columns are the result's, which are open.
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"axis": "model", "tile": [["params/layers/1/w", 1]]}]})"), "");
  EXPECT_EQ(fixture.getSharding("result"), "[{data}, {model}]");
  EXPECT_EQ(fixture.getSharding("batch['x']"), "[{data}, {}]");
}

TEST(ProgramTacticTest, ClosedDimsDoNotTakeWhatComesByPropagation) {
  PlanningFixture fixture(shardedMlp(mesh, R"([{"cell": 6, "dims": [{}, {}]}])"), "data=2,model=2");
  EXPECT_EQ(fixture.apply(R"({"tactics": [{"axis": "data", "tile": [["batch/x", 0]]}]})"), "");
  EXPECT_EQ(fixture.getSharding("jit(f)/dot#1"), "[{data}, {}]");
  EXPECT_EQ(fixture.getSharding("result"), "[{}, {}]");
}

TEST(ProgramTacticTest, ReplicatedAxesAreAtomic) {
  PlanningFixture fixture(
      shardedMlp(mesh, R"([{"cell": 1, "dims": [{"open": true}, {"open": true}], "replicated": ["model"]}])"),
      "data=2,model=2");
  EXPECT_NE(fixture.apply(R"({"tactics": [{"axis": "model", "tile": [["params/layers/0/w", 0]]}]})")
                .find("it is replicated over 'model', since tactic 'shardings'"),
            std::string::npos);
}

TEST(ProgramTacticTest, OrderOfAxesAndPartsIsKept) {
  PlanningFixture fixture(shardedMlp(R"([["data", 2], ["model", 4]])",
                                     R"([{"cell": 0, "dims": [{"axes": ["model:(2)2", "data"]}, {"open": true}]}])"),
                          "data=2,model=4");
  EXPECT_EQ(fixture.apply(nothing), "");
  EXPECT_EQ(fixture.getSharding("batch['x']"), "[{model:(2)2, data}, {}]");
  EXPECT_EQ(fixture.getSharding("jit(f)/relu#0"), "[{model:(2)2, data}, {}]");
}

TEST(ProgramTacticTest, LowerPrioritiesPropagateFirst) {
  // The rows of both dots are one color: x has data there, the result has model; the first gets the inner values.
  auto build = [](int first, int second) {
    return shardedMlp(mesh, (R"([{"cell": 0, "dims": [{"axes": ["data"], "priority": )" + llvm::Twine(first) +
                             R"(}, {"open": true}]},
                                 {"cell": 6, "dims": [{"axes": ["model"], "priority": )" +
                             llvm::Twine(second) + R"(}, {"open": true}]}])")
                                .str());
  };
  PlanningFixture early(build(0, 1), "data=2,model=2"), late(build(1, 0), "data=2,model=2");
  EXPECT_EQ(early.apply(nothing), "");
  EXPECT_EQ(late.apply(nothing), "");
  EXPECT_EQ(early.getSharding("jit(f)/relu#0"), "[{data, model}, {}]");
  EXPECT_EQ(late.getSharding("jit(f)/relu#0"), "[{model, data}, {}]");
  EXPECT_EQ(early.getSharding("batch['x']"), "[{data}, {}]");
  EXPECT_EQ(late.getSharding("result"), "[{model}, {}]");
}

TEST(ProgramTacticTest, TheMeshMustAgreeOnTheAxesInUse) {
  std::string text = shardedMlp(mesh, R"([{"cell": 0, "dims": [{"axes": ["data"]}, {}]}])");
  PlanningFixture other(text, "data=4"), fewer(text, "model=2"), enough(text, "data=2");
  std::string error = other.apply(nothing);
  EXPECT_NE(error.find("the program is sharded over data=2, and the mesh data=4 has another size of it"),
            std::string::npos);
  EXPECT_NE(error.find("--ignore-shardings"), std::string::npos);
  EXPECT_NE(fewer.apply(nothing).find("no such axis"), std::string::npos);
  EXPECT_EQ(enough.apply(nothing), "");
}

TEST(ProgramTacticTest, SizesThatDoNotDivideAreRefused) {
  PlanningFixture fixture(shardedMlp(R"([["data", 4]])", R"([{"cell": 1, "dims": [{}, {"axes": ["data"]}]}])"),
                          "data=4");
  EXPECT_NE(fixture.apply(nothing).find("its dim 1 of size 6 does not divide by the 4 devices of 'data'"),
            std::string::npos);
}

} // namespace
} // namespace partita::schedule
