//===- FusionPlanTest.cpp - which ops run as one kernel -------------------===//

#include "partita/Cost/FusionPlan.h"
#include "partita/Testing/PlanningFixture.h"

namespace partita::cost {

using namespace fixtures;
namespace {

/// p = softmax(x @ w) over rows of 16; ops 1 to 7 are maximum, broadcast, subtract, exponential, sum, broadcast,
/// divide.
constexpr llvm::StringLiteral softmax = R"json({"partita_graph": 1, "program": {"name": "softmax", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 16], "name": "w", "number": 1},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 16]}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [2],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.reduce", "class": "reduction", "operands": [2], "results": [3],
   "rule": "([a,b])->([a]) reduce(maximum)={b}"},
  {"kind": "stablehlo.broadcast_in_dim", "class": "movement", "operands": [3], "results": [4], "rule": "([a])->([a,b])"},
  {"kind": "stablehlo.subtract", "class": "elementwise", "operands": [2, 4], "results": [5], "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.exponential", "class": "elementwise", "operands": [5], "results": [6], "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.reduce", "class": "reduction", "operands": [6], "results": [7],
   "rule": "([a,b])->([a]) reduce(add)={b}"},
  {"kind": "stablehlo.broadcast_in_dim", "class": "movement", "operands": [7], "results": [8], "rule": "([a])->([a,b])"},
  {"kind": "stablehlo.divide", "class": "elementwise", "operands": [6, 8], "results": [9], "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [9], "results": [10], "rule": "([a,b])->([a,b])"}]}
)json";

TEST(FusionPlan, SoftmaxIsOneKernel) {
  PlanningFixture fixture(softmax, "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_EQ(plan.getRole(OpId(0)), FusionRole::Alone);
  for (uint32_t op = 1; op <= 7; ++op)
    EXPECT_EQ(plan.getKernel(OpId(op)), OpId(7)) << op;
  // What the product gives and what is returned are in memory; nothing between.
  for (uint32_t cell = 2; cell <= 9; ++cell)
    EXPECT_EQ(plan.isFused(CellId(cell)), cell > 2 && cell < 9) << cell;
  // The kernel reads the product's result once, though two of its ops do.
  EXPECT_EQ(plan.getNumReads(UseId(2)) + plan.getNumReads(UseId(4)), 1u);
  // A value that the maximum needs whole cannot be overwritten element by element.
  EXPECT_TRUE(plan.isElementwiseToRoot(OpId(7)));
  EXPECT_FALSE(plan.isElementwiseToRoot(OpId(4)));
}

TEST(FusionPlan, CumulativeSumsStandAlone) {
  std::string text(softmax);
  auto replace = [&](llvm::StringRef before, llvm::StringRef after) {
    ASSERT_NE(text.find(before.str()), std::string::npos);
    text.replace(text.find(before.str()), before.size(), after.str());
  };
  // The exponential becomes sums of windows, of as many elements as it reads: no reshape, and here a prefix.
  constexpr llvm::StringLiteral op =
      R"json("kind": "stablehlo.exponential", "class": "elementwise", "operands": [5], "results": [6], "rule": "([a,b])->([a,b])")json";
  constexpr llvm::StringLiteral windows =
      R"json("kind": "stablehlo.reduce_window", "class": "reduction", "operands": [5], "results": [6], "rule": "([a,b])->([a,b]))json";
  replace(op, (windows + " window={b}\"").str());
  EXPECT_EQ(FusionPlan(PlanningFixture(text, "data=2").topology).getRole(OpId(4)), FusionRole::Reduction);
  replace(" window={b}", " prefix={b}");
  PlanningFixture fixture(text, "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_EQ(plan.getRole(OpId(4)), FusionRole::Alone);
  EXPECT_FALSE(plan.isFused(CellId(5)));
  EXPECT_FALSE(plan.isFused(CellId(6)));
}

/// x @ w as [8, 4, 4], times v.
constexpr llvm::StringLiteral twoProducts = R"json({"partita_graph": 1, "program": {"name": "two", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 16], "name": "w", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 2], "name": "v", "number": 2},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 4, 4]},
  {"bits": 32, "type": "f32", "shape": [8, 4, 2]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 4, 2]}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [3],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.reshape", "class": "movement", "operands": [3], "results": [4], "rule": "([a,(bc)])->([a,b,c])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [4, 2], "results": [5],
   "rule": "([a,b,c],[c,d])->([a,b,d]) reduce(add)={c}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [5], "results": [6], "rule": "([a,b,c])->([a,b,c])"}]}
)json";

