//===- LateProductsTest.cpp - how much later products may run -------------===//

#include "partita/Cost/LateProducts.h"
#include "partita/Testing/CostFixture.h"

#include <gmock/gmock.h>

namespace partita::cost {

using namespace fixtures;
using testing::ElementsAre;

namespace {

/// The backward pass of an attention, of which only what waits for what matters: P = s * s, dV = P @ dO, dP = dO @ v,
/// dS = dP * s, dQ = dS @ k, and dx, which takes dQ and dV.
constexpr llvm::StringLiteral attention = R"json({"partita_graph": 1, "program": {"name": "attention", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 8], "name": "s"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "dO", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 8], "name": "v", "number": 2},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 16], "name": "k", "number": 3},
  {"bits": 32, "type": "f32", "shape": [8, 8]}, {"bits": 32, "type": "f32", "shape": [8, 4]},
  {"bits": 32, "type": "f32", "shape": [8, 8]}, {"bits": 32, "type": "f32", "shape": [8, 8]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [16, 4]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16, 4]}],
"ops": [
  {"kind": "stablehlo.multiply", "class": "elementwise", "operands": [0, 0], "results": [4],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [4, 1], "results": [5],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [1, 2], "results": [6],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.multiply", "class": "elementwise", "operands": [6, 0], "results": [7],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [7, 3], "results": [8],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [8, 5], "results": [9],
   "rule": "([a,b],[a,c])->([b,c]) reduce(add)={a}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [9], "results": [10],
   "rule": "([a,b])->([a,b])"}]}
)json";

static std::vector<uint32_t> computeLatest(llvm::StringRef text, uint32_t size) {
  PlanningFixture fixture(text, "data=2");
  const Graph &graph = fixture.topology.getGraph();
  FusionPlan fusion(fixture.topology);
  IdVector<OpId, FusionRole> roles;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    roles.push_back(fusion.getRole(op));
  std::vector<uint32_t> numbers;
  IdVector<OpId, OpId> latest = computeLatestOps(graph, roles, size);
  for (OpId op : latest.raw())
    numbers.push_back(op.get());
  return numbers;
}

TEST(LateProducts, AProductMayRunWhereItsResultIsNeeded) {
  // dV is op 1, and needed at op 5. The others are needed by the next op.
  EXPECT_THAT(computeLatest(attention, 0), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(computeLatest(attention, 1), ElementsAre(0, 2, 2, 3, 4, 5, 6));
  EXPECT_THAT(computeLatest(attention, 8), ElementsAre(0, 4, 2, 3, 4, 5, 6));
}

TEST(LateProducts, NoLaterThanTheSameProductOfTheNextLayer) {
  std::string text(attention);
  auto replace = [&](llvm::StringRef before, llvm::StringRef behind) {
    text.replace(text.find(before), before.size(), behind);
  };
  // dQ has the kind, types and shapes of dV now.
  replace(R"("shape": [8, 16], "name": "k")", R"("shape": [8, 4], "name": "k")");
  replace(R"({"bits": 32, "type": "f32", "shape": [8, 16]})", R"({"bits": 32, "type": "f32", "shape": [8, 4]})");
  replace(R"({"bits": 32, "type": "f32", "shape": [16, 4]})", R"({"bits": 32, "type": "f32", "shape": [4, 4]})");
  replace(R"("kind": "result", "bits": 32, "type": "f32", "shape": [16, 4])",
          R"("kind": "result", "bits": 32, "type": "f32", "shape": [4, 4])");
  EXPECT_EQ(computeLatest(text, 8)[1], 4u);
  // So has dP.
  replace(R"("shape": [4, 8], "name": "v")", R"("shape": [8, 8], "name": "v")");
  replace(R"("shape": [8, 4], "name": "dO")", R"("shape": [8, 8], "name": "dO")");
  for (int i = 0; i < 2; ++i)
    replace(R"({"bits": 32, "type": "f32", "shape": [8, 4]})", R"({"bits": 32, "type": "f32", "shape": [8, 8]})");
  replace(R"("shape": [8, 4], "name": "k")", R"("shape": [8, 8], "name": "k")");
  for (int i = 0; i < 2; ++i)
    replace(R"("shape": [4, 4])", R"("shape": [8, 8])");
  EXPECT_EQ(computeLatest(text, 8)[1], 2u);
}

/// g = x' x, h = x @ c, h @ c, and a barrier for g and that. With `hasOther`, h passes a barrier of its own before.
static std::string makeBarrier(bool hasOther) {
  std::string other =
      R"json({"kind": "identity", "class": "identity", "role": "barrier", "operands": [3], "results": [7],
   "rule": "([a,c])->([a,c])"},
)json";
  return R"json({"partita_graph": 1, "program": {"name": "barrier", "sha256": "00"}, "regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 4], "name": "c", "number": 1},
  {"bits": 32, "type": "f32", "shape": [4, 4]}, {"bits": 32, "type": "f32", "shape": [8, 4]},
  {"bits": 32, "type": "f32", "shape": [8, 4]}, {"bits": 32, "type": "f32", "shape": [4, 4]},
  {"bits": 32, "type": "f32", "shape": [8, 4]}, {"bits": 32, "type": "f32", "shape": [8, 4]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4, 4]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 4], "number": 1}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 0], "results": [2],
   "rule": "([a,b],[a,c])->([b,c]) reduce(add)={a}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [3],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
)json" + (hasOther ? other : "") +
         R"json(  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [3, 1], "results": [4],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "role": "barrier", "operands": [4], "results": [6], "rule": "([a,c])->([a,c])"},
  {"kind": "identity", "class": "identity", "role": "barrier", "operands": [2], "results": [5], "rule": "([b,c])->([b,c])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [5], "results": [8], "rule": "([b,c])->([b,c])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [6], "results": [9], "rule": "([a,c])->([a,c])"}]}
)json";
}

