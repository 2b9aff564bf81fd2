//===- ShapeRulesTest.cpp -------------------------------------------------===//

#include "partita/Testing/RuleFixture.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/StageShift.h"

namespace partita::program {

using namespace fixtures;
namespace {

using ShapeRulesTest = RuleFixture;

TEST_F(ShapeRulesTest, Constants) {
  EXPECT_EQ(getRule({}, "stablehlo.constant dense<1.0> : tensor<4x6xf32>"), "()->([a,b])");
  EXPECT_EQ(getRule({}, "stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi4>"), "()->([a,b])");
  EXPECT_EQ(getRule({}, "stablehlo.constant dense<> : tensor<0x4xf32>"), "()->([_,a])");
  EXPECT_EQ(getRule({}, "stablehlo.constant dense<1> : tensor<i32>"), "()->([])");
  EXPECT_EQ(getRule({}, "sdy.constant dense<[1, 2]> : tensor<2xi32>"), "()->([a])");
}

TEST_F(ShapeRulesTest, ASplatStaysASplat) {
  mlir::Operation *op = parse({}, "%c = stablehlo.constant dense<1.0> : tensor<4x6xf32>");
  Result<OpRule> rule = computeRule(op, {});
  mlir::func::FuncOp local = emit(op, rule->rule, {2, 1});
  auto ops = local.getBody().front().getOps<stablehlo::ConstantOp>();
  ASSERT_EQ(std::distance(ops.begin(), ops.end()), 1);
  EXPECT_TRUE(local.getBody().front().getOps<stablehlo::DynamicSliceOp>().empty());
}

TEST_F(ShapeRulesTest, Iota) {
  for (const char *type : {"i32", "i64", "ui8", "i4", "bf16", "f32", "complex<f32>"})
    EXPECT_EQ(getRule({}, "stablehlo.iota dim = 1 : tensor<4x6x" + std::string(type) + ">"), "()->([a,b])");
}

TEST_F(ShapeRulesTest, Broadcasts) {
  EXPECT_EQ(
      getRule({"4x1xf32"}, "stablehlo.broadcast_in_dim %0, dims = [2, 1] : (tensor<4x1xf32>) -> tensor<2x6x4x1xf32>"),
      "([a,_])->([b,c,a,_])");
  EXPECT_EQ(getRule({"f32"}, "stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x6xf32>"),
            "([])->([a,b])");
  EXPECT_EQ(getRule({"4xf32"}, "stablehlo.broadcast %0, sizes = [2, 6] : (tensor<4xf32>) -> tensor<2x6x4xf32>"),
            "([a])->([b,c,a])");
}

TEST_F(ShapeRulesTest, Transpose) {
  EXPECT_EQ(
      getRule({"4x6x2xf32"}, "stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<4x6x2xf32>) -> tensor<2x4x6xf32>"),
      "([a,b,c])->([c,a,b])");
}

TEST_F(ShapeRulesTest, AShiftOfStagesTakesFromItsNeighbor) {
  std::string shift = "stablehlo.pad %0, %1, low = [1, 0], high = [-1, 0], interior = [0, 0] {part.shift} : "
                      "(tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>";
  EXPECT_EQ(getRule({"4x6xf32", "f32"}, shift), "([a,b],[])->([a,b])");
  mlir::Operation *op = parse({"4x6xf32", "f32"}, "%r = " + shift);
  Result<OpRule> rule = computeRule(op, {});
  // One row on each of 4 devices: all of it is sent. Two rows on each of 2: one is sent, the other one stays.
  mlir::func::FuncOp single = emit(op, rule->rule, {4, 1});
  // The fixture gave it devices.
  auto isNeighbor = [](mlir::Operation &made) { return mlir::isa<stablehlo::CollectivePermuteOp>(made); };
  EXPECT_EQ(llvm::count_if(single.getBody().front(), isNeighbor), 1);
  EXPECT_TRUE(single.getBody().front().getOps<stablehlo::ConcatenateOp>().empty());
  mlir::func::FuncOp pair = emit(op, rule->rule, {2, 1});
  EXPECT_EQ(llvm::count_if(pair.getBody().front(), isNeighbor), 1);
  EXPECT_FALSE(pair.getBody().front().getOps<stablehlo::ConcatenateOp>().empty());
  // Whole, it is an ordinary pad, without the mark.
  mlir::func::FuncOp whole = emit(op, rule->rule, {1, 2});
  for (stablehlo::PadOp pad : whole.getBody().front().getOps<stablehlo::PadOp>())
    EXPECT_FALSE(isStageShift(pad));
}

static std::string spellRotation() {
  return "\"stablehlo.gather\"(%0, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
         "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> "
         "{part.shift} : (tensor<4x6xf32>, tensor<4x1xi64>) -> tensor<4x6xf32>";
}

TEST_F(ShapeRulesTest, ARotationOfStagesIsOnePermute) {
  auto parseRows = [&](const std::string &rows) {
    std::string constant = "%rows = stablehlo.constant dense<" + rows + "> : tensor<4x1xi64>\n";
    return parse({"4x6xf32"}, constant + "%r = " + spellRotation())->getNextNode();
  };
  mlir::Operation *op = parseRows("[[3], [0], [1], [2]]");
  ASSERT_TRUE(isStageShift(op));
  Result<OpRule> rule = computeRule(op, {});
  EXPECT_EQ(printRule(rule->rule), "([a,b],[c,_])->([a,b]) replicate={c}");
  mlir::func::FuncOp single = emit(op, rule->rule, {4, 1});
  auto permutes = llvm::to_vector(single.getBody().front().getOps<stablehlo::CollectivePermuteOp>());
  ASSERT_EQ(permutes.size(), 1U);
  EXPECT_EQ(permutes.front().getSourceTargetPairs().getType().getDimSize(0), 4);
  EXPECT_TRUE(single.getBody().front().getOps<stablehlo::GatherOp>().empty());
  EXPECT_TRUE(isStageShift(parseRows("[[1], [2], [3], [0]]")));
  // The mark alone says nothing.
  EXPECT_FALSE(isStageShift(parseRows("[[3], [0], [2], [1]]")));
}

TEST_F(ShapeRulesTest, DimsAlongWhichElementsMoveAreWindows) {
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.reverse %0, dims = [1] : tensor<4x6xf32>"),
            "([a,b])->([a,b]) reversed={b}");
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.slice %0 [0:4, 1:6] : (tensor<4x6xf32>) -> tensor<4x5xf32>"),
            "([a,b])->([a,c]) window={b,c}");
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.slice %0 [0:3:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>"),
            "([(ab),c])->([a,c]) replicate={b}");
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.slice %0 [2:4:2, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>"),
            "([a,b])->([_,b]) window={a}");
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.slice %0 [0:4, 0:1] : (tensor<4x6xf32>) -> tensor<4x1xf32>"),
            "([a,b])->([a,_]) window={b}");
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.slice %0 [0:4, 2:4] : (tensor<4x6xf32>) -> tensor<4x2xf32>"),
            "([a,(bc)])->([a,b]) replicate={c} moved(2)={b}");
  auto pad = [&](const std::string &low, const std::string &high, const std::string &interior, const char *result) {
    return getRule({"4x6xf32", "f32"}, "stablehlo.pad %0, %1, low = [" + low + "], high = [" + high +
                                           "], interior = [" + interior +
                                           "] : (tensor<4x6xf32>, tensor<f32>) -> tensor<" + result + ">");
  };
  EXPECT_EQ(pad("0, 1", "0, 1", "0, 0", "4x8xf32"), "([a,(bc)],[])->([a,(bd)]) replicate={c,d} moved(-1)={b}");
  EXPECT_EQ(pad("0, 1", "0, 0", "0, 0", "4x7xf32"), "([a,b],[])->([a,c]) window={b,c}");
  EXPECT_EQ(pad("0, 0", "0, 0", "1, 0", "7x6xf32"), "([a,b],[])->([c,b]) window={a,c}");
  EXPECT_EQ(pad("1, 0", "1, 0", "2, 0", "12x6xf32"), "([a,b],[])->([(ac),b]) replicate={c}");
  EXPECT_EQ(pad("0, -1", "0, 1", "0, 0", "4x6xf32"), "([a,b],[])->([a,b]) moved(1)={b}");
  EXPECT_EQ(pad("0, 0", "0, 0", "0, 0", "4x6xf32"), "([a,b],[])->([a,b])");
}

