//===- PaddingValidatorTest.cpp - the validator can fail ------------------===//

#include "partita/ValidateRules/PaddingValidator.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::validate {
namespace {

constexpr char sum[] = R"(func.func @main(%x: tensor<5x3xf32>) {
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0]
    : (tensor<5x3xf32>, tensor<f32>) -> tensor<3xf32>
  return })";

/// The cases of the last op before `return`.
PaddedOpReport validate(const char *program, const program::rules::RuleTable &table, PadRewrite rewrite) {
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, context.get());
  auto main = module->lookupSymbol<func::FuncOp>("main");
  UserRules userRules;
  ValidatorOptions options;
  return validatePadding(main.getBody().front().getTerminator()->getPrevNode(), {table, userRules, options}, rewrite);
}

/// Takes what is masked as it is.
Result<padding::PaddedProgram> padWithoutMasks(ModuleOp module, const Flattened &flattened,
                                               const padding::PaddingRequest &request, const UserRules &userRules) {
  auto done = padding::padProgram(module, flattened, request, userRules);
  module->walk([](stablehlo::SelectOp mask) { mask.getResult().replaceAllUsesWith(mask.getOnTrue()); });
  return done;
}

TEST(PaddingValidatorTest, EachDimIsPaddedForDevicesThatDoNotDivideIt) {
  PaddedOpReport report = validate(sum, program::rules::getRuleTable(), padding::padProgram);
  EXPECT_EQ(report.skipped, "");
  EXPECT_TRUE(report.wrong.empty());
  // 5 rows: all of 2, 3, 4, 6, 7, 8, 16; 3 columns: all but 3.
  ASSERT_EQ(report.cases.size(), 14u);
  for (const PaddingCase &tried : report.cases) {
    EXPECT_TRUE(tried.isPadded) << tried.dim << " over " << tried.parts;
    EXPECT_TRUE(tried.isSplit) << tried.dim << " over " << tried.parts;
  }
}

TEST(PaddingValidatorTest, PaddingThatShowsIsFound) {
  PaddedOpReport report = validate(sum, program::rules::getRuleTable(), padWithoutMasks);
  ASSERT_FALSE(report.wrong.empty());
  EXPECT_EQ(report.wrong.front().what, "poison");
  EXPECT_EQ(report.wrong.front().dim, "operand 0, dim 0");
  EXPECT_EQ(report.wrong.front().difference.reason, "the result differs");
}

TEST(PaddingValidatorTest, AWrongLocalFormOfAPaddedOpIsFound) {
  // The op itself on each device: the init value is added once for each of them.
  constexpr char biased[] = R"(func.func @main(%x: tensor<5xf32>, %i: tensor<f32>) {
    %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0]
      : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    return })";
  program::rules::RuleTable table = program::rules::getRuleTable();
  table.add<stablehlo::ReduceOp, +[](stablehlo::ReduceOp op, program::rules::RuleContext &context) {
    return *computeRule(op, context.userRules);
  }>();
  PaddedOpReport report = validate(biased, table, padding::padProgram);
  ASSERT_FALSE(report.wrong.empty());
  EXPECT_EQ(report.wrong.front().what, "a/2");
}

} // namespace
} // namespace partita::validate
