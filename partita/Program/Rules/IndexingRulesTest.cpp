//===- IndexingRulesTest.cpp ----------------------------------------------===//

#include "partita/Testing/RuleTestFixture.h"

namespace partita::program {

using namespace fixtures;
namespace {

class IndexingRulesTest : public RuleTestFixture {
protected:
  static std::string arguments(const std::string &operand, const std::string &indices) {
    return "%x: tensor<" + operand + ">, %i: tensor<" + indices + ">";
  }

  static std::string gather(const std::string &operand, const std::string &indices, const std::string &dims,
                            const std::string &sliceSizes, const std::string &result) {
    return "%0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<" + dims +
           ">, slice_sizes = array<i64: " + sliceSizes + ">, indices_are_sorted = true}> : (tensor<" + operand +
           ">, tensor<" + indices + ">) -> tensor<" + result + ">";
  }

  std::string gatherRule(const std::string &operand, const std::string &indices, const std::string &dims,
                         const std::string &sliceSizes, const std::string &result) {
    std::string body = gather(operand, indices, dims, sliceSizes, result);
    EXPECT_GE(countLocalForms(arguments(operand, indices), body), 0) << body;
    return ruleOf(arguments(operand, indices), body);
  }

  /// `element` is that of operand and updates; `combine` gives %r of %a and %b.
  std::string scatterRule(const std::string &operand, const std::string &indices, const std::string &updates,
                          const std::string &element, const std::string &dims, const std::string &combine) {
    std::string scalar = "tensor<" + element + ">", x = "tensor<" + operand + element + ">",
                i = "tensor<" + indices + ">", u = "tensor<" + updates + element + ">";
    std::string body = "%0 = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<" +
                       dims + ">, indices_are_sorted = true, unique_indices = false}> ({\n^bb0(%a: " + scalar +
                       ", %b: " + scalar + "):\n" + combine + "\n}) : (" + x + ", " + i + ", " + u + ") -> " + x;
    std::string arguments = "%x: " + x + ", %i: " + i + ", %u: " + u;
    EXPECT_GE(countLocalForms(arguments, body), 0) << body;
    return ruleOf(arguments, body);
  }