TEST(FusionPlan, AReshapeBetweenProductsIsNoKernel) {
  PlanningFixture fixture(twoProducts, "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_EQ(plan.getRole(OpId(1)), FusionRole::Identity);
  EXPECT_EQ(plan.getNumReads(UseId(2)), 0u);
  // Another movement in its place is one.
  std::string text = twoProducts.str();
  text.replace(text.find("stablehlo.reshape"), 17, "stablehlo.reverse");
  PlanningFixture moved(text, "data=2");
  EXPECT_EQ(FusionPlan(moved.topology).getRole(OpId(1)), FusionRole::Movement);
}

/// m' = m * g; p' = p - m', and both are returned. With `hasSum`, p' needs the sum of m', too.
static std::string makeUpdate(bool hasSum) {
  std::string sum = R"json({"kind": "stablehlo.reduce", "class": "reduction", "operands": [3], "results": [5],
   "rule": "([a,b])->([b]) reduce(add)={a}"},
  {"kind": "stablehlo.broadcast_in_dim", "class": "movement", "operands": [5], "results": [6], "rule": "([b])->([a,b])"},
)json";
  return R"json({"partita_graph": 1, "program": {"name": "update", "sha256": "00"}, "regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "p"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "m", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "g", "number": 2},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"bits": 32, "type": "f32", "shape": [16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 16], "number": 1}],
"ops": [
  {"kind": "stablehlo.multiply", "class": "elementwise", "operands": [1, 2], "results": [3], "rule": "([a,b],[a,b])->([a,b])"},
)json" +
         (hasSum ? sum
                 : "{\"kind\": \"stablehlo.constant\", \"class\": \"movement\", \"operands\": [], \"results\": [5], "
                   "\"rule\": \"()->([b])\"},\n{\"kind\": \"stablehlo.broadcast_in_dim\", \"class\": \"movement\", "
                   "\"operands\": [5], \"results\": [6], \"rule\": \"([b])->([a,b])\"},\n") +
         R"json(  {"kind": "stablehlo.select", "class": "elementwise", "operands": [0, 3, 6], "results": [4],
   "rule": "([a,b],[a,b],[a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [3], "results": [7], "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [4], "results": [8], "rule": "([a,b])->([a,b])"}]})json";
}

