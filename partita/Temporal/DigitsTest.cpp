//===- DigitsTest.cpp -----------------------------------------------------===//

#include "partita/Temporal/Digits.h"

#include <gtest/gtest.h>

namespace partita::temporal {
namespace {

Rule parse(llvm::StringRef text, llvm::ArrayRef<llvm::SmallVector<int64_t>> operands,
           llvm::ArrayRef<llvm::SmallVector<int64_t>> results) {
  Result<Rule> rule = parseRule(text, operands, results, {});
  EXPECT_TRUE(bool(rule)) << (rule ? "" : rule.error().str());
  return std::move(*rule);
}

TEST(Digits, RowsThatAreFlattenedHaveTheStrideOfARow) {
  Rule rule = parse("([a,b])->([(ab)])", {{8, 3}}, {{24}});
  std::optional<FactorDigit> rows = findFactor(rule, rule.operands[0], {0, 1}, 4);
  ASSERT_TRUE(rows);
  EXPECT_EQ(*rows, (FactorDigit{0, 1}));
  EXPECT_EQ(findDigit(rule, rule.results[0], *rows), (RowDigit{0, 3}));
  EXPECT_EQ(findFactor(rule, rule.results[0], {0, 3}, 4), rows);
}

TEST(Digits, TheMinorFactorHasTheFirstDigit) {
  Rule rule = parse("([(ab)])->([a,b])", {{12}}, {{3, 4}});
  std::optional<FactorDigit> minor = findFactor(rule, rule.operands[0], {0, 1}, 2);
  ASSERT_TRUE(minor);
  EXPECT_EQ(findDigit(rule, rule.results[0], *minor), (RowDigit{1, 1}));
}

TEST(Digits, ADigitAcrossFactorsIsNone) {
  Rule rule = parse("([(ab)])->([a,b])", {{12}}, {{3, 4}});
  EXPECT_FALSE(findFactor(rule, rule.operands[0], {0, 1}, 3));
  EXPECT_FALSE(findFactor(rule, rule.operands[0], {0, 2}, 4));
  EXPECT_FALSE(findFactor(rule, rule.operands[0], {0, 3}, 2));
}

TEST(Digits, AValueWithoutTheFactorHasNoDigit) {
  Rule rule = parse("([a,b])->([b]) reduce(add)={a}", {{8, 3}}, {{3}});
  std::optional<FactorDigit> rows = findFactor(rule, rule.operands[0], {0, 1}, 2);
  ASSERT_TRUE(rows);
  EXPECT_FALSE(findDigit(rule, rule.results[0], *rows));
}

} // namespace
} // namespace partita::temporal
