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

TEST(Variant, WordsMayBeAddedToTheDefault) {
  VariantKinds kinds = parse("+store", "");
  EXPECT_TRUE(kinds.has(VariantKind::Store));
  EXPECT_TRUE(kinds.has(VariantKind::Pad));
  EXPECT_TRUE(kinds.has(VariantKind::Accumulate));
  EXPECT_FALSE(parse("+store", "pad").has(VariantKind::Pad));
  EXPECT_TRUE(parse("+store,+rotate", "").has(VariantKind::Rotate));
  EXPECT_FALSE(parse("store", "").has(VariantKind::Pad));
  EXPECT_FALSE(parseKinds({"pad,+store", ""})) << "neither this nor that";
  EXPECT_FALSE(parseKinds({"+offload", ""}));
}

TEST(Variant, WhoAddsOtherWordsSaysNothingOfMoves) {
  EXPECT_FALSE(VariantOptions().namesMoves());
  EXPECT_FALSE(VariantOptions({"+store", ""}).namesMoves());
  EXPECT_TRUE(VariantOptions({"+store,rotate", ""}).namesMoves());
  EXPECT_TRUE(VariantOptions({"store", ""}).namesMoves());
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
  Variant padded;
  padded.padded = {"heads 12 -> 16", "vocabulary 50257 -> 50264"};
  EXPECT_EQ(describe(padded), "heads 12 -> 16, vocabulary 50257 -> 50264 padded");
  EXPECT_EQ(describe(Variant{1, {"scores", "mlp"}, {"a", "b", "c"}}),
            "2 activations recomputed (scores, ...); 3 activations kept (a, ...)");
}