TEST(LateProducts, WhatTheNextBarrierNeedsIsMadeRightBeforeIt) {
  // The barrier is ops 3 and 4. Only its second value needs g, the result of op 0.
  EXPECT_EQ(computeLatest(makeBarrier(false), 1)[0], 3u);
  // Behind another barrier it is as far as the window says.
  EXPECT_EQ(computeLatest(makeBarrier(true), 1)[0], 1u);
}

static int64_t computePeak(int64_t lateWindow) {
  CostFixture fixture(attention, "data=2", {}, 0, lateWindow);
  return fixture.evaluate().peakBytes;
}

TEST(LateProducts, OperandsStayAliveUntilThen) {
  // Arguments 256 + 128 + 128 + 512. At dQ: dS and dQ, and of the others dV alone.
  EXPECT_EQ(computePeak(0), 1024 + 256 + 512 + 128);
  // There P is needed, too.
  EXPECT_EQ(computePeak(8), 1024 + 256 + 512 + 128 + 256);
}

/// d = (y * p) - sum(y * p) p over rows of 16, with p = x @ w: what a softmax passes back.
constexpr llvm::StringLiteral backward = R"json({"partita_graph": 1, "program": {"name": "backward", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 16], "name": "w", "number": 1},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8]},
  {"bits": 32, "type": "f32", "shape": [8, 16]}, {"bits": 32, "type": "f32", "shape": [8, 16]},
  {"bits": 32, "type": "f32", "shape": [8, 4]}, {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 4]}],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [2],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.reduce", "class": "reduction", "operands": [2], "results": [3],
   "rule": "([a,b])->([a]) reduce(add)={b}"},
  {"kind": "stablehlo.broadcast_in_dim", "class": "movement", "operands": [3], "results": [4], "rule": "([a])->([a,b])"},
  {"kind": "stablehlo.multiply", "class": "elementwise", "operands": [2, 4], "results": [5], "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [5, 1], "results": [6],
   "rule": "([a,b],[c,b])->([a,c]) reduce(add)={b}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [6], "results": [7], "rule": "([a,b])->([a,b])"}]}
)json";

TEST(LateProducts, AKernelThatReadsWholeRowsDoesNotWorkInPlace) {
  CostFixture fixture(backward, "data=2");
  // Arguments 128 + 256. At the multiplication, which takes a row's sum, its operand and its result.
  EXPECT_EQ(fixture.evaluate().peakBytes, 384 + 2 * 512);
}

} // namespace
} // namespace partita::cost