TEST(FusionPlan, UpdatesAreJoined) {
  PlanningFixture fixture(makeUpdate(false), "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_EQ(plan.getKernel(OpId(0)), OpId(0));
  EXPECT_TRUE(plan.isJoined(OpId(0)));
  EXPECT_FALSE(plan.isJoined(OpId(3)));
  // m' stays in the joined kernel; p, m and g are read once. Uses: m, g, constant, p, m', broadcast.
  EXPECT_EQ(plan.getNumReads(UseId(0)), 1u);
  EXPECT_EQ(plan.getNumReads(UseId(1)), 1u);
  EXPECT_EQ(plan.getNumReads(UseId(3)), 1u);
  EXPECT_EQ(plan.getNumReads(UseId(4)), 0u);
  EXPECT_EQ(plan.getNumSparedReads(UseId(4)), 1u);
}

TEST(FusionPlan, KernelsThatAReductionSeparatesAreNotJoined) {
  PlanningFixture fixture(makeUpdate(true), "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_FALSE(plan.isJoined(OpId(0)));
  // The sum reads m', and so does the last kernel.
  EXPECT_EQ(plan.getNumReads(UseId(2)), 1u);
  EXPECT_EQ(plan.getNumReads(UseId(5)), 1u);
}

/// m is a number broadcast to 8 x 16 and multiplied by itself `depth` times; m * y and max(m, y) are returned.
static std::string makeDeep(uint32_t depth) {
  std::string cells = R"json({"kind": "argument", "bits": 32, "type": "f32", "shape": [], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "y", "number": 1})json";
  std::string ops;
  uint32_t last = 1;
  auto add = [&](llvm::StringRef words, llvm::StringRef operands, llvm::StringRef rule) {
    cells += R"json(, {"bits": 32, "type": "f32", "shape": [8, 16]})json";
    ops += "{" + words.str() + ", \"operands\": [" + operands.str() + "], \"results\": [" + std::to_string(++last) +
           "], \"rule\": \"" + rule.str() + "\"},\n";
  };
  auto addElementwise = [&](llvm::StringRef kind, uint32_t a, uint32_t b) {
    add("\"kind\": \"stablehlo." + kind.str() + "\", \"class\": \"elementwise\"",
        std::to_string(a) + ", " + std::to_string(b), "([a,b],[a,b])->([a,b])");
  };
  add(R"json("kind": "stablehlo.broadcast_in_dim", "class": "movement")json", "0", "([])->([a,b])");
  for (uint32_t i = 0; i < depth; ++i)
    addElementwise("multiply", last, last);
  uint32_t deep = last;
  addElementwise("multiply", deep, 1);
  addElementwise("maximum", deep, 1);
  for (uint32_t number : {0u, 1u}) {
    cells += R"json(, {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 16], "number": )json" +
             std::to_string(number) + "}";
    ops += std::string(number == 0 ? "" : ",\n") + R"json({"kind": "identity", "class": "identity", "role": "result",
"operands": [)json" +
           std::to_string(deep + 1 + number) + "], \"results\": [" + std::to_string(deep + 3 + number) +
           R"json(], "rule": "([a,b])->([a,b])"})json";
  }
  return R"json({"partita_graph": 1, "program": {"name": "deep", "sha256": "00"}, "regions": [{"kind": "program"}],
"cells": [)json" +
         cells + "],\n\"ops\": [" + ops + "]}";
}

TEST(FusionPlan, WhatTakesManyOpsIsComputedOnce) {
  for (uint32_t depth : {2u, 32u, 40u}) {
    PlanningFixture fixture(makeDeep(depth), "data=2");
    FusionPlan plan(fixture.topology);
    // The broadcast is op 0, the mask the last of `depth` ops behind it.
    EXPECT_EQ(plan.isLight(CellId(2 + depth)), depth <= 32) << depth;
  }
}

TEST(FusionPlan, ReductionsOverLeadingDimsEndAKernel) {
  std::string text(softmax);
  for (const char *combiner : {"maximum", "add"}) {
    std::string before = std::string("([a,b])->([a]) reduce(") + combiner + ")={b}";
    text.replace(text.find(before), before.size(), std::string("([b,a])->([a]) reduce(") + combiner + ")={b}");
  }
  text.replace(text.find("[4, 16]"), 7, "[4, 8]");
  for (size_t at = text.find("[8, 16]"); at != std::string::npos; at = text.find("[8, 16]"))
    text.replace(at, 7, "[8, 8]");
  PlanningFixture fixture(text, "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_EQ(plan.getKernel(OpId(1)), OpId(1));
  EXPECT_EQ(plan.getKernel(OpId(5)), OpId(5));
  EXPECT_FALSE(plan.isFused(CellId(3)));
}

/// h = exp(x @ w - mean), with a mean for each column, is used by two products; ops 1 to 3 are broadcast, subtract,
/// exponential, ops 4 and 6 negations, one for each product.
constexpr llvm::StringLiteral norm = R"json({"partita_graph": 1, "program": {"name": "norm", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 16], "name": "w", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "mean", "number": 2},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 4]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 4]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 4]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 4], "number": 1}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [3],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.broadcast_in_dim", "class": "movement", "operands": [2], "results": [4], "rule": "([b])->([a,b])"},
  {"kind": "stablehlo.subtract", "class": "elementwise", "linearity": "sum", "operands": [3, 4], "results": [5],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.exponential", "class": "elementwise", "operands": [5], "results": [6], "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.negate", "class": "elementwise", "operands": [6], "results": [7], "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [7, 1], "results": [8],
   "rule": "([a,c],[b,c])->([a,b]) reduce(add)={c}"},
  {"kind": "stablehlo.negate", "class": "elementwise", "operands": [6], "results": [9], "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [9, 1], "results": [10],
   "rule": "([a,c],[b,c])->([a,b]) reduce(add)={c}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [8], "results": [11], "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [10], "results": [12], "rule": "([a,b])->([a,b])"}]}
)json";