  static std::string combine(const std::string &op, const std::string &element) {
    return "%r = stablehlo." + op + " %a, %b : tensor<" + element + ">\nstablehlo.return %r : tensor<" + element + ">";
  }
};

const char *const rows = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1";

TEST_F(IndexingRulesTest, GatherOfRows) {
  EXPECT_EQ(gatherRule("12x6xf32", "4x1xi32", rows, "1, 6", "4x6xf32"), "([a,b],[c,_])->([c,b]) reduce(add)={a}");
  EXPECT_EQ(gatherRule("12x6xf32", "4xui8", rows, "1, 6", "4x6xf32"), "([a,b],[c])->([c,b]) reduce(add)={a}");
  EXPECT_EQ(gatherRule("12x6xi1", "4xui64", rows, "1, 6", "4x6xi1"), "([a,b],[c])->([c,b]) reduce(or)={a}");
  EXPECT_EQ(gatherRule("12x6xcomplex<f32>", "4xi64", rows, "1, 6", "4x6xcomplex<f32>"),
            "([a,b],[c])->([c,b]) reduce(add)={a}");
  // A format without zero has nothing to fill the rest with.
  EXPECT_EQ(gatherRule("12x6xf8E8M0FNU", "4xi64", rows, "1, 6", "4x6xf8E8M0FNU"), "([a,b],[c])->([c,b]) replicate={a}");
}

TEST_F(IndexingRulesTest, GatherByVectors) {
  EXPECT_EQ(gatherRule("12x8xi32", "2x4xi32",
                       "collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 0", "1, 1",
                       "4xi32"),
            "([a,b],[c,d])->([d]) reduce(add)={a,b} replicate={c}");
  EXPECT_EQ(gatherRule("6x12xf32", "2xi32",
                       "collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 0", "1, 1", "f32"),
            "([a,b],[c])->([]) reduce(add)={a,b} replicate={c}");
  // No component indexes dim 0: its element 0 is meant.
  EXPECT_EQ(gatherRule("6x12xf32", "4x1xi32",
                       "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 1",
                       "1, 12", "4x12xf32"),
            "([a,b],[c,_])->([c,b]) reduce(add)={a}");
}

TEST_F(IndexingRulesTest, GatherWithBatchingAndWindows) {
  EXPECT_EQ(gatherRule("4x12x6xf32", "4x6x1xi32",
                       "offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], "
                       "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2",
                       "1, 1, 6", "4x6x6xf32"),
            "([a,b,c],[a,d,_])->([a,d,c]) reduce(add)={b}");
  // A window of 3 of 6 elements may cross a border.
  EXPECT_EQ(gatherRule("6x12xf32", "6x2xi32", "offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1",
                       "3, 1", "6x3x1xf32"),
            "([a,b],[c,d])->([c,e,_]) reduce(add)={b} replicate={a,d,e}");
  EXPECT_EQ(gatherRule("12x0xf32", "4x1xi32", rows, "1, 0", "4x0xf32"), "([a,_],[b,_])->([b,_]) reduce(add)={a}");
}

const char *const rowsWritten =
    "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1";

TEST_F(IndexingRulesTest, ScatterCombinesUpdates) {
  auto rule = [&](const std::string &op, const std::string &element) {
    return scatterRule("12x6x", "4x1xi32", "4x6x", element, rowsWritten, combine(op, element));
  };
  EXPECT_EQ(rule("add", "f32"), "([a,b],[c,_],[c,b])->([a,b]) reduce(add)={c}");
  EXPECT_EQ(rule("maximum", "ui8"), "([a,b],[c,_],[c,b])->([a,b]) reduce(maximum)={c}");
  EXPECT_EQ(rule("xor", "i32"), "([a,b],[c,_],[c,b])->([a,b]) reduce(xor)={c}");
  EXPECT_EQ(rule("add", "i1"), "([a,b],[c,_],[c,b])->([a,b]) reduce(or)={c}");
  EXPECT_EQ(rule("multiply", "complex<f32>"), "([a,b],[c,_],[c,b])->([a,b]) replicate={c}");
  EXPECT_EQ(rule("subtract", "f32"), "([a,b],[c,_],[c,b])->([a,b]) replicate={c}");
  EXPECT_EQ(scatterRule("12x6x", "4x1xi32", "4x6x", "f32", rowsWritten, "stablehlo.return %b : tensor<f32>"),
            "([a,b],[c,_],[c,b])->([a,b]) replicate={c}");
}

TEST_F(IndexingRulesTest, ScatterOfWindows) {
  std::string add = combine("add", "f32");
  EXPECT_EQ(scatterRule("4x12x6x", "4x6x1xi32", "4x6x6x", "f32",
                        "update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
                        "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
                        add),
            "([a,b,c],[a,d,_],[a,d,c])->([a,b,c]) reduce(add)={d}");
  // Dim 1 is covered by windows that move along it: with an index other than 0 they are dropped, in every piece too.
  EXPECT_EQ(scatterRule("12x6x", "4x1xi32", "4x12x6x", "f32",
                        "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [1], index_vector_dim = 1", add),
            "([a,b],[c,_],[c,a,b])->([a,b]) reduce(add)={c}");
  EXPECT_EQ(scatterRule("12x8x", "6x2xui8", "6x", "f32",
                        "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1",
                        add),
            "([a,b],[c,d],[c])->([a,b]) reduce(add)={c} replicate={d}");
}

TEST_F(IndexingRulesTest, DynamicGatherIsRefused) {
  std::string rule =
      ruleOf("%x: tensor<12x6xf32>, %i: tensor<4x1xi32>, %s: tensor<2xi32>",
             "%0 = \"stablehlo.dynamic_gather\"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<" +
                 std::string(rows) + ">}> : (tensor<12x6xf32>, tensor<4x1xi32>, tensor<2xi32>) -> tensor<4x?xf32>");
  EXPECT_NE(rule.find("not known before it runs"), std::string::npos) << rule;
}

} // namespace
} // namespace partita::program
