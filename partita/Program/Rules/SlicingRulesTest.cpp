//===- SlicingRulesTest.cpp -----------------------------------------------===//

#include "partita/Testing/RuleFixture.h"

namespace partita::program {

using namespace fixtures;
namespace {

class SlicingRulesTest : public RuleFixture {
protected:
  std::string slice(const std::string &element, const std::string &index, const std::string &sizes,
                    const std::string &result) {
    std::string operand = "4x6x" + element;
    return getRule({operand, index, index}, "stablehlo.dynamic_slice %0, %1, %2, sizes = [" + sizes + "] : (tensor<" +
                                                operand + ">, tensor<" + index + ">, tensor<" + index +
                                                ">) -> tensor<" + result + "x" + element + ">");
  }

  std::string update(const std::string &element, const std::string &index, const std::string &shape) {
    std::string operand = "4x6x" + element, piece = shape + "x" + element;
    return getRule({operand, piece, index}, "stablehlo.dynamic_update_slice %0, %1, %2, %2 : (tensor<" + operand +
                                                ">, tensor<" + piece + ">, tensor<" + index + ">, tensor<" + index +
                                                ">) -> tensor<" + operand + ">");
  }
};

TEST_F(SlicingRulesTest, DynamicSlice) {
  EXPECT_EQ(slice("f32", "i32", "4, 1", "4x1"), "([a,b],[],[])->([a,_]) reduce(add)={b}");
  EXPECT_EQ(slice("f32", "i32", "4, 4", "4x4"), "([a,b],[],[])->([a,c]) reduce(add)={b}");
  EXPECT_EQ(slice("f32", "i32", "2, 3", "2x3"), "([a,b],[],[])->([c,d]) reduce(add)={a,b}");
  EXPECT_EQ(slice("f32", "i32", "4, 6", "4x6"), "([a,b],[],[])->([a,b])");
  EXPECT_EQ(slice("f32", "i32", "4, 0", "4x0"), "([a,b],[],[])->([a,_]) reduce(add)={b}");
}

TEST_F(SlicingRulesTest, ElementAndIndexTypes) {
  for (const char *index : {"i8", "ui8", "i32", "ui32", "i64", "ui64"})
    EXPECT_EQ(slice("bf16", index, "1, 3", "1x3"), "([a,b],[],[])->([_,c]) reduce(add)={a,b}");
  for (const char *element : {"i32", "ui8", "i4", "f64", "f8E4M3FNUZ", "complex<f32>"})
    EXPECT_EQ(slice(element, "i32", "1, 3", "1x3"), "([a,b],[],[])->([_,c]) reduce(add)={a,b}");
  EXPECT_EQ(slice("i1", "i32", "1, 3", "1x3"), "([a,b],[],[])->([_,c]) reduce(or)={a,b}");
  // No zero to mask with.
  EXPECT_EQ(slice("f8E8M0FNU", "i32", "1, 3", "1x3"), "([a,b],[],[])->([_,c]) replicate={a,b}");
}

TEST_F(SlicingRulesTest, DynamicUpdateSlice) {
  EXPECT_EQ(update("f32", "i32", "4x1"), "([a,b],[a,_],[],[])->([a,b])");
  EXPECT_EQ(update("f32", "i32", "4x5"), "([a,b],[a,c],[],[])->([a,b]) replicate={c}");
  EXPECT_EQ(update("f32", "ui64", "3x2"), "([a,b],[c,d],[],[])->([a,b]) replicate={c,d}");
  EXPECT_EQ(update("i1", "i8", "3x2"), "([a,b],[c,d],[],[])->([a,b]) replicate={c,d}");
  EXPECT_EQ(update("f32", "i32", "4x6"), "([a,b],[a,b],[],[])->([a,b])");
  EXPECT_EQ(update("f32", "i32", "4x0"), "([a,b],[a,_],[],[])->([a,b])");
}

} // namespace
} // namespace partita::program