TEST(FusionPlan, WhatStartsFromOneLargeValueIsComputedAgain) {
  PlanningFixture fixture(norm, "data=2");
  FusionPlan plan(fixture.topology);
  // Both kernels, of ops 4 and 6, compute everything from the product's result and the mean.
  for (uint32_t cell = 4; cell <= 6; ++cell)
    EXPECT_TRUE(plan.isFused(CellId(cell))) << cell;
  EXPECT_FALSE(plan.isFused(CellId(3)));
  EXPECT_EQ(plan.getNumReads(UseId(3)), 2u);
  EXPECT_TRUE(plan.isLight(CellId(4)));
  EXPECT_FALSE(plan.isLight(CellId(5)));
}

static void replaceAll(std::string &text, llvm::StringRef before, llvm::StringRef after) {
  ASSERT_NE(text.find(before.str()), std::string::npos) << before.str();
  for (size_t at = text.find(before.str()); at != std::string::npos; at = text.find(before.str(), at + after.size()))
    text.replace(at, before.size(), after.str());
}

TEST(FusionPlan, WhatIsReadInAnotherOrderIsComputedOnce) {
  std::string text(norm);
  replaceAll(text, "[8, 16]", "[8, 8]");
  replaceAll(text, "[4, 16]", "[4, 8]");
  replaceAll(text, "[16]", "[8]");
  PlanningFixture plain(text, "data=2");
  EXPECT_TRUE(FusionPlan(plain.topology).isFused(CellId(6)));
  // The negations are products with the transpose of x @ w, which lies in the order of x @ w.
  replaceAll(text, R"json("shape": [8, 4], "number": 1}])json",
             R"json("shape": [8, 4], "number": 1}, {"bits": 32, "type": "f32", "shape": [8, 8]}])json");
  replaceAll(text, R"json("ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [3],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},)json",
             R"json("ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [3],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.transpose", "class": "movement", "operands": [3], "results": [13], "rule": "([a,b])->([b,a])"},)json");
  for (const char *result : {"7", "9"})
    replaceAll(
        text,
        std::string(R"json("stablehlo.negate", "class": "elementwise", "operands": [6], "results": [)json") + result +
            R"json(], "rule": "([a,b])->([a,b])")json",
        std::string(R"json("stablehlo.multiply", "class": "elementwise", "operands": [6, 13], "results": [)json") +
            result + R"json(], "rule": "([a,b],[a,b])->([a,b])")json");
  PlanningFixture fixture(text, "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_TRUE(plan.isFused(CellId(13)));
  EXPECT_TRUE(plan.isFused(CellId(5)));
  EXPECT_FALSE(plan.isFused(CellId(6)));
}

TEST(FusionPlan, ReductionsOfLongRowsEndAKernel) {
  std::string text(softmax);
  replaceAll(text, "[8, 16]", "[8, 16384]");
  replaceAll(text, "[4, 16]", "[4, 16384]");
  PlanningFixture fixture(text, "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_EQ(plan.getKernel(OpId(1)), OpId(1));
  EXPECT_EQ(plan.getKernel(OpId(5)), OpId(5));
  // Each kernel reads the product and computes the rest again.
  EXPECT_EQ(plan.getNumReads(UseId(2)) + plan.getNumReads(UseId(4)), 3u);
}

TEST(FusionPlan, ReductionsOfALogSumExpAreKernels) {
  // The division gives an element for each row.
  std::string text(softmax);
  replaceAll(text, R"json("operands": [7], "results": [8], "rule": "([a])->([a,b])")json",
             R"json("operands": [7], "results": [8], "rule": "([a])->([a])")json");
  replaceAll(text, R"json("operands": [6, 8], "results": [9], "rule": "([a,b],[a,b])->([a,b])")json",
             R"json("operands": [7, 8], "results": [9], "rule": "([a],[a])->([a])")json");
  replaceAll(text, R"json("operands": [9], "results": [10], "rule": "([a,b])->([a,b])")json",
             R"json("operands": [9], "results": [10], "rule": "([a])->([a])")json");
  replaceAll(text,
             R"json({"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 16]}])json",
             R"json({"bits": 32, "type": "f32", "shape": [8]}, {"bits": 32, "type": "f32", "shape": [8]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8]}])json");
  PlanningFixture fixture(text, "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_EQ(plan.getKernel(OpId(1)), OpId(1));
  EXPECT_EQ(plan.getKernel(OpId(5)), OpId(5));
  EXPECT_EQ(plan.getNumReads(UseId(2)) + plan.getNumReads(UseId(4)), 2u);
}

