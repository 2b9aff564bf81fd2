//===- CommandsTest.cpp ---------------------------------------------------===//

#include "partita/Driver/Commands.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Driver/Stages.h"
#include "partita/Program/Reader.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::driver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char *product = R"(
func.func public @main(%x: tensor<8x4xf32> loc("x"), %w: tensor<4x6xf32> loc("w")) -> tensor<8x6xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
})";

/// A folder that is gone with the test.
class Folder {
public:
  Folder() { EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("driver", path)); }
  ~Folder() { EXPECT_FALSE(llvm::sys::fs::remove_directories(path)); }

  std::string write(llvm::StringRef name, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(getPath(name), error) << text;
    EXPECT_FALSE(error);
    return getPath(name);
  }
  std::string getPath(llvm::StringRef name) const {
    llvm::SmallString<128> file(path);
    llvm::sys::path::append(file, name);
    return file.str().str();
  }

private:
  llvm::SmallString<128> path;
};

/// What a command line prints on standard output, and its exit code.
struct Outcome {
  int code;
  std::string output, errors;
};

Outcome run(const std::vector<std::string> &words) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  int code = runCommandLine(words);
  llvm::outs().flush();
  std::string output = ::testing::internal::GetCapturedStdout();
  return {code, output, ::testing::internal::GetCapturedStderr()};
}

TEST(Commands, TakeTheirOwnOptionsAndNoOthers) {
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"graph", "x.json", "--machine", "h100-sxm:1x8"},
        {"eval", "x.mlir", "--budget", "3"},
        {"machines", "--schedule", "s.json"},
        {"fuzz", "--mesh", "x=2"},
        {"import", "x.mlir", "--devices", "8"},
        {"plan", "x.mlir", "--memory-limit-ppm", "3"}}) {
    Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words[0];
    EXPECT_THAT(outcome.errors, HasSubstr("unknown")) << words[0];
  }
}

TEST(Commands, NamesThatAreNearlyRightAreSuggested) {
  EXPECT_THAT(run({"pln", "x.mlir"}).errors, HasSubstr("unknown command 'pln'\n  remedy: did you mean 'plan'?"));
  EXPECT_THAT(run({"plan", "x.mlir", "--machin", "h100-sxm:1x8"}).errors, HasSubstr("did you mean --machine?"));
  EXPECT_THAT(run({"plan", "x.mlir", "--search", "baem"}).errors, HasSubstr("did you mean 'beam'?"));
  EXPECT_THAT(run({"frobnicate"}).errors, HasSubstr("see partita --help"));
}

TEST(Commands, PrintTheirOwnOptionsAndNoOthers) {
  EXPECT_THAT(run({"plan", "--help"}).output, HasSubstr("--budget"));
  EXPECT_THAT(run({"eval", "--help"}).output, HasSubstr("--exact"));
  EXPECT_THAT(run({"eval", "--help"}).output, Not(HasSubstr("--budget")));
  EXPECT_THAT(run({"machines", "--help"}).output, Not(HasSubstr("--schedule")));
  EXPECT_THAT(run({"score", "--help"}).output, Not(HasSubstr("--max-steps")));
}

TEST(Commands, ThatDoNotExistOrLackAFileAreErrorsOfUsage) {
  EXPECT_EQ(run({}).code, 2);
  EXPECT_EQ(run({"paint"}).code, 2);
  EXPECT_EQ(run({"diff", "a.mlir", "b.json"}).code, 2);
  EXPECT_EQ(run({"--version"}).code, 0);
}

TEST(Commands, ExactModeHasItsOldName) {
  Folder folder;
  std::string program = folder.write("p.mlir", product);
  Outcome exact = run({"eval", program, "--exact"}), ring = run({"eval", program, "--ring"}),
          plain = run({"eval", program});
  EXPECT_EQ(exact.code, 0) << exact.errors;
  EXPECT_EQ(exact.output, ring.output);
  EXPECT_NE(exact.output, plain.output);
}

class StagesTest : public ::testing::Test {
protected:
  StagesTest() : clock(false), context(makeContext()) {
    auto read = parseProgram(product, "p.mlir", *context, Limits());
    module = std::move(*read);
    EXPECT_FALSE(importProgram(*module, ImportOptions(), Limits()));
  }

  StageClock clock;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(StagesTest, AScheduleBecomesAPlanThatIsPricedAndSimulated) {
  Folder folder;
  PlanningOptions options;
  options.plan.mesh = "data=2";
  options.plan.schedule =
      folder.write("s.json", R"({"tactics": [{"name": "BP", "axis": "data", "tile": [["x", 0]]}]})");
  options.machine.machine = "h100-sxm:1x2";
  Result<MadePlan> made = makePlan(*module, options, {}, clock);
  ASSERT_TRUE(made) << made.error().str();
  EXPECT_EQ(made->plan->outcome.actions.size(), 1u);
  EXPECT_EQ(made->plan->reshards.size(), 0u);
  Result<MadePlan> again = makePlan(*module, options, {}, clock);
  EXPECT_TRUE(made->plan->assignment.isEquivalent(again->plan->assignment));
  Result<ScoredPlan> scored = scorePlan(std::move(*made), options.machine, {}, clock);
  ASSERT_TRUE(scored) << scored.error().str();
  EXPECT_EQ(scored->score.prices->timePs, scored->price->getCost().timePs);
  EXPECT_EQ(scored->score.prices->simulatedPs, scored->timeline.totalPs);
  EXPECT_EQ(scored->score.prices->peakBytes, scored->price->getCost().peakBytes);
  EXPECT_EQ(scored->score.prices->flops, 2 * 8 * 4 * 6);
  EXPECT_TRUE(scored->score.prices->fits());
}

TEST_F(StagesTest, WithoutAMachineThereIsNoPrice) {
  PlanningOptions options;
  options.plan.mesh = "data=2";
  options.automatic.search.method = "none";
  Result<MadePlan> made = makePlan(*module, options, {}, clock);
  ASSERT_TRUE(made) << made.error().str();
  Result<ScoredPlan> scored = scorePlan(std::move(*made), options.machine, {}, clock);
  ASSERT_TRUE(scored);
  EXPECT_EQ(scored->price, nullptr);
  EXPECT_FALSE(scored->score.prices);
}

TEST_F(StagesTest, WhatIsMissingOrExcludesOtherThingsIsAnErrorOfUsage) {
  PlanningOptions options;
  auto getReason = [&] {
    Result<MadePlan> made = makePlan(*module, options, {}, clock);
    EXPECT_EQ(made.error().code, ExitCode::Usage);
    return made.error().reason;
  };
  EXPECT_EQ(getReason(), "there is nothing to plan with");
  options.machine.machine = "h100-sxm:1x2";
  EXPECT_EQ(getReason(), "there is no mesh");
  options.automatic.devices = 2;
  options.machine.placement = "data=nvlink";
  EXPECT_EQ(getReason(), "--placement needs a mesh");
  options.machine.placement.clear();
  options.plan.mesh = "data=4";
  EXPECT_EQ(getReason(), "--devices is 2, but mesh data=4 has 4 devices");
  options.plan.mesh.clear();
  options.plan.plan = options.plan.schedule = "s.json";
  EXPECT_EQ(getReason(), "--plan and --schedule exclude each other");
}

} // namespace
} // namespace partita::driver
