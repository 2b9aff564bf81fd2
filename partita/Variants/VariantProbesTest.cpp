//===- VariantProbesTest.cpp - tests of proposed variants -----------------===//

#include "partita/Variants/VariantProbes.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita::remat;
using namespace partita::variants;
using testing::ElementsAre;
using testing::IsEmpty;

/// A program with one class of 60 bytes that takes 10 ps to recompute; everything else takes 40 bytes.
static ProbeHistory makeHistory(int64_t limitBytes, RematKind kind) {
  ProbeHistory history;
  bool isKept = kind == RematKind::Recompute;
  int64_t peakBytes = isKept ? 100 : 40;
  VariantOutcome outcome;
  outcome.cost.timePs = outcome.fastestPs = 100;
  outcome.cost.peakBytes = outcome.smallestBytes = peakBytes;
  outcome.limitBytes = limitBytes;
  outcome.plans = {{100, peakBytes, {"batch over data"}}};
  history.probed = {{Variant(), outcome}};
  RematClass known;
  known.name = "mlp";
  known.kind = kind;
  history.classes = {known};
  history.priced = {{{"batch over data"}, {{{isKept, {{0, 0, 60}}, 10}}, {40}, 10}}};
  return history;
}

TEST(VariantProbes, WhatDoesNotFitIsRecomputed) {
  std::optional<Variant> variant = proposeRemat(makeHistory(80, RematKind::Recompute));
  ASSERT_TRUE(variant);
  EXPECT_THAT(variant->recomputed, ElementsAre("mlp"));
  EXPECT_THAT(variant->kept, IsEmpty());
  EXPECT_FALSE(proposeRemat(makeHistory(200, RematKind::Recompute))) << "it fits";
  EXPECT_FALSE(proposeRemat(makeHistory(30, RematKind::Recompute))) << "it would not fit";
}

TEST(VariantProbes, WhatMemoryIsLeftForIsKept) {
  std::optional<Variant> variant = proposeRemat(makeHistory(120, RematKind::Keep));
  ASSERT_TRUE(variant);
  EXPECT_THAT(variant->kept, ElementsAre("mlp"));
  EXPECT_FALSE(proposeRemat(makeHistory(90, RematKind::Keep)));
}

TEST(VariantProbes, MicrobatchesAreTriedForWhatCouldBeKept) {
  ProbeHistory history = makeHistory(90, RematKind::Keep);
  history.counts = {2, 4, 8};
  history.fixedBytes = 10;
  std::optional<Variant> variant = proposeCount(history);
  ASSERT_TRUE(variant);
  EXPECT_EQ(variant->microbatches, 2);
  // With 2 microbatches the plan takes 30 bytes and 104 ps, so 30 more fit: 94 ps are expected.
  VariantOutcome second = history.probed.front().outcome;
  second.cost.timePs = second.fastestPs = 104;
  second.cost.peakBytes = second.smallestBytes = 30;
  second.plans = {{104, 30, {"batch over data"}}};
  history.probed.push_back({Variant{2}, second});
  std::optional<VariantEstimate> estimate = estimateRemat(history, 2);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->timePs, 94);
  EXPECT_THAT(estimate->variant.kept, ElementsAre("mlp"));
  EXPECT_EQ(proposeRemat(history), estimate->variant);
}

TEST(VariantProbes, MicrobatchesAreNotTriedForWhatIsKeptAlready) {
  ProbeHistory history = makeHistory(90, RematKind::Keep);
  history.counts = {2, 4, 8};
  history.fixedBytes = 10;
  ASSERT_TRUE(proposeCount(history)) << "with everything kept, 90 ps are expected";
  // They are 99 ps, and it fits.
  Variant kept;
  kept.kept = {"mlp"};
  VariantOutcome outcome = history.probed.front().outcome;
  outcome.cost.timePs = outcome.fastestPs = 99;
  outcome.cost.peakBytes = outcome.smallestBytes = 85;
  outcome.plans = {{99, 85, {"batch over data"}}};
  history.probed.push_back({kept, outcome});
  EXPECT_FALSE(proposeCount(history));
}

TEST(VariantProbes, TheBestPipelineIsTriedWithWhatIsRecomputed) {
  ProbeHistory history = makeHistory(80, RematKind::Recompute);
  Variant staged;
  staged.pipeline = PipelineVariant{"pipe", 4};
  VariantOutcome outcome = history.probed.front().outcome;
  outcome.fastestPs = outcome.cost.timePs = 95;
  history.probed.push_back({staged, outcome});
  // Nothing fits: everything is recomputed.
  std::optional<Variant> both = proposePipeline(history);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->pipeline, staged.pipeline);
  EXPECT_THAT(both->recomputed, ElementsAre("mlp"));
  history.probed.push_back({*both, outcome});
  EXPECT_FALSE(proposePipeline(history)) << "it was tried";
}

