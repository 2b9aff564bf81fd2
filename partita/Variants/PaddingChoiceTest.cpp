//===- PaddingChoiceTest.cpp ----------------------------------------------===//

#include "partita/Variants/PaddingChoice.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Machine/MachineFile.h"
#include "partita/Machine/PlacementMatrix.h"
#include "partita/Program/Import/Import.h"
#include "partita/Program/Reader.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Support/Limits.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita::variants;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

namespace partita::variants {

TEST(PaddingChoice, MultiplesOfAllDevicesServeForThoseOfAxes) {
  // 50264 = 8 * 6283; 50258 and 50260 are hardly shorter.
  EXPECT_THAT(listMultiples(50257, *parseMesh("data=2,model=4"), false), ElementsAre(8));
}

TEST(PaddingChoice, NothingIsListedWhereAllDevicesDivide) {
  EXPECT_THAT(listMultiples(50264, *parseMesh("data=2,model=4"), true), IsEmpty());
}

TEST(PaddingChoice, HeadsMayBecomeAThirdLonger) {
  // 12 -> 16; axes of 4 and 2 divide 12.
  EXPECT_THAT(listMultiples(12, *parseMesh("data=2,model=4"), false), ElementsAre(8));
  // 25 -> 32 (28%), 28 (12%), 26 (4%): by products of axes, or by parts of one.
  EXPECT_THAT(listMultiples(25, *parseMesh("data=2,model=4"), false), ElementsAre(8, 4, 2));
  EXPECT_THAT(listMultiples(25, *parseMesh("model=8"), false), ElementsAre(8));
  EXPECT_THAT(listMultiples(25, *parseMesh("model=8"), true), ElementsAre(8, 4, 2));
}

TEST(PaddingChoice, NoMoreThanHalfOfADimIsAdded) {
  EXPECT_THAT(listMultiples(5, *parseMesh("data=8"), false), IsEmpty());
  EXPECT_THAT(listMultiples(3, *parseMesh("data=2"), false), ElementsAre(2));
  EXPECT_THAT(listMultiples(1, *parseMesh("data=2"), false), IsEmpty());
}

namespace {

/// 12 heads of 64 behind a reshape, and an argument of 50257 rows.
class PaddingGains : public testing::Test {
protected:
  void SetUp() override {
    const char *text =
        R"(func.func @main(%x: tensor<512x768xf32>, %y: tensor<512x768xf32>, %w: tensor<768x768xf32>, %table: tensor<50257x64xf32>)
        -> (tensor<12x512x512xf32>, tensor<50257x64xf32>, tensor<8xf32>) {
      %z = stablehlo.constant dense<0.0> : tensor<8xf32>
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x768xf32>, tensor<768x768xf32>) -> tensor<512x768xf32>
      %1 = stablehlo.reshape %0 : (tensor<512x768xf32>) -> tensor<512x12x64xf32>
      %k = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<512x768xf32>, tensor<768x768xf32>) -> tensor<512x768xf32>
      %k1 = stablehlo.reshape %k : (tensor<512x768xf32>) -> tensor<512x12x64xf32>
      %2 = stablehlo.dot_general %1, %k1, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<512x12x64xf32>, tensor<512x12x64xf32>) -> tensor<12x512x512xf32>
      %3 = stablehlo.exponential %table : tensor<50257x64xf32>
      return %2, %3, %z : tensor<12x512x512xf32>, tensor<50257x64xf32>, tensor<8xf32>
    })";
    auto read = parseProgram(text, "p.mlir", *context, Limits());
    ASSERT_TRUE(read) << read.error().str();
    module = std::move(*read);
    ASSERT_FALSE(importProgram(*module, ImportOptions(), Limits()));
    Result<Flattened> made = flatten(*module, FlattenOptions());
    ASSERT_TRUE(made) << made.error().str();
    flattened = std::move(*made);
  }

  std::vector<std::pair<int64_t, int64_t>> list(llvm::StringRef mesh) const {
    std::vector<std::pair<int64_t, int64_t>> sizes;
    for (const PaddingCandidate &candidate : listPadding(flattened, LazyAnalysis(flattened.graph), *parseMesh(mesh)))
      sizes.emplace_back(candidate.size, candidate.paddedSize);
    return sizes;
  }

  /// Under a schedule, on eight H100s.
  std::vector<PaddingCandidate> bound(llvm::StringRef mesh, llvm::StringRef schedule) const {
    std::vector<PaddingCandidate> candidates = listPadding(flattened, LazyAnalysis(flattened.graph), *parseMesh(mesh));
    Result<Schedule> tactics = readSchedule(schedule, "s.json");
    EXPECT_TRUE(tactics);
    PlannedProgram program(flattened.graph);
    StageClock silent(false);
    Result<PlanPtr> plan = buildPlan(program, *parseMesh(mesh), std::move(*tactics), {}, silent);
    EXPECT_TRUE(plan) << plan.error().str();
    Machine machine = *resolveMachine("h100-sxm:1x8");
    Result<Placement> placement = findPlacement("", *parseMesh(mesh), machine);
    EXPECT_TRUE(placement);
    boundGains(*pricePlan(**plan, {machine, std::move(*placement), CostOptions()}), Analysis(flattened.graph),
               candidates);
    return candidates;
  }

  static int64_t findGain(llvm::ArrayRef<PaddingCandidate> candidates, int64_t size) {
    for (const PaddingCandidate &candidate : candidates)
      if (candidate.size == size)
        return candidate.gainPs;
    return -1;
  }

  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Flattened flattened;
};

} // namespace

