//===- PartitionRulesTest.cpp ---------------------------------------------===//

#include "partita/Schedule/PartitionRules.h"

#include "partita/Testing/PlanningFixture.h"

namespace partita::schedule {

using namespace fixtures;
namespace {

/// The MLP under rules, on data=2,model=2.
struct Bound : PlanningFixture {
  explicit Bound(llvm::StringRef rules, llvm::StringRef graph = mlpGraph)
      : PlanningFixture(graph, "data=2,model=2", {}, rules) {
    if (wrong.empty())
      wrong = apply(R"({"tactics": []})");
  }
};

TEST(PartitionRules, TheFirstPatternThatMatchesGivesTheSpec) {
  Bound fixture(R"([["params/layers/0/w", [null, "model"]], ["params/.*", [["model"]]], [".*", ["data"]]])");
  EXPECT_EQ(fixture.wrong, "");
  EXPECT_EQ(fixture.getSharding("params['layers'][0]['w']"), "[{}, {model}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{model}, {}]");
  EXPECT_EQ(fixture.getSharding("batch['x']"), "[{data}, {}]");
}

TEST(PartitionRules, SeveralAxesOfADimAreMajorFirst) {
  Bound fixture(R"([["batch/x", [["model", "data"]]]])");
  EXPECT_EQ(fixture.wrong, "");
  EXPECT_EQ(fixture.getSharding("batch['x']"), "[{model, data}, {}]");
}

TEST(PartitionRules, WhatASpecDoesNotNameStaysWhole) {
  // Propagation alone would split the second matrix by rows.
  Bound fixture(R"([["params/layers/0/w", [null, "model"]], ["params/layers/1/w", []]])");
  EXPECT_EQ(fixture.wrong, "");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{}, {}]");
}

TEST(PartitionRules, WhatIsSaidOfOneArgumentIsNotTakenByAnother) {
  // The first rule alone would propagate to the rows of the second matrix.
  Bound fixture(R"([["params/layers/0/w", [null, "model"]], ["params/layers/1/w", [null, "model"]]])");
  EXPECT_EQ(fixture.wrong, "");
  EXPECT_EQ(fixture.getSharding("params['layers'][0]['w']"), "[{}, {model}]");
  EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{}, {model}]");
}

TEST(PartitionRules, WhatIsWrongHasItsPlace) {
  EXPECT_NE(Bound(R"([["nothing", []]])").wrong.find("rules.json:1:2: error: the pattern 'nothing' matches no"),
            std::string::npos);
  EXPECT_NE(Bound(R"([["batch/x", [null, null, "data"]]])").wrong.find("the spec has 3 dims"), std::string::npos);
  EXPECT_NE(Bound(R"([["batch/x", ["rows"]]])").wrong.find("has no axis 'rows'"), std::string::npos);
  EXPECT_NE(Bound(R"([["batch/x", [4]]])").wrong.find("neither an axis"), std::string::npos);
  EXPECT_NE(Bound(R"([["batch/x", ["data", "data"]]])").wrong.find("names the axis 'data' twice"), std::string::npos);
  EXPECT_NE(Bound(R"([["batch/x", [["?", "data"]]]])").wrong.find("stands last"), std::string::npos);
  EXPECT_NE(Bound(R"([["batch/x"]])").wrong.find("a rule is a pair"), std::string::npos);
}

TEST(PartitionRules, TheirOrderHasNoEffect) {
  // Both splits of `data` meet in each product. The input, which has more elements than either matrix, is what work
  // follows, wherever its rule stands.
  for (llvm::StringRef rules :
       {R"([["batch/x", ["data"]], ["params/.*", ["data"]]])", R"([["params/.*", ["data"]], ["batch/x", ["data"]]])"}) {
    Bound fixture(rules);
    EXPECT_EQ(fixture.wrong, "");
    EXPECT_EQ(fixture.getSharding("jit(f)/dot#0"), "[{data}, {}]");
    EXPECT_EQ(fixture.getSharding("result"), "[{data}, {}]");
    EXPECT_EQ(fixture.getSharding("params['layers'][1]['w']"), "[{data}, {}]");
    EXPECT_TRUE(fixture.outcome.conflicts.empty());
  }
}

TEST(PartitionRules, OpenDimsTakeMore) {
  Bound closed(R"([["params/layers/0/w", [null, "model"]], ["params/layers/1/w", [null, null]]])");
  Bound open(R"([["params/layers/0/w", [null, "model"]], ["params/layers/1/w", ["?", null]]])");
  EXPECT_EQ(closed.getSharding("params['layers'][1]['w']"), "[{}, {}]");
  EXPECT_EQ(open.getSharding("params['layers'][1]['w']"), "[{model}, {}]");
}

TEST(PartitionRules, PatternsThatMatchNoArgumentAreForResultsAndInnerValues) {
  Bound result(R"([["result", ["model"]]])"), inner(R"([["m.py:3#1", [null, "model"]]])");
  EXPECT_EQ(result.wrong, "");
  EXPECT_EQ(result.getSharding("batch['x']"), "[{model}, {}]");
  EXPECT_EQ(inner.wrong, "");
  EXPECT_EQ(inner.getSharding("params['layers'][0]['w']"), "[{}, {model}]");
}

TEST(PartitionRules, AResultThatLiesOtherwiseThanItsArgumentIsSeparated) {
  std::string tied = mlpGraph.str();
  tied.erase(tied.rfind('}'));
  tied += R"(, "ties": [[0, 6]]})";
  Bound same(R"([["batch/x", ["data"]], ["result", ["data"]]])", tied);
  Bound other(R"([["batch/x", ["data"]], ["result", [null, "data"]]])", tied);
  // Both dims are open where the other has an axis, but it is one axis.
  Bound open(R"([["batch/x", ["data", "?"]], ["result", ["?", "data"]]])", tied);
  EXPECT_EQ(open.wrong, "");
  EXPECT_EQ(open.getSharding("result"), "[{}, {data}]");
  EXPECT_TRUE(same.warnings.empty());
  ASSERT_EQ(other.warnings.size(), 1u);
  EXPECT_NE(other.warnings[0].find("batch['x'] come back with another sharding"), std::string::npos);
  EXPECT_EQ(other.getSharding("batch['x']"), "[{data}, {}]");
  EXPECT_EQ(other.getSharding("result"), "[{}, {data}]");
}

TEST(PartitionRules, WhatIsReadIsWritten) {
  llvm::StringRef text = R"([["a",[null,"x"]],["b",[["x","y"],["?"],["x","?"]]]])";
  Result<std::vector<PartitionRule>> rules = parseRules(text);
  ASSERT_TRUE(bool(rules));
  std::string written;
  llvm::raw_string_ostream out(written);
  llvm::json::OStream json(out);
  writePartitionRules(*rules, json);
  EXPECT_EQ(written, text);
}

} // namespace
} // namespace partita::schedule
