//===- ReductionRulesTest.cpp ---------------------------------------------===//

#include "partita/Testing/RuleTestFixture.h"

namespace partita::program {

using namespace fixtures;
namespace {

class ReductionRulesTest : public RuleTestFixture {
protected:
  std::string check(const std::string &arguments, const std::string &body) {
    EXPECT_GE(countLocalForms(arguments, body), 0) << body;
    return ruleOf(arguments, body);
  }

  std::string reduceRule(const std::string &input, const std::string &dims, const std::string &result,
                         const std::string &element, const std::string &region) {
    std::string x = "tensor<" + input + element + ">", scalar = "tensor<" + element + ">";
    return check("%x: " + x + ", %i: " + scalar, "%0 = \"stablehlo.reduce\"(%x, %i) <{dimensions = array<i64: " + dims +
                                                     ">}> ({\n^bb0(%a: " + scalar + ", %b: " + scalar + "):\n" +
                                                     region + "\n}) : (" + x + ", " + scalar + ") -> tensor<" + result +
                                                     element + ">");
  }

  std::string reduceRule(const std::string &op, const std::string &element) {
    return reduceRule("4x6x12x", "1", "4x12x", element, combine(op, element));
  }

  static std::string combine(const std::string &op, const std::string &element) {
    return "%r = stablehlo." + op + " %b, %a : tensor<" + element + ">\nstablehlo.return %r : tensor<" + element + ">";
  }

