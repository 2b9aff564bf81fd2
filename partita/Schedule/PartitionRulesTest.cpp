//===- PartitionRulesTest.cpp ---------------------------------------------===//

#include "partita/Schedule/PartitionRules.h"

#include "partita/Testing/PlanningFixture.h"

namespace partita::schedule {

using namespace fixtures;
namespace {

/// The error message; empty if there is none.
static std::string apply(PlanningFixture &fixture, llvm::StringRef text) {
  Result<JsonValue> json = parseJson(text, "rules.json");
  if (!json)
    return json.error().str();
  Result<std::vector<PartitionRule>> rules = readPartitionRules(*json, "rules.json");
  if (!rules)
    return rules.error().str();
  Result<Schedule> schedule = buildSchedule(*rules, fixture.graph, fixture.names, fixture.axes.mesh);
  if (!schedule)
    return schedule.error().str();
  Result<ScheduleOutcome> outcome = applySchedule(*schedule, fixture.names, fixture.assignment, nullptr);
  return outcome ? "" : outcome.error().str();
}

TEST(PartitionRules, TheFirstPatternThatMatchesGivesTheSpec) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  EXPECT_EQ(apply(fixture, R"([["params/layers/0/w", [null, "model"]], ["params/.*", [["model"]]], [".*", ["data"]]])"),
            "");
  EXPECT_EQ(fixture.getSharding("params['layers'][0]['w']"), "[{}, {model}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{model}, {}]");
  EXPECT_EQ(fixture.getSharding("batch['x']"), "[{data}, {}]");
}

TEST(PartitionRules, SeveralAxesOfADimAreMajorFirst) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  EXPECT_EQ(apply(fixture, R"([["batch/x", [["model", "data"]]]])"), "");
  EXPECT_EQ(fixture.getSharding("batch['x']"), "[{model, data}, {}]");
}

TEST(PartitionRules, WhatASpecDoesNotNameStaysWhole) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  // Propagation alone would split the second matrix by rows.
  EXPECT_EQ(apply(fixture, R"([["params/layers/0/w", [null, "model"]], ["params/layers/1/w", []]])"), "");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{}, {}]");
}

TEST(PartitionRules, WhatIsSaidOfOneArgumentIsNotTakenByAnother) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  // The first rule alone would propagate to the rows of the second matrix.
  EXPECT_EQ(apply(fixture, R"([["params/layers/0/w", [null, "model"]], ["params/layers/1/w", [null, "model"]]])"), "");
  EXPECT_EQ(fixture.getSharding("params['layers'][0]['w']"), "[{}, {model}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{}, {model}]");
}

TEST(PartitionRules, WhatIsWrongHasItsPlace) {
  PlanningFixture fixture(mlpGraph, "data=2,model=2");
  EXPECT_NE(apply(fixture, R"([["nothing", []]])").find("rules.json:1:2: error: the pattern 'nothing' matches no"),
            std::string::npos);
  EXPECT_NE(apply(fixture, R"([["batch/x", [null, null, "data"]]])").find("the spec has 3 dims"), std::string::npos);
  EXPECT_NE(apply(fixture, R"([["batch/x", ["rows"]]])").find("has no axis 'rows'"), std::string::npos);
  EXPECT_NE(apply(fixture, R"([["batch/x", [4]]])").find("neither an axis"), std::string::npos);
  EXPECT_NE(apply(fixture, R"([["batch/x"]])").find("a rule is a pair"), std::string::npos);
}

} // namespace
} // namespace partita::schedule
