//===- OpPriceTest.cpp - times of single ops ------------------------------===//

#include "partita/Cost/OpPrice.h"

#include "partita/Testing/PieceFixture.h"

#include <gtest/gtest.h>

using namespace partita;
using namespace partita::cost;
using namespace partita::fixtures;

namespace {

/// Two products alike, with and without a batch; the second of each two may not be split, so its dims have nothing in
/// common.
constexpr llvm::StringLiteral productsGraph = R"json({"partita_graph": 1, "program": {"name": "p", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [256, 512], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [512, 384], "name": "w", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 256, 512], "name": "a", "number": 2},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 512, 128], "name": "b", "number": 3},
  {"bits": 32, "type": "f32", "shape": [256, 384], "name": "y0"},
  {"bits": 32, "type": "f32", "shape": [256, 384], "name": "y1"},
  {"bits": 32, "type": "f32", "shape": [4, 256, 128], "name": "z0"},
  {"bits": 32, "type": "f32", "shape": [4, 256, 128], "name": "z1"}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 100663296, "operands": [0, 1], "results": [4],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 100663296, "operands": [0, 1], "results": [5],
   "rule": "([a,b],[c,d])->([e,f]) replicate={a,b,c,d,e,f}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 134217728, "operands": [2, 3], "results": [6],
   "rule": "([g,a,b],[g,b,c])->([g,a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "flops": 134217728, "operands": [2, 3], "results": [7],
   "rule": "([a,b,c],[d,e,f])->([g,h,i]) replicate={a,b,c,d,e,f,g,h,i}"}]}
)json";

TEST(OpPriceTest, AProductThatMayNotBeSplitIsAsLarge) {
  PieceFixture fixture("m=2", R"({"tactics": []})", productsGraph);
  Machine machine = makeSimpleMachine(2);
  // Smaller sizes would count as 128.
  machine.device.matmulTile = {128, ""};
  PricePtr price = PieceFixture::price(*fixture.plan, machine);
  auto time = [&](uint32_t op) { return price->model.getOpPricer().computeTimePs(fixture.plan->assignment, OpId(op)); };
  EXPECT_EQ(time(0), 100663296);
  EXPECT_EQ(time(1), time(0));
  EXPECT_EQ(time(2), 134217728);
  EXPECT_EQ(time(3), time(2));
}

} // namespace
