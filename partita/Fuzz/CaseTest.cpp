//===- CaseTest.cpp - cases are judged, and wrong ones are found ----------===//

#include "partita/Fuzz/Campaign.h"
#include "partita/Fuzz/Children.h"
#include "partita/Fuzz/Coverage.h"
#include "partita/Fuzz/Shrink.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <csignal>
#include <unistd.h>

using namespace mlir;

namespace partita::fuzz {

TEST(Case, RandomCasesAreEqual) {
  CampaignOptions options;
  options.count = 200;
  std::string progress;
  llvm::raw_string_ostream stream(progress);
  CampaignReport report = runCampaign(options, stream);
  EXPECT_GE(report.counted, 200);
  for (const FailedCase &failure : report.failures)
    ADD_FAILURE() << "seed " << failure.seed << ": " << failure.reason;
  // Of each kind there are some.
  for (const char *kind : {"gathers in pieces", "scatters in pieces", "rotated reductions"})
    EXPECT_GE(report.splits[kind], 3) << kind;
}

/// A program without one of its reductions computes something else, nearly always: a sum of zeros may go unnoticed.
TEST(Case, DroppedReductionsAreFound) {
  std::unique_ptr<MLIRContext> context = makeFuzzContext();
  int mutants = 0, found = 0;
  for (uint64_t seed = 0; mutants < 60; ++seed) {
    Result<Case> input = makeCase(seed, *context);
    ASSERT_TRUE(bool(input));
    Result<LoweredCase> lowered = lowerCase(*input, /*allForms=*/false);
    if (!lowered)
      continue;
    stablehlo::AllReduceOp victim;
    lowered->local->walk([&](stablehlo::AllReduceOp op) { victim = op; });
    if (!victim)
      continue;
    victim->replaceAllUsesWith(victim.getOperands());
    victim->erase();
    ++mutants;
    found += judgeCase(*input, *lowered).verdict == Verdict::Wrong;
  }
  EXPECT_GE(found, 48);
}

TEST(Campaign, DoesNotDependOnTheNumberOfProcesses) {
  auto run = [](int64_t jobs) {
    return runSeeds(7, 60, jobs, [](uint64_t seed, MLIRContext &context) {
      Result<Case> input = makeCase(seed, context);
      return input ? runCase(*input) : CaseOutcome{Verdict::Wrong, input.error().str(), {}, 0};
    });
  };
  std::vector<CaseOutcome> one = run(1), three = run(3);
  ASSERT_EQ(one.size(), three.size());
  for (auto [a, b] : llvm::zip_equal(one, three)) {
    EXPECT_EQ(a.verdict, b.verdict);
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_EQ(a.splits, b.splits);
  }
}

TEST(Campaign, ACrashCostsOneCase) {
  std::vector<CaseOutcome> outcomes = runSeeds(0, 20, 2, [](uint64_t seed, MLIRContext &) -> CaseOutcome {
    if (seed == 5 || seed == 18)
      raise(SIGKILL);
    return {Verdict::Counted, "", {{"op parallel", int64_t(seed)}}, 1};
  });
  for (auto [seed, outcome] : llvm::enumerate(outcomes)) {
    bool died = seed == 5 || seed == 18;
    EXPECT_EQ(outcome.verdict, died ? Verdict::Crashed : Verdict::Counted) << seed;
    if (!died)
      EXPECT_EQ(outcome.splits.at("op parallel"), int64_t(seed));
  }
}

TEST(Coverage, EachClassOfRemaindersIsAskedForAsOftenAsOtherKinds) {
  auto isMissing = [](const std::string &name, int64_t count) {
    std::vector<std::string> lines = findUncovered({{name, count}}, 30);
    return llvm::is_contained(lines, name + ": " + std::to_string(count) + " times");
  };
  for (const char *kind : {"parallel", "uneven", "empty", "uneven+empty", "single"}) {
    std::string name = std::string("stablehlo.add ") + kind;
    EXPECT_TRUE(isMissing(name, 29)) << kind;
    EXPECT_FALSE(isMissing(name, 30)) << kind;
  }
}

TEST(Coverage, WhatCouldBeSplitAndWasNotIsFound) {
  CampaignOptions options;
  options.count = 300;
  std::string progress;
  llvm::raw_string_ostream stream(progress);
  std::map<std::string, int64_t> splits = runCampaign(options, stream).splits;
  EXPECT_GE(countKinds(splits), 100);
  auto has = [&](const std::string &line) { return llvm::is_contained(findUncovered(splits, 1), line); };
  EXPECT_FALSE(has("stablehlo.dot_general reduce: 0 times"));
  splits["stablehlo.dot_general reduce"] = 0;
  EXPECT_TRUE(has("stablehlo.dot_general reduce: 0 times"));
  for (const char *kind : {"reduce", "parallel", "uneven", "empty", "uneven+empty", "single"})
    splits.erase(std::string("stablehlo.dot_general ") + kind);
  EXPECT_TRUE(has("stablehlo.dot_general: no program has one that can be split"));
  for (const char *rewrite :
       {"programs of microbatches", "programs with recomputed values", "programs with kept values"}) {
    EXPECT_GT(splits[rewrite], 0) << rewrite;
    splits[rewrite] = 0;
    EXPECT_TRUE(has(std::string(rewrite) + ": 0"));
  }
  splits["stablehlo.rng parallel"] = 5;
  EXPECT_TRUE(has("stablehlo.rng: can be split, though it is listed as one that is not"));
  EXPECT_FALSE(has("stablehlo.add: no program has one that is padded"));
  for (const char *kind : {"uneven", "empty", "uneven+empty", "single"})
    splits.erase(std::string("stablehlo.add ") + kind);
  EXPECT_TRUE(has("stablehlo.add: no program has one that is padded"));
  for (const char *op : {"stablehlo.fft", "stablehlo.after_all", "sdy.all_gather"})
    EXPECT_FALSE(has(std::string(op) + ": no program has one that is padded")) << op;
  splits["stablehlo.fft uneven"] = 5;
  EXPECT_TRUE(has("stablehlo.fft: is padded, though it is listed as one that is not"));
}

} // namespace partita::fuzz
