//===- PlacementTest.cpp --------------------------------------------------===//

#include "partita/Temporal/Placement.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Program/Import/Import.h"
#include "partita/Program/Reader.h"
#include "partita/Support/Limits.h"

#include <gtest/gtest.h>

namespace partita::temporal {
namespace {

/// A program of one function, whose first argument is cut into two microbatches along dim 0.
class PlacementTest : public testing::Test {
protected:
  void decide(const std::string &arguments, const std::string &body) {
    std::string text = "func.func @main(" + arguments + ") -> " + body;
    auto read = parseProgram(text, "p.mlir", *context, Limits());
    ASSERT_TRUE(read) << read.error().str();
    module = std::move(*read);
    ASSERT_FALSE(importProgram(*module, ImportOptions(), Limits()));
    Result<Flattened> flat = flatten(*module, FlattenOptions());
    ASSERT_TRUE(flat) << flat.error().str();
    flattened = std::move(*flat);
    program = std::make_unique<MicroProgram>(flattened, 2);
    units = findUnits(*program);
    reached = computeReach(*program, Root{flattened.graph.arguments.front(), 0});
    IdVector<OpId, uint8_t> forbidden(flattened.graph.ops.size(), 0);
    forms = computeForms(*program, choosePassing(*program, units, reached, forbidden), reached);
    auto placed = placeUnits(*program, units, reached, forms, /*passes=*/1, forbidden);
    ASSERT_TRUE(placed) << placed.error().str();
    ASSERT_TRUE(*placed);
    placement = **placed;
  }

  /// The first op of that name.
  OpId find(llvm::StringRef name) const {
    for (OpId op : idRange<OpId>(flattened.graph.ops.size()))
      if (flattened.graph.getName(flattened.graph.ops[op].opName) == name)
        return op;
    return {};
  }
  const UnitPlace &placeOf(llvm::StringRef name) const { return placement.places[units.ofOp[find(name)]]; }
  ValueForm formOf(llvm::StringRef name) const { return forms.cells[flattened.graph.getResults(find(name)).front()]; }

  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Flattened flattened;
  std::unique_ptr<MicroProgram> program;
  Units units;
  Reached reached;
  Forms forms;
  MicroPlacement placement;
};

TEST_F(PlacementTest, WhatNeedsASumRunsBehindTheLoop) {
  decide("%x: tensor<8xf32>", R"(tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.tanh %x : tensor<8xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  })");
  EXPECT_EQ(placement.numLoops, 1);
  EXPECT_TRUE(placeOf("stablehlo.tanh").isIn(1));
  EXPECT_EQ(formOf("stablehlo.tanh").form, Form::Piece);
  EXPECT_EQ(formOf("stablehlo.reduce").form, Form::Partial);
  EXPECT_EQ(placeOf("stablehlo.sqrt").stage, 1);
  EXPECT_TRUE(placeOf("stablehlo.sqrt").loops.none());
  ASSERT_EQ(placement.outputs.size(), 1u);
}

TEST_F(PlacementTest, WhatABarrierNeedsIsComputedInBothLoops) {
  decide("%x: tensor<8xf32>", R"(tensor<8xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.tanh %x : tensor<8xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.divide %0, %3 : tensor<8xf32>
    return %4 : tensor<8xf32>
  })");
  EXPECT_EQ(placement.numLoops, 2);
  EXPECT_TRUE(placeOf("stablehlo.tanh").isIn(1));
  EXPECT_TRUE(placeOf("stablehlo.tanh").isIn(2));
  EXPECT_FALSE(placeOf("stablehlo.reduce").isIn(2));
  EXPECT_EQ(placeOf("stablehlo.sqrt").stage, 1);
  EXPECT_FALSE(placeOf("stablehlo.divide").isIn(1));
}

TEST_F(PlacementTest, ACostlyUnitRunsOnceAndItsValueIsKept) {
  decide("%x: tensor<8x4xf32>, %w: tensor<4x4xf32>", R"(tensor<8x4xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.sqrt %1 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    %4 = stablehlo.divide %0, %3 : tensor<8x4xf32>
    return %4 : tensor<8x4xf32>
  })");
  EXPECT_EQ(placement.numLoops, 2);
  EXPECT_TRUE(placeOf("stablehlo.dot_general").isIn(1));
  EXPECT_FALSE(placeOf("stablehlo.dot_general").isIn(2));
  EXPECT_TRUE(placeOf("stablehlo.divide").isIn(2));
  // The product and the sum leave the first loop, the quotient the second one.
  ASSERT_EQ(placement.outputs.size(), 3u);
  EXPECT_EQ(placement.outputs.front().cell, flattened.graph.getResults(find("stablehlo.dot_general")).front());
  EXPECT_EQ(placement.outputs.front().loop, 1);
}

TEST_F(PlacementTest, AnAddOfTermsIsOneSum) {
  decide("%x: tensor<8xbf16>", R"(tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<bf16>
    %0 = stablehlo.tanh %x : tensor<8xbf16>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xbf16>, tensor<bf16>) -> tensor<bf16>
    %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xbf16>, tensor<bf16>) -> tensor<bf16>
    %3 = stablehlo.add %1, %2 : tensor<bf16>
    %4 = stablehlo.convert %3 : (tensor<bf16>) -> tensor<f32>
    %5 = stablehlo.multiply %4, %4 : tensor<f32>
    return %5 : tensor<f32>
  })");
  ASSERT_EQ(placement.outputs.size(), 1u);
  EXPECT_EQ(formOf("stablehlo.add").form, Form::Partial);
  EXPECT_EQ(formOf("stablehlo.convert").form, Form::Partial);
  EXPECT_EQ(formOf("stablehlo.multiply").form, Form::Whole);
}

TEST_F(PlacementTest, OpsThatCompareRowsStayWhole) {
  decide("%x: tensor<8x4xf32>", R"(tensor<8x8xf32> {
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  })");
  EXPECT_EQ(reached.conflicts, std::vector<OpId>{find("stablehlo.dot_general")});
  EXPECT_EQ(formOf("stablehlo.dot_general").form, Form::Whole);
  EXPECT_EQ(placement.numLoops, 0);
}

} // namespace
} // namespace partita::temporal