  std::string windowRule(const std::string &input, const std::string &sizes, const std::string &strides,
                         const std::string &padding, const std::string &result, const std::string &init = "",
                         const std::string &spread = "1, 1") {
    std::string x = "tensor<" + input + "xf32>";
    std::string start = init.empty() ? "" : "%i = stablehlo.constant dense<" + init + "> : tensor<f32>\n";
    return check("%x: " + x + (init.empty() ? ", %i: tensor<f32>" : ", %j: tensor<f32>"),
                 start + "%0 = \"stablehlo.reduce_window\"(%x, %i) <{window_dimensions = array<i64: " + sizes +
                     ">, window_strides = array<i64: " + strides + ">, base_dilations = array<i64: " + spread +
                     ">, padding = dense<" + padding +
                     "> : tensor<2x2xi64>}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + combine("add", "f32") +
                     "\n}) : (" + x + ", tensor<f32>) -> tensor<" + result + "xf32>");
  }
};

TEST_F(ReductionRulesTest, ReduceByEachCombiner) {
  for (const char *name : {"add", "multiply", "maximum", "minimum", "and", "or", "xor"})
    EXPECT_EQ(reduceRule(name, "i32"), "([a,b,c],[])->([a,c]) reduce(" + std::string(name) + ")={b}");
  EXPECT_EQ(reduceRule("add", "complex<f32>"), "([a,b,c],[])->([a,c]) reduce(add)={b}");
  EXPECT_EQ(reduceRule("multiply", "complex<f32>"), "([a,b,c],[])->([a,c]) replicate={b}");
  EXPECT_EQ(reduceRule("minimum", "i1"), "([a,b,c],[])->([a,c]) reduce(and)={b}");
  EXPECT_EQ(reduceRule("subtract", "f32"), "([a,b,c],[])->([a,c]) replicate={b}");
}

TEST_F(ReductionRulesTest, ReduceOfSmallAndManyDims) {
  EXPECT_EQ(reduceRule("12x6x", "0, 1", "", "f32", combine("add", "f32")), "([a,b],[])->([]) reduce(add)={a,b}");
  EXPECT_EQ(reduceRule("6x0x", "1", "6x", "f32", combine("add", "f32")), "([a,_],[])->([a])");
  EXPECT_EQ(reduceRule("6x1x", "1", "6x", "f32", combine("add", "f32")), "([a,_],[])->([a])");
}

TEST_F(ReductionRulesTest, ReduceInAWiderType) {
  auto through = [](const std::string &narrow, const std::string &wide, const std::string &op) {
    auto convert = [](const std::string &to, const std::string &from, const std::string &fromType,
                      const std::string &toType) {
      return to + " = stablehlo.convert " + from + " : (tensor<" + fromType + ">) -> tensor<" + toType + ">\n";
    };
    return convert("%c", "%a", narrow, wide) + convert("%d", "%b", narrow, wide) + "%e = stablehlo." + op +
           " %c, %d : tensor<" + wide + ">\n" + convert("%r", "%e", wide, narrow) + "stablehlo.return %r : tensor<" +
           narrow + ">";
  };
  EXPECT_EQ(reduceRule("6x4x", "0", "4x", "bf16", through("bf16", "f32", "add")), "([a,b],[])->([b]) reduce(add)={a}");
  EXPECT_EQ(reduceRule("6x4x", "0", "4x", "ui8", through("ui8", "i32", "maximum")),
            "([a,b],[])->([b]) reduce(maximum)={a}");
  // -1 becomes the largest: the order is another.
  EXPECT_EQ(reduceRule("6x4x", "0", "4x", "i8", through("i8", "ui32", "maximum")), "([a,b],[])->([b]) replicate={a}");
}

TEST_F(ReductionRulesTest, ReduceOfPairs) {
  std::string head = "%0:2 = \"stablehlo.reduce\"(%x, %y, %i, %j) <{dimensions = array<i64: 1>}> ({\n"
                     "^bb0(%a: tensor<i32>, %b: tensor<i8>, %c: tensor<i32>, %d: tensor<i8>):\n";
  std::string tail =
      "\n}) : (tensor<4x6xi32>, tensor<4x6xi8>, tensor<i32>, tensor<i8>) -> (tensor<4xi32>, tensor<4xi8>)";
  std::string arguments = "%x: tensor<4x6xi32>, %y: tensor<4x6xi8>, %i: tensor<i32>, %j: tensor<i8>";
  std::string end = "\nstablehlo.return %1, %2 : tensor<i32>, tensor<i8>";
  std::string sums = "%1 = stablehlo.add %a, %c : tensor<i32>\n%2 = stablehlo.add %d, %b : tensor<i8>";
  EXPECT_EQ(check(arguments, head + sums + end + tail), "([a,b],[a,b],[],[])->([a],[a]) reduce(add)={b}");
  std::string mixed = "%1 = stablehlo.add %a, %c : tensor<i32>\n%2 = stablehlo.maximum %d, %b : tensor<i8>";
  EXPECT_EQ(check(arguments, head + mixed + end + tail), "([a,b],[a,b],[],[])->([a],[a]) replicate={b}");
  std::string argmax = "%p = stablehlo.compare GT, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                       "%1 = stablehlo.select %p, %a, %c : tensor<i1>, tensor<i32>\n"
                       "%2 = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i8>";
  // Of equal ones it takes the second: init values that come in between would be taken.
  EXPECT_EQ(check(arguments, head + argmax + end + tail), "([a,b],[a,b],[],[])->([a],[a]) replicate={b}");
  std::string first = "%p = stablehlo.compare GE, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                      "%1 = stablehlo.select %p, %a, %c : tensor<i1>, tensor<i32>\n"
                      "%2 = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i8>";
  EXPECT_EQ(check(arguments, head + first + end + tail), "([a,b],[a,b],[],[])->([a],[a]) fold={b}");
  // Two orders at once: not associative.
  std::string crossed = "%p = stablehlo.compare GE, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                        "%q = stablehlo.compare LT, %b, %d : (tensor<i8>, tensor<i8>) -> tensor<i1>\n"
                        "%r = stablehlo.xor %p, %q : tensor<i1>\n"
                        "%1 = stablehlo.select %r, %a, %c : tensor<i1>, tensor<i32>\n"
                        "%2 = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i8>";
  EXPECT_EQ(check(arguments, head + crossed + end + tail), "([a,b],[a,b],[],[])->([a],[a]) replicate={b}");
}

/// As JAX writes it: not a number is the largest, and of equal ones the first is taken.
TEST_F(ReductionRulesTest, Argmax) {
  auto rule = [&](const std::string &init) {
    return check(
        "%x: tensor<4x6xf32>, %y: tensor<4x6xi32>, %z: tensor<f32>",
        "%i = stablehlo.constant dense<" + init +
            "> : tensor<f32>\n%j = stablehlo.constant dense<0> : tensor<i32>\n"
            "%0:2 = \"stablehlo.reduce\"(%x, %y, %i, %j) <{dimensions = array<i64: 1>}> ({\n"
            "^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):\n"
            "%1 = stablehlo.compare GT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
            "%2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
            "%3 = stablehlo.or %1, %2 : tensor<i1>\n"
            "%4 = stablehlo.compare EQ, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
            "%5 = stablehlo.compare LT, %b, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "%6 = stablehlo.and %4, %5 : tensor<i1>\n%7 = stablehlo.or %3, %6 : tensor<i1>\n"
            "%8 = stablehlo.select %3, %a, %c : tensor<i1>, tensor<f32>\n"
            "%9 = stablehlo.select %7, %b, %d : tensor<i1>, tensor<i32>\n"
            "stablehlo.return %8, %9 : tensor<f32>, tensor<i32>\n"
            "}) : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)");
  };
  EXPECT_EQ(rule("0xFF800000"), "([a,b],[a,b],[],[])->([a],[a]) fold={b}");
  // Among zeros of both signs it returns the last one, so that a zero to start with may not come again.
  EXPECT_EQ(rule("0.0"), "([a,b],[a,b],[],[])->([a],[a]) replicate={b}");
}

TEST_F(ReductionRulesTest, FoldsAlongSeveralDims) {
  auto rule = [&](const std::string &first, const std::string &second) {
    return check("%x: tensor<4x6xi32>, %y: tensor<4x6xi1>",
                 "%i = stablehlo.constant dense<0> : tensor<i32>\n%j = stablehlo.constant dense<false> : tensor<i1>\n"
                 "%0:2 = \"stablehlo.reduce\"(%x, %y, %i, %j) <{dimensions = array<i64: 0, 1>}> ({\n"
                 "^bb0(%a: tensor<i32>, %b: tensor<i1>, %c: tensor<i32>, %d: tensor<i1>):\n" +
                     first + second +
                     "stablehlo.return %2, %3 : tensor<i32>, tensor<i1>\n"
                     "}) : (tensor<4x6xi32>, tensor<4x6xi1>, tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i1>)");
  };
  std::string either = "%3 = stablehlo.or %b, %d : tensor<i1>\n";
  EXPECT_EQ(rule("%2 = stablehlo.add %a, %c : tensor<i32>\n", either), "([a,b],[a,b],[],[])->([],[]) fold={a,b}");
  // The sum of the last segment: elements keep their order, so only the major dim is split.
  EXPECT_EQ(rule("%1 = stablehlo.add %a, %c : tensor<i32>\n"
                 "%2 = stablehlo.select %d, %c, %1 : tensor<i1>, tensor<i32>\n",
                 either),
            "([a,b],[a,b],[],[])->([],[]) replicate={b} fold={a}");
}

TEST_F(ReductionRulesTest, Windows) {
  const char *none = "[[0, 0], [0, 0]]";
  EXPECT_EQ(windowRule("4x12", "1, 3", "1, 3", none, "4x4"), "([a,(bc)],[])->([a,b]) reduce(add)={c}");
  EXPECT_EQ(windowRule("12x12", "12, 4", "1, 4", none, "1x3"), "([a,(bc)],[])->([_,b]) reduce(add)={a,c}");
  // No windows of no elements.
  EXPECT_EQ(windowRule("4x0", "1, 3", "1, 3", none, "4x0"), "([a,_],[])->([a,_])");
  // Cumulative sums, from the begin and from the end; a sum that begins with something else.
  EXPECT_EQ(windowRule("4x6", "1, 6", "1, 1", "[[0, 0], [5, 0]]", "4x6", "0.0"), "([a,b],[])->([a,b]) prefix={b}");
  EXPECT_EQ(windowRule("4x6", "1, 6", "1, 1", "[[0, 0], [0, 5]]", "4x6", "0.0"), "([a,b],[])->([a,b]) prefix={b}");
  EXPECT_EQ(windowRule("4x6", "1, 6", "1, 1", "[[0, 0], [5, 0]]", "4x6"), "([a,b],[])->([a,b]) window={b}");
  // As wide, but not from an end: edges of several neighbors.
  EXPECT_EQ(windowRule("4x6", "1, 6", "1, 1", "[[0, 0], [4, 1]]", "4x6", "0.0"), "([a,b],[])->([a,b]) halo(4,1)={b}");
  // A window that leaves a rest, one that overlaps.
  EXPECT_EQ(windowRule("4x13", "1, 4", "1, 4", none, "4x3"), "([a,b],[])->([a,c]) window={b,c}");
  EXPECT_EQ(windowRule("4x12", "1, 3", "1, 1", none, "4x10"), "([a,b],[])->([a,c]) window={b,c}");
  // As many windows as steps: neighbors give their edges.
  const char *both = "[[0, 0], [1, 1]]";
  EXPECT_EQ(windowRule("4x12", "1, 3", "1, 1", both, "4x12", "0.0"), "([a,b],[])->([a,b]) halo(1,1)={b}");
  EXPECT_EQ(windowRule("4x12", "1, 3", "1, 2", "[[0, 0], [0, 1]]", "4x6", "0.0"),
            "([a,(bc)],[])->([a,b]) replicate={c} halo(0,1)={b}");
  // Elements two apart, a window at each position: the gradient of an average pool.
  EXPECT_EQ(windowRule("4x6", "1, 3", "1, 1", "[[0, 0], [2, 1]]", "4x12", "0.0", "1, 2"),
            "([a,b],[])->([a,(bc)]) replicate={c} halo(1,0)={b}");
  // Padding is not combined, so what comes in beyond the ends must add nothing.
  EXPECT_EQ(windowRule("4x12", "1, 3", "1, 1", both, "4x12", "1.0"), "([a,b],[])->([a,b]) window={b}");
}

TEST_F(ReductionRulesTest, SelectAndScatter) {
  auto rule = [&](const std::string &sizes, const std::string &strides, const std::string &source,
                  const std::string &padding = "[[0, 0], [0, 0]]", const std::string &element = "f32") {
    std::string scalar = "tensor<" + element + ">", whole = "tensor<4x12x" + element + ">",
                windows = "tensor<" + source + "x" + element + ">",
                block = "^bb0(%a: " + scalar + ", %b: " + scalar + "):";
    std::string regions = "({\n" + block + "\n%1 = stablehlo.compare GE, %a, %b : (" + scalar + ", " + scalar +
                          ") -> tensor<i1>\nstablehlo.return %1 : tensor<i1>\n}, {\n" + block + "\n" +
                          combine("add", element) + "\n})";
    return check("%x: " + whole + ", %s: " + windows + ", %i: " + scalar,
                 "%0 = \"stablehlo.select_and_scatter\"(%x, %s, %i) <{window_dimensions = array<i64: " + sizes +
                     ">, window_strides = array<i64: " + strides + ">, padding = dense<" + padding +
                     "> : tensor<2x2xi64>}> " + regions + " : (" + whole + ", " + windows + ", " + scalar + ") -> " +
                     whole);
  };
  EXPECT_EQ(rule("1, 3", "1, 3", "4x4"), "([a,(bc)],[a,b],[])->([a,(bc)]) replicate={c}");
  EXPECT_EQ(rule("1, 3", "1, 2", "4x5"), "([a,b],[a,c],[])->([a,b]) window={b,c}");
  // A window that begins two rows before a piece reaches into it, and one that begins in its last row leaves it.
  EXPECT_EQ(rule("1, 3", "1, 2", "4x6", "[[0, 0], [0, 1]]"),
            "([a,(bc)],[a,b],[])->([a,(bc)]) replicate={c} halo(2,1)={b}");
  // Before the first element nothing can stand that no window selects.
  EXPECT_EQ(rule("1, 3", "1, 1", "4x12", "[[0, 0], [1, 1]]"), "([a,b],[a,b],[])->([a,b]) window={b}");
  // Nothing can stand behind the end of a type without infinity.
  EXPECT_EQ(rule("1, 3", "1, 2", "4x6", "[[0, 0], [0, 1]]", "f8E4M3FN"), "([a,b],[a,c],[])->([a,b]) window={b,c}");
}

TEST_F(ReductionRulesTest, Map) {
  EXPECT_EQ(check("%x: tensor<4x6xf32>",
                  "%0 = \"stablehlo.map\"(%x) <{dimensions = array<i64: 0, 1>}> ({\n"
                  "^bb0(%a: tensor<f32>):\n%1 = stablehlo.add %a, %a : tensor<f32>\n"
                  "stablehlo.return %1 : tensor<f32>\n}) : (tensor<4x6xf32>) -> tensor<4x6xf32>"),
            "([a,b])->([a,b])");
}

} // namespace
} // namespace partita::program