TEST(FusionPlan, OperandsOfOneSourceCountAsOne) {
  // (x @ w - mean) * (x @ w), as in a SiLU, which two products of 8 x 16 with the result of another product use.
  std::string text(norm);
  replaceAll(text, R"json("stablehlo.exponential", "class": "elementwise", "operands": [5])json",
             R"json("stablehlo.multiply", "class": "elementwise", "operands": [5, 3])json");
  replaceAll(text, R"json("results": [6], "rule": "([a,b])->([a,b])")json",
             R"json("results": [6], "rule": "([a,b],[a,b])->([a,b])")json");
  for (const char *result : {"7", "9"})
    replaceAll(
        text,
        std::string(R"json("stablehlo.negate", "class": "elementwise", "operands": [6], "results": [)json") + result +
            R"json(], "rule": "([a,b])->([a,b])")json",
        std::string(R"json("stablehlo.maximum", "class": "elementwise", "operands": [6, 13], "results": [)json") +
            result + R"json(], "rule": "([a,b],[a,b])->([a,b])")json");
  replaceAll(text, R"json("shape": [8, 4], "number": 1}],)json", R"json("shape": [8, 4], "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "y", "number": 3}],)json");
  PlanningFixture fixture(text, "data=2");
  EXPECT_TRUE(FusionPlan(fixture.topology).isFused(CellId(6)));
  // From two values it is computed once.
  replaceAll(text, R"json("operands": [5, 3])json", R"json("operands": [5, 13])json");
  PlanningFixture other(text, "data=2");
  EXPECT_FALSE(FusionPlan(other.topology).isFused(CellId(6)));
}

TEST(FusionPlan, WhatASlowFunctionTakesInSixteenBitsIsComputedOnce) {
  // erfc of a value that another kernel reads, too, as in the backward pass of a GELU.
  std::string text(norm);
  replaceAll(text, "stablehlo.exponential", "chlo.erfc");
  replaceAll(text, R"json("operands": [6], "results": [9])json", R"json("operands": [5], "results": [9])json");
  PlanningFixture wide(text, "data=2");
  EXPECT_TRUE(FusionPlan(wide.topology).isFused(CellId(5)));
  replaceAll(text, R"json("bits": 32, "type": "f32")json", R"json("bits": 16, "type": "bf16")json");
  PlanningFixture narrow(text, "data=2");
  EXPECT_FALSE(FusionPlan(narrow.topology).isFused(CellId(5)));
}

TEST(FusionPlan, LookupsReadWhatTheyGive) {
  std::string text(norm);
  // Lookups in place of the two negations: they are computed with what they look up in.
  std::string before = R"json("kind": "stablehlo.negate", "class": "elementwise")json";
  std::string after = R"json("kind": "stablehlo.gather", "class": "indexing")json";
  for (size_t at = text.find(before); at != std::string::npos; at = text.find(before))
    text.replace(at, before.size(), after);
  PlanningFixture fixture(text, "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_EQ(plan.getRole(OpId(4)), FusionRole::Slice);
  EXPECT_TRUE(plan.isFused(CellId(6)));
}

/// t = transpose(x @ w), divided by its sums over the last dim; ops 2 to 5 are exponential, sum, broadcast, divide.
constexpr llvm::StringLiteral turned = R"json({"partita_graph": 1, "program": {"name": "turned", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 16], "name": "w", "number": 1},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [16, 8]},
  {"bits": 32, "type": "f32", "shape": [16, 8]}, {"bits": 32, "type": "f32", "shape": [16]},
  {"bits": 32, "type": "f32", "shape": [16, 8]}, {"bits": 32, "type": "f32", "shape": [16, 8]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16, 8]}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [2],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.transpose", "class": "movement", "operands": [2], "results": [3], "rule": "([a,b])->([b,a])"},
  {"kind": "stablehlo.exponential", "class": "elementwise", "operands": [3], "results": [4], "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.reduce", "class": "reduction", "operands": [4], "results": [5],
   "rule": "([a,b])->([a]) reduce(add)={b}"},
  {"kind": "stablehlo.broadcast_in_dim", "class": "movement", "operands": [5], "results": [6], "rule": "([a])->([a,b])"},
  {"kind": "stablehlo.divide", "class": "elementwise", "operands": [4, 6], "results": [7], "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [7], "results": [8], "rule": "([a,b])->([a,b])"}]}
)json";

