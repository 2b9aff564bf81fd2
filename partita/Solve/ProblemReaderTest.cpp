//===- ProblemReaderTest.cpp - files that are read and files that are not -===//

#include "partita/Solve/ProblemReader.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::solve;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const char *const small = R"({"problem": {"name": "small", "extra": {"a": [1, {"b": null}]},
  "nodes": {"intervals": [[0, 3], [1, 4]], "costs": [[5, 7], [2]], "usages": [[4, 1], [3]]},
  "edges": {"nodes": [[0, 1]], "costs": [[0, 9]]},
  "usage_limit": 6}})";

TEST(ProblemReader, ReadsAProblem) {
  Result<ChoiceProblem> problem = parseProblem(small, "file");
  ASSERT_TRUE(problem) << problem.error().str();
  EXPECT_EQ(problem->name, "small");
  EXPECT_EQ(problem->usageLimit, 6);
  ASSERT_EQ(problem->nodes.size(), 2u);
  EXPECT_EQ(problem->nodes[1].begin, 1);
  EXPECT_THAT(problem->nodes[0].usages, ElementsAre(4, 1));
  EXPECT_THAT(problem->edges[0].costs, ElementsAre(0, 9));
  // Strategy 0 of both: 5 + 2 + 0, and at time 1 a usage of 4 + 3, beyond the limit. Strategy 1: 7 + 2 + 9, 1 + 3.
  EXPECT_FALSE(evaluateChoices(*problem, {0, 0}).isFeasible);
  ChoiceValue value = evaluateChoices(*problem, {1, 0});
  EXPECT_TRUE(value.isFeasible);
  EXPECT_EQ(value.cost, 18);
  EXPECT_EQ(value.peakUsage, 4);
}

TEST(ProblemReader, NumbersBeyond64BitsSaturate) {
  Result<ChoiceProblem> problem = parseProblem(
      R"({"problem": {"nodes": {"intervals": [[-99999999999999999999, 99999999999999999999]],
          "costs": [[100000000000000000000]], "usages": [[99999999999999999999]]}}})",
      "file");
  ASSERT_TRUE(problem) << problem.error().str();
  EXPECT_EQ(problem->nodes[0].begin, -INT64_MAX);
  EXPECT_EQ(problem->nodes[0].costs[0], INT64_MAX);
  EXPECT_FALSE(evaluateChoices(*problem, {0}).isFeasible);
}

struct Bad {
  const char *from, *to, *message;
};

class BadFile : public testing::TestWithParam<Bad> {};

TEST_P(BadFile, IsRefusedWithPlaceAndReason) {
  std::string text = small;
  size_t place = text.find(GetParam().from);
  ASSERT_NE(place, std::string::npos);
  text.replace(place, strlen(GetParam().from), GetParam().to);
  Result<ChoiceProblem> problem = parseProblem(text, "file");
  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.error().str(), HasSubstr(GetParam().message));
  EXPECT_FALSE(problem.error().remedy.empty());
  EXPECT_EQ(problem.error().code, ExitCode::BadInput);
}

INSTANTIATE_TEST_SUITE_P(Files, BadFile,
                         testing::Values(Bad{"[5, 7]", "[5, 7.5]", "file:2:58: error: expected an integer"},
                                         Bad{"[5, 7]", "[5 7]", "expected ']'"},
                                         Bad{"[5, 7]", "[]", "node 0 has no strategy"},
                                         Bad{"[5, 7]", "[5]", "node 0 has 1 costs, but 2 usages"},
                                         Bad{"[[0, 3], [1, 4]]", "[[0, 3]]", "there are 1 intervals, but 2 lists here"},
                                         Bad{"[1, 4]", "[1]", "the interval of node 1 is not a pair"},
                                         Bad{"[4, 1]", "[4, -1]", "a usage of node 0 is negative"},
                                         Bad{"[[0, 1]]", "[[0, 2]]", "edge 0 names node 2, and there are 2"},
                                         Bad{"[[0, 1]]", "[[0, -1]]", "edge 0 names node -1"},
                                         Bad{"[[0, 1]]", "[[0, 1, 1]]", "edge 0 has 3 nodes"},
                                         Bad{"[[0, 9]]", "[[0]]", "edge 0 has 1 costs, and its nodes have 2 pairs"},
                                         Bad{"[[0, 9]]", "[]", "there are 1 edges, but 0 lists of their costs"},
                                         Bad{"\"usages\"", "\"used\"", "the problem lacks \"nodes\""},
                                         Bad{"\"problem\"", "\"question\"", "the file has no member \"problem\""},
                                         Bad{"6}}", "6}} x", "text follows behind the problem"},
                                         Bad{"6}}", "6}", "expected '}', and the text ends"},
                                         Bad{"\"usages\"", "\"costs\"", "a second time"}));

TEST(ProblemReader, DeepNestingIsRefused) {
  std::string text = R"({"problem": {"extra": )" + std::string(100'000, '[');
  Result<ChoiceProblem> problem = parseProblem(text, "file");
  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.error().str(), HasSubstr("nested too deep"));
}

} // namespace
