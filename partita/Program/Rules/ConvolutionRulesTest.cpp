//===- ConvolutionRulesTest.cpp -------------------------------------------===//

#include "partita/Testing/RuleFixture.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

namespace partita::program {

using namespace fixtures;
namespace {

class ConvolutionRulesTest : public RuleFixture {
protected:
  static std::string getConvolution(const std::string &input, const std::string &kernel, const std::string &window,
                                    int featureGroups, int batchGroups, const std::string &result) {
    return "stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {" + window +
           "} {feature_group_count = " + std::to_string(featureGroups) +
           " : i64, batch_group_count = " + std::to_string(batchGroups) + " : i64} : (tensor<" + input + ">, tensor<" +
           kernel + ">) -> tensor<" + result + ">";
  }

  std::string convolve(const std::string &input, const std::string &kernel, const std::string &window,
                       int featureGroups, int batchGroups, const std::string &result) {
    return getRule({input, kernel}, getConvolution(input, kernel, window, featureGroups, batchGroups, result));
  }
};

TEST_F(ConvolutionRulesTest, BatchAndFeatures) {
  EXPECT_EQ(convolve("2x9x4xf32", "3x4x6xf32", "", 1, 1, "2x7x6xf32"),
            "([a,b,c],[d,c,e])->([a,f,e]) reduce(add)={c} window={b,d,f}");
  EXPECT_EQ(convolve("2x9x4xi1", "3x4x6xi1", "", 1, 1, "2x7x6xi1"),
            "([a,b,c],[d,c,e])->([a,f,e]) reduce(or)={c} window={b,d,f}");
}

TEST_F(ConvolutionRulesTest, SpatialDims) {
  // A kernel of size one moves nothing.
  EXPECT_EQ(convolve("2x9x4xf32", "1x4x6xf32", "", 1, 1, "2x9x6xf32"), "([a,b,c],[_,c,d])->([a,b,d]) reduce(add)={c}");
  EXPECT_EQ(convolve("2x9x4xf32", "1x4x6xf32", "stride = [2]", 1, 1, "2x5x6xf32"),
            "([a,b,c],[_,c,d])->([a,e,d]) reduce(add)={c} window={b,e}");
  EXPECT_EQ(convolve("2x9x4xf32", "1x4x6xf32", "pad = [[1, 0]]", 1, 1, "2x10x6xf32"),
            "([a,b,c],[_,c,d])->([a,e,d]) reduce(add)={c} window={b,e}");
  // Windows side by side: patches, and a kernel of size one with a stride.
  EXPECT_EQ(convolve("2x8x4xf32", "2x4x6xf32", "stride = [2]", 1, 1, "2x4x6xf32"),
            "([a,(bc),d],[c,d,e])->([a,b,e]) reduce(add)={c,d}");
  EXPECT_EQ(convolve("2x8x4xf32", "1x4x6xf32", "stride = [2]", 1, 1, "2x4x6xf32"),
            "([a,(bc),d],[_,d,e])->([a,b,e]) reduce(add)={d} replicate={c}");
  EXPECT_EQ(convolve("2x8x4xf32", "2x4x6xf32", "stride = [2], reverse = [true]", 1, 1, "2x4x6xf32"),
            "([a,(bc),d],[e,d,f])->([a,b,f]) reduce(add)={d} replicate={c,e}");
  // Their gradients: of the input, and of the kernel.
  EXPECT_EQ(convolve("2x4x4xf32", "2x4x6xf32", "pad = [[1, 1]], lhs_dilate = [2]", 1, 1, "2x8x6xf32"),
            "([a,b,c],[d,c,e])->([a,(bf),e]) reduce(add)={c} replicate={d,f}");
  EXPECT_EQ(convolve("2x8x4xf32", "4x4x6xf32", "pad = [[0, -1]], rhs_dilate = [2]", 1, 1, "2x1x6xf32"),
            "([a,(bc),d],[b,d,e])->([a,_,e]) reduce(add)={b,d} replicate={c}");
  EXPECT_EQ(convolve("2x8x4xf32", "4x4x6xf32", "rhs_dilate = [2]", 1, 1, "2x2x6xf32"),
            "([a,(bc),d],[b,d,e])->([a,c,e]) reduce(add)={b,d}");
  // A window over the whole input is a contraction.
  EXPECT_EQ(convolve("2x9x4xf32", "9x4x6xf32", "", 1, 1, "2x1x6xf32"),
            "([a,b,c],[b,c,d])->([a,_,d]) reduce(add)={b,c}");
  EXPECT_EQ(convolve("2x9x4xf32", "9x4x6xf32", "reverse = [true]", 1, 1, "2x1x6xf32"),
            "([a,b,c],[d,c,e])->([a,_,e]) reduce(add)={c} window={b,d}");
}

TEST_F(ConvolutionRulesTest, Halos) {
  // Sliding windows, with and without a stride; causal ones; wide ones.
  EXPECT_EQ(convolve("2x8x4xf32", "3x4x6xf32", "pad = [[1, 1]]", 1, 1, "2x8x6xf32"),
            "([a,b,c],[d,c,e])->([a,b,e]) reduce(add)={c} window={d} halo(1,1)={b}");
  EXPECT_EQ(convolve("2x8x4xf32", "3x4x6xf32", "stride = [2], pad = [[0, 1]]", 1, 1, "2x4x6xf32"),
            "([a,(bc),d],[e,d,f])->([a,b,f]) reduce(add)={d} replicate={c} window={e} halo(0,1)={b}");
  EXPECT_EQ(convolve("2x8x4xf32", "4x1x4xf32", "pad = [[3, 0]]", 4, 1, "2x8x4xf32"),
            "([a,b,c],[d,_,c])->([a,b,c]) window={d} halo(3,0)={b}");
  EXPECT_EQ(convolve("2x8x4xf32", "3x4x6xf32", "pad = [[2, 2]], rhs_dilate = [2]", 1, 1, "2x8x6xf32"),
            "([a,b,c],[d,c,e])->([a,b,e]) reduce(add)={c} window={d} halo(2,2)={b}");
  // The gradients of a strided one: of the input, and of the kernel.
  EXPECT_EQ(convolve("2x4x4xf32", "3x4x6xf32", "pad = [[2, 1]], lhs_dilate = [2]", 1, 1, "2x8x6xf32"),
            "([a,b,c],[d,c,e])->([a,(bf),e]) reduce(add)={c} replicate={f} window={d} halo(1,0)={b}");
  EXPECT_EQ(convolve("2x8x4xf32", "4x4x6xf32", "pad = [[0, 1]], rhs_dilate = [2]", 1, 1, "2x3x6xf32"),
            "([a,(bc),d],[b,d,e])->([a,f,e]) reduce(add)={b,d} replicate={c} window={f} halo(0,1)={b}");
  // A kernel as long as the dim takes all from all.
  EXPECT_EQ(convolve("2x8x4xf32", "8x1x4xf32", "pad = [[7, 7]]", 4, 1, "2x15x4xf32"),
            "([a,b,c],[d,_,c])->([a,e,c]) window={b,d,e}");
}

TEST_F(ConvolutionRulesTest, FeatureGroups) {
  EXPECT_EQ(convolve("2x9x8xf32", "3x2x12xf32", "", 4, 1, "2x7x12xf32"),
            "([a,b,(cd)],[e,d,(cf)])->([a,g,(cf)]) reduce(add)={d} window={b,e,g}");
  // Depthwise: one feature in each group.
  EXPECT_EQ(convolve("2x9x8xf32", "3x1x8xf32", "", 8, 1, "2x7x8xf32"), "([a,b,c],[d,_,c])->([a,e,c]) window={b,d,e}");
}

TEST_F(ConvolutionRulesTest, BatchGroups) {
  EXPECT_EQ(convolve("6x9x4xf32", "3x4x8xf32", "", 1, 2, "3x7x8xf32"),
            "([(ab),c,d],[e,d,(af)])->([b,g,(af)]) reduce(add)={d} window={c,e,g}");
}

TEST_F(ConvolutionRulesTest, SplitGroupsDivideTheCount) {
  mlir::Operation *op =
      parse({"2x9x8xf32", "3x2x12xf32"}, "%r = " + getConvolution("2x9x8xf32", "3x2x12xf32", "", 4, 1, "2x7x12xf32"));
  Result<OpRule> rule = computeRule(op, {});
  uint8_t group = rule->rule.operands[0][2].front();
  llvm::SmallVector<int64_t> parts(rule->rule.factors.size(), 1);
  parts[group] = 2;
  mlir::func::FuncOp local = emit(op, rule->rule, parts);
  auto piece = *local.getBody().front().getOps<stablehlo::ConvolutionOp>().begin();
  EXPECT_EQ(piece.getFeatureGroupCount(), 2u);
}

} // namespace
} // namespace partita::program