TEST(FusionPlan, ReductionsOverDimsThatLieOutsideEndAKernel) {
  PlanningFixture fixture(turned, "data=2");
  FusionPlan plan(fixture.topology);
  // The last dim of t is the first one in memory.
  EXPECT_EQ(plan.getKernel(OpId(3)), OpId(3));
  EXPECT_FALSE(plan.isFused(CellId(5)));
  std::string text(turned);
  text.replace(text.find("stablehlo.transpose"), 19, "stablehlo.reshape");
  PlanningFixture plain(text, "data=2");
  EXPECT_EQ(FusionPlan(plain.topology).getKernel(OpId(3)), OpId(5));
}

/// exp(x) + scatter(zeros, i, u).
constexpr llvm::StringLiteral scattered =
    R"json({"partita_graph": 1, "program": {"name": "scattered", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "i32", "shape": [8, 2], "name": "i", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8], "name": "u", "number": 2},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 16]}],
"ops": [
  {"kind": "stablehlo.exponential", "class": "elementwise", "operands": [0], "results": [3], "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.constant", "class": "movement", "linearity": "zero", "operands": [], "results": [4],
   "rule": "()->([a,b])"},
  {"kind": "stablehlo.scatter", "class": "indexing", "operands": [4, 1, 2], "results": [5],
   "rule": "([a,b],[c,d],[c])->([a,b]) replicate={a,b,c,d}"},
  {"kind": "stablehlo.add", "class": "elementwise", "linearity": "sum", "operands": [3, 5], "results": [6],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [6], "results": [7], "rule": "([a,b])->([a,b])"}]}
)json";

TEST(FusionPlan, WhatIsAddedToAScatterIntoZerosIsScatteredInto) {
  PlanningFixture fixture(scattered, "data=2");
  FusionPlan plan(fixture.topology);
  EXPECT_EQ(plan.getBufferPasses(OpId(2)), 1u);
  EXPECT_FALSE(plan.hasBufferKernel(OpId(2)));
  EXPECT_TRUE(plan.isFused(CellId(3)));
  EXPECT_EQ(plan.getKernel(OpId(0)), OpId(2));
  // Not if the scatter is into something else.
  std::string text(scattered);
  text.replace(text.find(R"json("linearity": "zero", )json"), 21, "");
  PlanningFixture other(text, "data=2");
  EXPECT_EQ(FusionPlan(other.topology).getKernel(OpId(0)), OpId(3));
}

TEST(FusionPlan, BuffersThatAreNotThereAreWrittenOrCopied) {
  std::string text(scattered);
  // A constant that is added to nothing is written by a kernel of its own.
  replaceAll(text, R"json("operands": [3, 5])json", R"json("operands": [3, 3])json");
  PlanningFixture constant(text, "data=2");
  EXPECT_EQ(FusionPlan(constant.topology).getBufferPasses(OpId(2)), 1u);
  EXPECT_TRUE(FusionPlan(constant.topology).hasBufferKernel(OpId(2)));
  // An argument that is not donated is copied.
  replaceAll(text, R"json("operands": [4, 1, 2])json", R"json("operands": [0, 1, 2])json");
  PlanningFixture kept(text, "data=2");
  EXPECT_EQ(FusionPlan(kept.topology).getBufferPasses(OpId(2)), 2u);
  // What a kernel made is taken over.
  replaceAll(text, R"json("operands": [0, 1, 2])json", R"json("operands": [3, 1, 2])json");
  PlanningFixture made(text, "data=2");
  EXPECT_EQ(FusionPlan(made.topology).getBufferPasses(OpId(2)), 0u);
  EXPECT_FALSE(FusionPlan(made.topology).hasBufferKernel(OpId(2)));
}

} // namespace
} // namespace partita::cost
