//===- RuleTest.cpp -------------------------------------------------------===//

#include "partita/Graph/Rule.h"

#include <gtest/gtest.h>

namespace partita::graph {
namespace {

using Shapes = std::vector<llvm::SmallVector<int64_t>>;

std::string roundTrip(llvm::StringRef text, const Shapes &operands, const Shapes &results) {
  Result<Rule> rule = parseRule(text, operands, results, SourceLocation{});
  return rule ? printRule(*rule) : rule.error().reason;
}

TEST(RuleTest, PrintsWhatItReads) {
  const char *dot = "([a,b,c],[a,c,d])->([a,b,d]) reduce(add)={c}";
  EXPECT_EQ(roundTrip(dot, {{2, 3, 4}, {2, 4, 5}}, {{2, 3, 5}}), dot);
  EXPECT_EQ(roundTrip("([a,b])->([(ab)])", {{4, 6}}, {{24}}), "([a,b])->([(ab)])");
  EXPECT_EQ(roundTrip("( [i , _] ) -> ([i]) reduce(maximum)={i}", {{4, 1}}, {{4}}),
            "([a,_])->([a]) reduce(maximum)={a}");
  EXPECT_EQ(roundTrip("()->([])", {}, {{}}), "()->([])");
  const char *convolution = "([a,(bc),d],[e,d])->([a,b]) reduce(add)={d} replicate={c} window={e} halo(1,0)={b}";
  EXPECT_EQ(roundTrip(convolution, {{2, 6, 4}, {3, 4}}, {{2, 3}}), convolution);
  for (const char *text : {"([a,b])->([b,a]) reversed={b}", "([a,b])->([b,a]) prefix={a,b}"})
    EXPECT_EQ(roundTrip(text, {{2, 6}}, {{6, 2}}), text);
  EXPECT_EQ(roundTrip("([a,b])->([a]) fold={b}", {{2, 6}}, {{2}}), "([a,b])->([a]) fold={b}");
}

TEST(RuleTest, InfersSizes) {
  // b = 24 / 4 = 6, from a = 4.
  Result<Rule> rule = parseRule("([(ab)],[a])->([b])", Shapes{{24}, {4}}, Shapes{{6}}, SourceLocation{});
  ASSERT_TRUE(bool(rule));
  EXPECT_EQ(rule->factors[0].size, 4);
  EXPECT_EQ(rule->factors[1].size, 6);
}

TEST(RuleTest, RejectsWithReason) {
  EXPECT_NE(roundTrip("([a])->([a]", {{2}}, {{2}}).find("expected )"), std::string::npos);
  EXPECT_NE(roundTrip("([a])->([a]) reduce(sum)={a}", {{2}}, {{2}}).find("expected a combiner"), std::string::npos);
  EXPECT_NE(roundTrip("([a])->([a]) halo(0,0)={a}", {{2}}, {{2}}).find("rows above 0"), std::string::npos);
  EXPECT_NE(roundTrip("([a])->([a]) replicate={b}", {{2}}, {{2}}).find("stands in no operand"), std::string::npos);
  EXPECT_NE(roundTrip("([a])->([a])", {{2}}, {{3}}).find("multiply to 2"), std::string::npos);
  EXPECT_NE(roundTrip("([a,b])->([a])", {{2}}, {{2}}).find("operand 0 has 1 dims"), std::string::npos);
  EXPECT_NE(roundTrip("([(ab)])->([(ab)])", {{6}}, {{6}}).find("does not follow"), std::string::npos);
}

} // namespace
} // namespace partita::graph
