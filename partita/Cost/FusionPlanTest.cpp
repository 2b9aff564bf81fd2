//===- FusionPlanTest.cpp - which ops run as one kernel -------------------===//

#include "partita/Cost/FusionPlan.h"
#include "partita/Propagate/PlanningFixture.h"

namespace partita {
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

} // namespace
} // namespace partita
