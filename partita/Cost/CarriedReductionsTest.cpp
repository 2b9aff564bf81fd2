//===- CarriedReductionsTest.cpp - the middle of a loop's body ------------===//

#include "partita/Cost/CarriedReductions.h"

#include "partita/Testing/CostFixture.h"

namespace partita::cost {

using namespace fixtures;
namespace {

/// Rows go through three products, and the first two give a fourth, which nothing takes.
constexpr llvm::StringLiteral chain = R"json({"partita_graph": 1, "program": {"name": "chain", "sha256": "00"},
"regions": [{"kind": "program"}, {"kind": "loop_body", "parent": 0, "trips": 4}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 4], "name": "w", "number": 1},
  {"kind": "carried", "bits": 32, "type": "f32", "shape": [4, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [4, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [4, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [4, 4], "region": 1},
  {"bits": 32, "type": "f32", "shape": [4, 4], "region": 1},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4, 4]}],
"ops": [
  {"kind": "identity", "class": "identity", "role": "entry", "operands": [0], "results": [2],
   "rule": "([a,b])->([a,b])"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [2, 1], "results": [3], "region": 1,
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}", "flops": FIRST},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [3, 1], "results": [4], "region": 1,
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}", "flops": SECOND},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [3, 4], "results": [6], "region": 1,
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}", "flops": 1000},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [4, 1], "results": [5], "region": 1,
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}", "flops": THIRD},
  {"kind": "identity", "class": "identity", "role": "yield", "operands": [5], "results": [2], "region": 1,
   "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [2], "results": [7],
   "rule": "([a,b])->([a,b])"}]}
)json";

OpId findMiddle(int64_t first, int64_t second, int64_t third) {
  std::string text = chain.str();
  for (auto [word, flops] : {std::pair("FIRST", first), std::pair("SECOND", second), std::pair("THIRD", third)})
    text.replace(text.find(word), llvm::StringRef(word).size(), std::to_string(flops));
  CostFixture fixture(text, "data=2");
  return LoopMiddles(fixture.model.getTopology()).find(RegionId(1));
}

TEST(CarriedReductions, TheMiddleHasWorkBeforeItAndBehindIt) {
  // The product that nothing takes comes behind both of the first two.
  EXPECT_EQ(findMiddle(10, 20, 30), OpId(2));
  EXPECT_EQ(findMiddle(2000, 1, 10), OpId(1));
  EXPECT_EQ(findMiddle(10, 0, 0), OpId(1));
}

TEST(CarriedReductions, WithoutWorkThereIsNoMiddle) { EXPECT_FALSE(findMiddle(0, 0, 0).isValid()); }

} // namespace
} // namespace partita::cost
