//===- PatternTest.cpp - patterns that match whole names ------------------===//

#include "partita/Schedule/Pattern.h"

#include <gmock/gmock.h>

using namespace partita;
using namespace partita::schedule;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Pattern, NamesAreListed) {
  EXPECT_THAT(listNames("b#(1|20)|a"), ElementsAre("a", "b#1", "b#20"));
  EXPECT_THAT(listNames("state\\.w\\['x'\\]"), ElementsAre("state.w['x']"));
  EXPECT_THAT(listNames(escapePattern("jit(f)/a+b{c}|^$")), ElementsAre("jit(f)/a+b{c}|^$"));
}

TEST(Pattern, WhatIsMoreThanAListIsNone) {
  for (const char *pattern :
       {"a.*", "[ab]", "a?", "a(b|c)d", "(a)(b)", "a((b))", "a|", "|a", "(|a)", "^a", "a{2}", "a)"})
    EXPECT_THAT(listNames(pattern), IsEmpty()) << pattern;
}

TEST(Pattern, ListsMatchAsExpressionsDo) {
  const char *patterns[] = {"a|ab", "a#(1|2)|b", "x\\.y", "(a|b)", "a\\|b", "ab|a.b"};
  const char *names[] = {"a", "ab", "b", "a#1", "a#2", "a#3", "a#12", "x.y", "xay", "a|b", "axb", "", "aab"};
  for (const char *text : patterns) {
    Result<Pattern> pattern = Pattern::parse(text, SourceLocation());
    ASSERT_TRUE(pattern) << text;
    llvm::Regex expression("^(" + std::string(text) + ")$");
    for (const char *name : names)
      EXPECT_EQ(pattern->matches(name), expression.match(name)) << text << " on " << name;
  }
}

TEST(Pattern, ANameMatchesItself) {
  for (const char *name : {"params['w'][0]", "jit(f)/jvp()/dot_general#1", "a+b"}) {
    Result<Pattern> pattern = Pattern::parse(name, SourceLocation());
    ASSERT_TRUE(pattern) << name;
    EXPECT_TRUE(pattern->matches(name));
    EXPECT_FALSE(pattern->matches(std::string(name) + "x"));
  }
}

/// The check of prefix and suffix before the regex must not change the answer.
TEST(Pattern, MatchesWhatTheMatcherMatches) {
  const char *patterns[] = {"a\\.b[0-9]+c",  "ab*", "ab?c",   "a{2}b", "(ab)+c", "a(b)?", ".*/w1", "[]a]b", "[^]a]b",
                            "a[[:digit:]]b", "a+",  "(a|b)c", "a|b.*", "x?",     "a.",    "^ab",   "ab$",   "a\\[b\\]"};
  const char *names[] = {"",      "a",      "b",    "ab",   "abb", "aab", "ac",  "abc", "abab", "ababc",
                         "a.b1c", "c",      "bc",   "x/w1", "]b",  "cb",  "a1b", "aaa", "bx",   "x",
                         "a[b]",  "a.b12c", "a.bc", "aa",   "a.",  "/w1", "w1",  "aabb"};
  for (const char *text : patterns) {
    Result<Pattern> pattern = Pattern::parse(text, {});
    ASSERT_TRUE(bool(pattern)) << text;
    llvm::Regex regex("^(" + std::string(text) + ")$");
    for (const char *name : names)
      EXPECT_EQ(pattern->matches(name), regex.match(name)) << text << " on " << name;
  }
}
