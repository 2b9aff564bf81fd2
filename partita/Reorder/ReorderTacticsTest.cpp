//===- ReorderTacticsTest.cpp ---------------------------------------------===//

#include "partita/Reorder/ReorderTactics.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Program/Import/Import.h"
#include "partita/Program/Reader.h"
#include "partita/Support/Limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::reorder {
namespace {

using testing::ElementsAre;

/// A program of one function, whose argument `w` is reordered for two devices along dim 1.
class ReorderTacticsTest : public testing::Test {
protected:
  Result<ReorderReport> reorder(const std::string &body, bool isStored = false, int64_t groups = 2) {
    std::string text = "func.func @main(%w: tensor<4x12xf32> loc(\"w\"), %x: tensor<4x4xf32> loc(\"x\")) -> " + body;
    auto read = parseProgram(text, "p.mlir", *context, Limits());
    EXPECT_TRUE(read) << read.error().str();
    module = std::move(*read);
    EXPECT_FALSE(importProgram(*module, ImportOptions(), Limits()));
    Result<Pattern> pattern = Pattern::parse("w", {});
    ReorderTactic tactic{"reorder", {{*pattern, 1, groups}}, isStored};
    return applyReorderTactic(*module, tactic, FlattenOptions());
  }

  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

const char *const fused = R"((tensor<4x6xf32>, tensor<4x4xf32>) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
  %q = stablehlo.slice %y [0:4, 0:6] : (tensor<4x12xf32>) -> tensor<4x6xf32>
  %r = stablehlo.slice %y [0:4, 6:12] : (tensor<4x12xf32>) -> tensor<4x6xf32>
  %k = stablehlo.slice %r [0:4, 0:2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
  %v = stablehlo.slice %r [0:4, 2:6] : (tensor<4x6xf32>) -> tensor<4x4xf32>
  %s = stablehlo.dot_general %k, %k, contracting_dims = [1] x [1] : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  %o = stablehlo.add %s, %v : tensor<4x4xf32>
  return %q, %o : tensor<4x6xf32>, tensor<4x4xf32>
})";

TEST_F(ReorderTacticsTest, PartsOfPartsAreParts) {
  Result<ReorderReport> report = reorder(fused);
  ASSERT_TRUE(report) << report.error().str();
  ASSERT_EQ(report->dims.size(), 1u);
  EXPECT_THAT(report->dims.front().order.parts, ElementsAre(6, 2, 4));
  // Four slices; only the weight is brought into its order, and no result is brought back: slices of one part are in
  // the program's.
  EXPECT_EQ(report->counts.numBridges, 4);
  EXPECT_EQ(report->counts.numReorders, 1);
  EXPECT_EQ(report->counts.numRestores, 0);
  EXPECT_TRUE(report->stored.empty());
}

TEST_F(ReorderTacticsTest, WhatDoesNotComeBackIsStored) {
  Result<ReorderReport> report = reorder(fused, /*isStored=*/true);
  ASSERT_TRUE(report) << report.error().str();
  EXPECT_EQ(report->counts.numReorders, 0);
  ASSERT_EQ(report->stored.size(), 1u);
  EXPECT_THAT(report->stored.front().parts, ElementsAre(6, 2, 4));
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  auto type = llvm::cast<mlir::RankedTensorType>(main.getArgument(0).getType());
  EXPECT_THAT(type.getShape(), ElementsAre(4, 2, 6));
  std::optional<StoredDim> stored = readOrderAttr(main.getArgAttr(0, orderAttributeName), type);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->dim, 1u);
  EXPECT_EQ(stored->order.groups, 2);
}

TEST_F(ReorderTacticsTest, OpsThatCountAlongTheDimSeeTheProgramsOrder) {
  Result<ReorderReport> report = reorder(R"(tensor<4x6xf32> {
    %i = stablehlo.iota dim = 1 : tensor<4x12xf32>
    %y = stablehlo.multiply %w, %i : tensor<4x12xf32>
    %z = stablehlo.reverse %y, dims = [1] : tensor<4x12xf32>
    %q = stablehlo.slice %y [0:4, 0:6] : (tensor<4x12xf32>) -> tensor<4x6xf32>
    %k = stablehlo.slice %y [0:4, 6:12] : (tensor<4x12xf32>) -> tensor<4x6xf32>
    %u = stablehlo.slice %z [0:4, 0:6] : (tensor<4x12xf32>) -> tensor<4x6xf32>
    %a = stablehlo.add %q, %k : tensor<4x6xf32>
    %b = stablehlo.add %a, %u : tensor<4x6xf32>
    return %b : tensor<4x6xf32>
  })");
  ASSERT_TRUE(report) << report.error().str();
  // The weight and the numbers; the product goes back for the reversal.
  EXPECT_EQ(report->counts.numReorders, 2);
  EXPECT_EQ(report->counts.numRestores, 1);
}

TEST_F(ReorderTacticsTest, GroupsDivideEachPart) {
  // Three devices share 6 columns, and not 2 or 4 of them: these stay together.
  Result<ReorderReport> some = reorder(fused, false, 3);
  ASSERT_TRUE(some) << some.error().str();
  EXPECT_THAT(some->dims.front().order.parts, ElementsAre(6, 6));
  for (int64_t groups : {4, 5}) {
    Result<ReorderReport> report = reorder(fused, false, groups);
    ASSERT_FALSE(report) << groups;
    EXPECT_NE(report.error().reason.find("has no parts side by side"), std::string::npos);
  }
}

} // namespace
} // namespace partita::reorder