TEST_F(ShapeRulesTest, Concatenate) {
  EXPECT_EQ(getRule({"4x6xf32", "4x2xf32"}, "stablehlo.concatenate %0, %1, dim = 1 : (tensor<4x6xf32>, "
                                            "tensor<4x2xf32>) -> tensor<4x8xf32>"),
            "([a,(bc)],[a,b])->([a,(bd)]) replicate={c,d} moved(0)={b}");
  EXPECT_EQ(getRule({"4x6xf32", "4x1xf32"}, "stablehlo.concatenate %0, %1, dim = 1 : (tensor<4x6xf32>, "
                                            "tensor<4x1xf32>) -> tensor<4x7xf32>"),
            "([a,b],[a,_])->([a,c]) window={b,c}");
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.concatenate %0, dim = 1 : (tensor<4x6xf32>) -> tensor<4x6xf32>"),
            "([a,b])->([a,b])");
  EXPECT_EQ(getRule({"4x0xf32", "4x6xf32"}, "stablehlo.concatenate %0, %1, dim = 1 : (tensor<4x0xf32>, "
                                            "tensor<4x6xf32>) -> tensor<4x6xf32>"),
            "([a,_],[a,b])->([a,b])");
}

TEST_F(ShapeRulesTest, Sizes) {
  EXPECT_EQ(getRule({"4x6xf32"}, "stablehlo.get_dimension_size %0, dim = 1 : (tensor<4x6xf32>) -> tensor<i32>"),
            "([a,b])->([])");
}

} // namespace
} // namespace partita::program
