//===- LoopReductionsTest.cpp - reductions that end an iteration ----------===//

#include "partita/Cost/LoopReductions.h"

#include "partita/Testing/CostFixture.h"

namespace partita::cost {

using namespace fixtures;
namespace {

/// Four gradients x'x of 8 rows, written into a stack, which is the next state.
constexpr llvm::StringLiteral layers = R"json({"partita_graph": 1, "program": {"name": "layers", "sha256": "00"},
"regions": [{"kind": "program"}, {"kind": "loop_body", "parent": 0, "trips": 4}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 4, 4], "name": "w", "number": 1},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [4, 4, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [4, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [1, 4, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [4, 4, 4], "region": 1},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4, 4, 4]}],
"ops": [
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [1], "results": [2],
   "rule": "([l,b,c])->([l,b,c])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 0], "results": [3], "region": 1,
   "rule": "([a,b],[a,c])->([b,c]) reduce(add)={a}"},
  {"kind": "stablehlo.reshape", "class": "movement", "operands": [3], "results": [4], "region": 1,
   "rule": "([b,c])->([_,b,c])"},
  {"kind": "stablehlo.dynamic_update_slice", "class": "indexing", "operands": [2, 4], "results": [5], "region": 1,
   "rule": "([l,b,c],[_,b,c])->([l,b,c]) replicate={l}"},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [5], "results": [2], "region": 1,
   "rule": "([l,b,c])->([l,b,c])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [2], "results": [6],
   "rule": "([l,b,c])->([l,b,c])"}],
"ties": [[1, 6]]}
)json";

bool endsIteration(int64_t numDevices, int64_t combineBytes, uint32_t region, CollectiveKind kind) {
  CostFixture fixture(layers, "data=2");
  const CostModel &model = fixture.model;
  LoopReductions reductions(model.getTopology(), model.getFusion(), model.getOverlap(), model.getSlots(),
                            model.getMultiplicity(), numDevices, combineBytes);
  ReshardPlan plan;
  plan.steps.push_back({});
  plan.steps.back().kind = kind;
  return reductions.endsIteration(RegionId(region), plan);
}

TEST(LoopReductions, GradientsOfOneBatchEndTheIteration) {
  // A gradient has 64 bytes; two devices share it.
  EXPECT_TRUE(endsIteration(2, 32, 1, CollectiveKind::ReduceScatter));
  EXPECT_FALSE(endsIteration(2, 31, 1, CollectiveKind::ReduceScatter));
  EXPECT_TRUE(endsIteration(4, 16, 1, CollectiveKind::ReduceScatter));
  EXPECT_FALSE(endsIteration(2, 0, 1, CollectiveKind::ReduceScatter));
}

TEST(LoopReductions, WhatAPlanKeepsWholeWaitsAsWell) {
  EXPECT_TRUE(endsIteration(2, 32, 1, CollectiveKind::AllReduce));
  EXPECT_FALSE(endsIteration(2, 31, 1, CollectiveKind::AllReduce));
}

TEST(LoopReductions, StraightCodeHasNoIterations) {
  EXPECT_FALSE(endsIteration(2, 1000, 0, CollectiveKind::AllReduce));
}

} // namespace
} // namespace partita::cost