TEST(VariantProbes, APipelineThatIsFarFromTheBestIsNotCombined) {
  ProbeHistory history = makeHistory(200, RematKind::Keep);
  Variant kept, staged;
  kept.kept = {"mlp"};
  staged.pipeline = PipelineVariant{"pipe", 4};
  VariantOutcome &first = history.probed.front().outcome;
  first.cost.timePs = first.fastestPs = 10000;
  VariantOutcome faster = first, slower = first;
  // Three quarters of 12,500 ps are more than 9,000 ps, those of 11,000 ps are less.
  slower.cost.timePs = slower.fastestPs = 12500;
  faster.cost.timePs = faster.fastestPs = 9000;
  history.probed.push_back({kept, faster});
  history.probed.push_back({staged, slower});
  EXPECT_FALSE(proposePipeline(history));
  history.probed.back().outcome.cost.timePs = history.probed.back().outcome.fastestPs = 11000;
  std::optional<Variant> both = proposePipeline(history);
  ASSERT_TRUE(both);
  EXPECT_THAT(both->kept, ElementsAre("mlp"));
}

TEST(VariantProbes, NothingIsProposedWhereNothingCanBeGained) {
  ProbeHistory history = makeHistory(200, RematKind::Recompute);
  history.counts = {2, 4};
  EXPECT_FALSE(proposeCount(history));
}

TEST(VariantProbes, TheBestVariantIsReordered) {
  ProbeHistory history = makeHistory(80, RematKind::Recompute);
  EXPECT_FALSE(proposeReorder(history)) << "no parts side by side";
  history.reorder = {{*partita::schedule::Pattern::parse("qkv", {}), 1, 8}};
  VariantOutcome outcome = history.probed.front().outcome;
  outcome.cost.peakBytes = 70;
  history.probed.push_back({Variant{1, {"mlp"}}, outcome});
  std::optional<Variant> variant = proposeReorder(history);
  ASSERT_TRUE(variant);
  EXPECT_TRUE(variant->isReordered);
  EXPECT_THAT(variant->recomputed, ElementsAre("mlp"));
  history.probed.push_back({*variant, outcome});
  EXPECT_FALSE(proposeReorder(history)) << "it is known";
}

/// A group of dims that becomes longer.
static PaddingCandidate makeCandidate(const char *name, int64_t size, int64_t paddedSize, uint32_t group) {
  PaddingCandidate candidate;
  candidate.name = name;
  candidate.size = size;
  candidate.paddedSize = paddedSize;
  candidate.group = group;
  return candidate;
}

/// Of a variant, with the same memory.
static void addProbe(ProbeHistory &history, Variant variant, int64_t timePs) {
  VariantOutcome outcome = history.probed.front().outcome;
  outcome.cost.timePs = outcome.fastestPs = timePs;
  history.probed.push_back({std::move(variant), outcome});
}

TEST(VariantProbes, PaddingIsAddedToTheBestVariant) {
  ProbeHistory history = makeHistory(200, RematKind::Recompute);
  EXPECT_FALSE(proposePadding(history)) << "everything divides";
  history.padding = {makeCandidate("heads", 12, 16, 0), makeCandidate("vocabulary", 50257, 50264, 1),
                     makeCandidate("sequence", 1023, 1024, 2), makeCandidate("few heads", 12, 14, 0)};
  // Those that cost nothing come first, and together.
  std::optional<Variant> variant = proposePadding(history);
  ASSERT_TRUE(variant);
  EXPECT_THAT(variant->padded, ElementsAre("vocabulary", "sequence"));
  addProbe(history, *variant, 90);
  variant = proposePadding(history);
  ASSERT_TRUE(variant);
  EXPECT_THAT(variant->padded, ElementsAre("heads", "vocabulary", "sequence"));
  addProbe(history, *variant, 80);
  // A group is padded once.
  variant = proposePadding(history);
  ASSERT_TRUE(variant);
  EXPECT_THAT(variant->padded, ElementsAre("vocabulary", "sequence", "few heads"));
  addProbe(history, *variant, 85);
  EXPECT_FALSE(proposePadding(history));
}

TEST(VariantProbes, WhatDidNotHelpTogetherIsTriedAlone) {
  ProbeHistory history = makeHistory(200, RematKind::Recompute);
  history.padding = {makeCandidate("vocabulary", 50257, 50264, 1), makeCandidate("sequence", 1023, 1024, 2)};
  addProbe(history, *proposePadding(history), 110);
  std::optional<Variant> variant = proposePadding(history);
  ASSERT_TRUE(variant);
  EXPECT_THAT(variant->padded, ElementsAre("vocabulary"));
  addProbe(history, *variant, 95);
  EXPECT_FALSE(proposePadding(history)) << "both were tried together";
}

TEST(VariantProbes, InnerDimsArePaddedInTheProgramAsItIs) {
  ProbeHistory history = makeHistory(200, RematKind::Recompute);
  history.padding = {makeCandidate("heads", 12, 16, 0)};
  addProbe(history, Variant{1, {"mlp"}}, 90);
  EXPECT_THAT(proposePadding(history)->recomputed, ElementsAre("mlp"));
  // Recomputation may change the names of inner values.
  history.padding.front().isInner = true;
  EXPECT_THAT(proposePadding(history)->recomputed, IsEmpty());
}
