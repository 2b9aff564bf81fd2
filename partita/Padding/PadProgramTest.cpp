//===- PadProgramTest.cpp -------------------------------------------------===//

#include "partita/Padding/PadProgram.h"

#include "partita/Dialect/AllDialects.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Import.h"
#include "partita/Program/Reader.h"
#include "partita/Support/Limits.h"

#include <gtest/gtest.h>

namespace partita::padding {
namespace {

/// A program of one function whose first argument is padded along dim 0.
class PadProgramTest : public testing::Test {
protected:
  void pad(const std::string &arguments, const std::string &body, int64_t multiple, int64_t inner = 1) {
    std::string text = "func.func @main(" + arguments + ") -> " + body;
    auto read = parseProgram(text, "p.mlir", *context, Limits());
    ASSERT_TRUE(read) << read.error().str();
    module = std::move(*read);
    ASSERT_FALSE(importProgram(*module, ImportOptions(), Limits()));
    Result<Flattened> flattened = flatten(*module, FlattenOptions());
    ASSERT_TRUE(flattened) << flattened.error().str();
    auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
    PaddingRequest request;
    request.roots = {{main.getArgument(0), 0, multiple, inner}};
    Result<PaddedProgram> done = padProgram(*module, *flattened, request, UserRules());
    ASSERT_TRUE(done) << done.error().str();
    padded = std::move(*done);
  }

  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  PaddedProgram padded;
};

TEST_F(PadProgramTest, ElementwiseOpsNeedNoMask) {
  pad("%x: tensor<6x2xf32>", R"(tensor<6x2xf32> {
    %0 = stablehlo.exponential %x : tensor<6x2xf32>
    %1 = stablehlo.add %0, %x : tensor<6x2xf32>
    return %1 : tensor<6x2xf32>
  })",
      4);
  EXPECT_EQ(padded.groups.front().getPaddedRows(), 8);
  EXPECT_EQ(padded.counts.numOps, 2);
  EXPECT_EQ(padded.counts.numMasks, 0);
  // The argument is padded, the result is cut.
  EXPECT_EQ(padded.counts.numPads, 1);
  EXPECT_EQ(padded.counts.numCuts, 1);
}

TEST_F(PadProgramTest, ZerosNeedNoMaskInASum) {
  pad("%x: tensor<6x2xf32>", R"(tensor<2xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<6x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
      4);
  EXPECT_EQ(padded.counts.numMasks, 0);
}

TEST_F(PadProgramTest, WhatIsNotKnownIsMaskedInBothOperandsOfAProduct) {
  // exp(0) is 1, and 1 / 0 is infinite.
  pad("%x: tensor<6x2xf32>", R"(tensor<2x2xf32> {
    %0 = stablehlo.divide %x, %x : tensor<6x2xf32>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  })",
      4);
  EXPECT_EQ(padded.counts.numMasks, 2);
}

TEST_F(PadProgramTest, OneZeroAndOneFiniteOperandNeedNone) {
  pad("%x: tensor<6x2xf32>", R"(tensor<2x2xf32> {
    %0 = stablehlo.exponential %x : tensor<6x2xf32>
    %1 = stablehlo.dot_general %0, %x, contracting_dims = [0] x [0] : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  })",
      4);
  EXPECT_EQ(padded.counts.numMasks, 0);
}

TEST_F(PadProgramTest, ReshapesKeepPaddingOfTheMajorFactor) {
  // 3 rows of 4 elements in a dim of 12: 4 rows, 16 elements.
  pad("%x: tensor<12xf32>", R"(tensor<3x4xf32> {
    %0 = stablehlo.negate %x : tensor<12xf32>
    %1 = stablehlo.reshape %0 : (tensor<12xf32>) -> tensor<3x4xf32>
    %2 = stablehlo.negate %1 : tensor<3x4xf32>
    return %2 : tensor<3x4xf32>
  })",
      4, /*inner=*/4);
  EXPECT_EQ(padded.counts.numOps, 3);
  EXPECT_EQ(padded.counts.numCuts, 1);
}

TEST_F(PadProgramTest, PaddingStopsAtAMinorFactor) {
  // [6, 2] -> [12] keeps rows together; [2, 6] -> [12] would have padding inside.
  pad("%x: tensor<6x2xf32>", R"(tensor<12xf32> {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x2xf32>) -> tensor<2x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<2x6xf32>) -> tensor<12xf32>
    %2 = stablehlo.negate %1 : tensor<12xf32>
    return %2 : tensor<12xf32>
  })",
      4);
  EXPECT_EQ(padded.counts.numOps, 1);
  EXPECT_EQ(padded.counts.numCuts, 1);
}

TEST_F(PadProgramTest, ASortAlongTheDimSeesItsElements) {
  pad("%x: tensor<6xf32>", R"(tensor<6xf32> {
    %0 = stablehlo.negate %x : tensor<6xf32>
    %1 = "stablehlo.sort"(%0) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<6xf32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  })",
      4);
  EXPECT_EQ(padded.counts.numOps, 1);
  EXPECT_EQ(padded.counts.numCuts, 1);
}

TEST_F(PadProgramTest, WindowsBecomeAsManyAsRows) {
  // 8 rows have 6 windows of 3; 8 are computed. No element sees padding.
  pad("%x: tensor<8x2xf32>", R"(tensor<6x2xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x2xf32>, tensor<f32>) -> tensor<6x2xf32>
    %1 = stablehlo.negate %0 : tensor<6x2xf32>
    return %1 : tensor<6x2xf32>
  })",
      2);
  EXPECT_EQ(padded.counts.numMasks, 0);
  EXPECT_EQ(padded.counts.numOps, 2);
  module->walk([](stablehlo::ReduceWindowOp op) {
    EXPECT_EQ(mlir::cast<mlir::RankedTensorType>(op.getResult(0).getType()).getDimSize(0), 8);
    EXPECT_EQ(op.getPaddingAttr().getValues<int64_t>()[1], 2);
  });
}

