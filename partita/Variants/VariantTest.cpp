//===- VariantTest.cpp - tests of allowed and forbidden kinds -------------===//

#include "partita/Variants/Variant.h"

#include "gtest/gtest.h"

using namespace partita;
using namespace partita::variants;

static VariantKinds parse(const char *allow, const char *forbid) {
  Result<VariantKinds> kinds = parseKinds({allow, forbid});
  EXPECT_TRUE(kinds);
  return *kinds;
}

TEST(Variant, AllButStoringAreAllowedByDefault) {
  VariantKinds kinds = *parseKinds({});
  EXPECT_TRUE(kinds.has(VariantKind::Accumulate));
  EXPECT_TRUE(kinds.has(VariantKind::Recompute));
  EXPECT_TRUE(kinds.has(VariantKind::Pad));
  EXPECT_TRUE(kinds.has(VariantKind::Reorder));
  // But for what makes the caller convert state.
  EXPECT_FALSE(kinds.has(VariantKind::Store));
  EXPECT_TRUE(parse("reorder,store", "").has(VariantKind::Store));
}

TEST(Variant, ForbidTakesOut) {
  EXPECT_FALSE(parse("accumulate,recompute", "accumulate").has(VariantKind::Accumulate));
  EXPECT_TRUE(parse("accumulate,recompute", "accumulate").has(VariantKind::Recompute));
  EXPECT_FALSE(parse("recompute", "").has(VariantKind::Accumulate));
  EXPECT_FALSE(parse("", "").has(VariantKind::Recompute));
}

TEST(Variant, UnknownWordsAreRefused) {
  Result<VariantKinds> kinds = parseKinds({"accumulate", "offload"});
  ASSERT_FALSE(kinds);
  EXPECT_EQ(kinds.error().code, ExitCode::Usage);
  EXPECT_EQ(kinds.error().reason, "--forbid: 'offload' is no action");
}

TEST(Variant, VariantsInWords) {
  EXPECT_EQ(describe(Variant()), "the program as it is");
  EXPECT_EQ(describe(Variant{4}), "4 microbatches");
  EXPECT_EQ(describe(Variant{2, {"scores"}, {}}), "2 microbatches; 1 activation recomputed (scores)");
  EXPECT_EQ(describe(Variant{1, {"scores", "mlp"}, {"a", "b", "c"}}),
            "2 activations recomputed (scores, ...); 3 activations kept (a, ...)");
}
