//===- PlacementChoiceTest.cpp - a plan on other levels of its machine ----===//

#include "partita/Cost/PlacementChoice.h"

#include "partita/Testing/PieceFixture.h"

#include <gtest/gtest.h>

using namespace partita;
using namespace partita::cost;
using namespace partita::fixtures;

namespace {

/// y = x^2 w, of [64, 192] and [192, 64] values.
constexpr llvm::StringLiteral productGraph = R"json({"partita_graph": 1, "program": {"name": "product", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [64, 192], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [192, 64], "name": "w", "number": 1},
  {"bits": 32, "type": "f32", "shape": [64, 192], "name": "rows"},
  {"bits": 32, "type": "f32", "shape": [64, 64], "name": "y"},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [64, 64], "name": "result"}],
"ops": [
  {"kind": "stablehlo.multiply", "class": "elementwise", "operands": [0, 0], "results": [2],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 1572864, "operands": [2, 1],
   "results": [3],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [3], "results": [4],
   "rule": "([a,b])->([a,b])"}]}
)json";

/// Two devices behind a fast switch, two of these behind one that takes ten times as long.
Machine makeTwoLevels() {
  Machine machine = makeSimpleMachine(2);
  machine.device.memoryBytes = {1'000'000'000, ""};
  machine.levels.push_back(machine.levels[0]);
  machine.levels[0].name = "nodes";
  machine.levels[0].bytesPerSecond = {100'000'000'000, ""};
  return machine;
}

/// Rows are gathered over a, which lies inside, and sums reduced over b, which lies across.
TEST(PlacementChoiceTest, PiecesCountAsThePermutesThatTheyAre) {
  PieceFixture fixture("b=2,a=2", R"({"tactics": [{"axis": "a", "tile": [["w", 1]]}, {"axis": "b", "tile": [["w", 0]]},
                                      {"axis": "a", "tile": [["x", 0]]}]})",
                       productGraph);
  Machine machine = makeTwoLevels();
  // Gathered rows are 64 x 96 values, reduced sums 64 x 32. As collectives, 12288 + 10 x 8192 picoseconds are less than
  // 10 x 12288 + 8192.
  PricePtr plain = PieceFixture::price(*fixture.plan, machine);
  EXPECT_FALSE(findBetterPlacement(*plain));
  // A permute of half of the rows hides beside products, wherever it runs.
  Result<PlanPtr> pieced = fixture.buildWith({{false, "rows", "y"}});
  ASSERT_TRUE(pieced);
  PricePtr price = PieceFixture::price(**pieced, machine), better = findBetterPlacement(*price);
  ASSERT_TRUE(better);
  EXPECT_LT(better->computeTimePs(), price->computeTimePs());
}

} // namespace
