//===- ColumnsTest.cpp - rows of text -------------------------------------===//

#include "partita/Report/Columns.h"

#include <gtest/gtest.h>

namespace partita::report {
namespace {

TEST(Columns, CharactersAreCounted) {
  EXPECT_EQ(countColumns("a ± 2%"), 6u);
  EXPECT_EQ(pad("Δ", 3), "Δ  ");
}

TEST(Columns, AShortTextIsOneRow) {
  EXPECT_EQ(wrap("label: ", "text"), "label: text\n");
  EXPECT_EQ(wrap("", std::string(120, 'a')), std::string(120, 'a') + "\n");
  EXPECT_EQ(wrap("  ", ""), "  \n");
}

/// 10 + 59 + 1 columns and a space stand before the second part, which would end in column 121.
TEST(Columns, RowsEndBehindSemicolons) {
  std::string first(59, 'a'), second = "b, " + std::string(47, 'b');
  EXPECT_EQ(wrap("strategy: ", first + "; " + second), "strategy: " + first + ";\n          " + second + "\n");
  EXPECT_EQ(wrap("strategy: ", first + "; " + second.substr(1)), "strategy: " + first + "; " + second.substr(1) + "\n");
}

/// A semicolon in the first half would leave most of the row empty; a list in parentheses stays together.
TEST(Columns, RowsEndBehindCommasOutsideParentheses) {
  std::string word(30, 'a');
  EXPECT_EQ(wrap("", "a; " + word + ", " + word + ", " + word + " (b, c" + word + ")", 2),
            "a; " + word + ", " + word + ",\n  " + word + " (b, c" + word + ")\n");
}

TEST(Columns, ParenthesesStayTogether) {
  std::string word(100, 'a');
  EXPECT_EQ(wrap("", word + " (b c d e f g h i j k l)", 2), word + "\n  (b c d e f g h i j k l)\n");
}

TEST(Columns, OtherwiseAtAnySpace) {
  std::string word(50, 'a');
  EXPECT_EQ(wrap("  ", word + " " + word + " " + word, 4), "  " + word + " " + word + "\n    " + word + "\n");
}

TEST(Columns, ALongWordStaysWhole) {
  std::string word(200, 'a');
  EXPECT_EQ(wrap("x: ", word), "x: " + word + "\n");
  EXPECT_EQ(wrap("x: ", "b " + word + " c"), "x: b\n   " + word + "\n   c\n");
}

} // namespace
} // namespace partita::report