TEST_F(PadProgramTest, ASliceGoesOnBehindItsElements) {
  // 7 of 8 rows, for 2 devices: 8 again.
  pad("%x: tensor<8x2xf32>", R"(tensor<7x2xf32> {
    %0 = stablehlo.slice %x [1:8, 0:2] : (tensor<8x2xf32>) -> tensor<7x2xf32>
    %1 = stablehlo.negate %0 : tensor<7x2xf32>
    return %1 : tensor<7x2xf32>
  })",
      2);
  EXPECT_EQ(padded.counts.numOps, 2);
  module->walk([](stablehlo::PadOp op) {
    EXPECT_EQ(op.getEdgePaddingLow()[0], -1);
    EXPECT_EQ(op.getEdgePaddingHigh()[0], 1);
  });
}

TEST_F(PadProgramTest, ASliceWithAStrideHasABlockForEachRow) {
  // Rows 3, 5 and 7 of 9, for 2 devices: 4 rows of 4 blocks, the first of which is that of rows 2 and 3.
  pad("%x: tensor<9x2xf32>", R"(tensor<3x2xf32> {
    %0 = stablehlo.slice %x [3:9:2, 0:2] : (tensor<9x2xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.negate %0 : tensor<3x2xf32>
    return %1 : tensor<3x2xf32>
  })",
      2);
  EXPECT_EQ(padded.counts.numOps, 2);
  int64_t numSlices = 0;
  module->walk([&](stablehlo::SliceOp op) {
    numSlices += op.getStrides()[0] == 2;
    if (op.getStrides()[0] == 2) {
      EXPECT_EQ(op.getStartIndices()[0], 1);
      EXPECT_EQ(op.getOperand().getType().getDimSize(0), 8);
      EXPECT_EQ(op.getType().getDimSize(0), 4);
    }
  });
  EXPECT_EQ(numSlices, 1);
}

TEST_F(PadProgramTest, RowsThatAreSpreadBecomeBlocks) {
  // 7 rows, 2 apart, behind 3 others: 16 rows. For 2 devices 8 blocks, which move by 2 rows.
  pad("%x: tensor<7x2xf32>", R"(tensor<16x2xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.pad %x, %z, low = [3, 0], high = [0, 0], interior = [1, 0] : (tensor<7x2xf32>, tensor<f32>) -> tensor<16x2xf32>
    %1 = stablehlo.negate %0 : tensor<16x2xf32>
    return %1 : tensor<16x2xf32>
  })",
      2);
  EXPECT_EQ(padded.counts.numOps, 2);
  std::vector<std::array<int64_t, 3>> pads;
  module->walk([&](stablehlo::PadOp op) {
    pads.push_back({op.getEdgePaddingLow()[0], op.getInteriorPadding()[0], op.getEdgePaddingHigh()[0]});
  });
  // The argument; blocks of a row and the one before it; whole blocks.
  EXPECT_EQ(pads, (std::vector<std::array<int64_t, 3>>{{0, 0, 1}, {1, 1, 0}, {2, 0, -2}}));
}

TEST_F(PadProgramTest, RowsBehindAnOperandAreThoseOfTheNext) {
  // 5 and 6 rows, and one that every device has. For 2 devices 6, 6 and 12.
  pad("%x: tensor<5x2xf32>, %y: tensor<6x2xf32>, %one: tensor<1x2xf32>", R"(tensor<12x2xf32> {
    %0 = stablehlo.concatenate %x, %one, %y, dim = 0 : (tensor<5x2xf32>, tensor<1x2xf32>, tensor<6x2xf32>) -> tensor<12x2xf32>
    %1 = stablehlo.negate %0 : tensor<12x2xf32>
    return %1 : tensor<12x2xf32>
  })",
      2);
  EXPECT_EQ(padded.counts.numOps, 2);
  EXPECT_EQ(padded.counts.numMasks, 2);
  module->walk([](stablehlo::ConcatenateOp) { ADD_FAILURE() << "is written as selects"; });
}

TEST_F(PadProgramTest, TheLeastOfAllIsBehindTheLargest) {
  pad("%x: tensor<7xf32>", R"((tensor<2xf32>, tensor<2xi32>) {
    %0 = stablehlo.negate %x : tensor<7xf32>
    %1:2 = chlo.top_k(%0, k = 2) : tensor<7xf32> -> (tensor<2xf32>, tensor<2xi32>)
    return %1#0, %1#1 : tensor<2xf32>, tensor<2xi32>
  })",
      4);
  EXPECT_EQ(padded.counts.numOps, 2);
  EXPECT_EQ(padded.counts.numMasks, 1);
  EXPECT_EQ(padded.counts.numCuts, 0);
}

TEST_F(PadProgramTest, FewRowsForManyDevicesAreLeftAlone) {
  pad("%x: tensor<8x2xf32>", R"(tensor<2x2xf32> {
    %0 = stablehlo.slice %x [1:3, 0:2] : (tensor<8x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.negate %0 : tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  })",
      8);
  EXPECT_EQ(padded.counts.numOps, 0);
}

} // namespace
} // namespace partita::padding