TEST_F(PaddingGains, InnerDimsAreListed) {
  // 768 divides by 8; its major part of 12 does not.
  // Of 50264 rows devices have 6283 each, of 50304 they have 6288, a multiple of 8.
  EXPECT_THAT(list("model=8"), UnorderedElementsAre(Pair(12, 16), Pair(50257, 50264), Pair(50257, 50304)));
  EXPECT_THAT(list("model=4"), UnorderedElementsAre(Pair(50257, 50260), Pair(50257, 50272)));
  EXPECT_THAT(list("model=2,data=2"), UnorderedElementsAre(Pair(50257, 50260), Pair(50257, 50272)));
  EXPECT_THAT(list("model=1"), IsEmpty());
}

TEST_F(PaddingGains, WhatDevicesShareAlreadyGainsNothing) {
  std::vector<PaddingCandidate> whole = bound("model=8", R"({"tactics": []})");
  EXPECT_GT(findGain(whole, 12), 0);
  EXPECT_GT(findGain(whole, 50257), 0);
  // All eight devices share the rows of x, so only what is computed of y could be split further.
  std::vector<PaddingCandidate> split =
      bound("model=8", R"({"tactics": [{"axis": "model", "tile": [["arg0", 0], ["arg3", 1]]}]})");
  EXPECT_LT(findGain(split, 12), findGain(whole, 12) / 2);
  EXPECT_EQ(findGain(split, 50257), 0);
}

TEST_F(PaddingGains, TheLargestGainComesFirst) {
  std::vector<PaddingCandidate> candidates(4);
  for (auto [number, gain] : llvm::enumerate(std::vector<int64_t>{5, 100, 50, 60})) {
    candidates[number].gainPs = gain;
    candidates[number].bytes = double(gain);
    candidates[number].size = candidates[number].paddedSize = int64_t(number);
    candidates[number].group = number == 0 ? 0 : 1;
  }
  auto list = [&](bool fits) {
    std::vector<int64_t> gains;
    for (const PaddingCandidate &candidate : choosePadding(candidates, 1000, fits))
      gains.push_back(candidate.gainPs);
    return gains;
  };
  // 5 of 1000 ps are not worth a probe, and of one group two are enough.
  EXPECT_THAT(list(true), ElementsAre(100, 60));
  EXPECT_THAT(list(false), ElementsAre(100, 60, 5)) << "by bytes";
  // As much, with less.
  candidates[1].size = candidates[3].size;
  candidates[3].gainPs = 100;
  EXPECT_THAT(list(true), ElementsAre(100, 50));
}

TEST_F(PaddingGains, NamesSayWhatBecomesLonger) {
  std::vector<PaddingCandidate> candidates =
      listPadding(flattened, LazyAnalysis(flattened.graph), *parseMesh("model=8"));
  candidates.push_back(candidates.front());
  namePadding(Analysis(flattened.graph), candidates);
  std::vector<std::string> names;
  for (const PaddingCandidate &candidate : candidates)
    names.push_back(candidate.name);
  EXPECT_EQ(llvm::StringRef(names.front()).rsplit(' ').second.str() + " (2)",
            llvm::StringRef(names.back()).rsplit("-> ").second);
  EXPECT_THAT(names, testing::Each(testing::HasSubstr(" -> ")));
}

} // namespace partita::variants
