//===- MemoryActionsTest.cpp - tests of allowed and forbidden actions -----===//

#include "partita/Variants/MemoryActions.h"

#include "gtest/gtest.h"

using namespace partita;
using namespace partita::variants;

static AllowedActions parse(const char *allow, const char *forbid) {
  Result<AllowedActions> actions = parseActions({allow, forbid});
  EXPECT_TRUE(actions);
  return *actions;
}

TEST(MemoryActions, BothAreAllowedByDefault) {
  AllowedActions actions = *parseActions({});
  EXPECT_TRUE(actions.has(MemoryAction::Accumulate));
  EXPECT_TRUE(actions.has(MemoryAction::Recompute));
}

TEST(MemoryActions, ForbidTakesOut) {
  EXPECT_FALSE(parse("accumulate,recompute", "accumulate").has(MemoryAction::Accumulate));
  EXPECT_TRUE(parse("accumulate,recompute", "accumulate").has(MemoryAction::Recompute));
  EXPECT_FALSE(parse("recompute", "").has(MemoryAction::Accumulate));
  EXPECT_FALSE(parse("", "").has(MemoryAction::Recompute));
}

TEST(MemoryActions, UnknownWordsAreRefused) {
  Result<AllowedActions> actions = parseActions({"accumulate", "offload"});
  ASSERT_FALSE(actions);
  EXPECT_EQ(actions.error().code, ExitCode::Usage);
  EXPECT_EQ(actions.error().reason, "--forbid: 'offload' is no memory action");
}

TEST(MemoryActions, VariantsInWords) {
  EXPECT_EQ(describe(Variant()), "the program as it is");
  EXPECT_EQ(describe(Variant{4}), "4 microbatches");
  EXPECT_EQ(describe(Variant{2, {"scores"}, {}}), "2 microbatches; scores recomputed");
  EXPECT_EQ(describe(Variant{1, {"scores", "mlp"}, {"a", "b", "c"}}),
            "scores and 1 other recomputed; a and 2 others kept");
}
