//===- OverlapTest.cpp - what may hide behind compute ---------------------===//

#include "partita/Cost/Overlap.h"
#include "partita/Testing/CostFixture.h"

namespace partita::cost {

using namespace fixtures;

namespace {

/// h = x @ w, g = x' h, a barrier for what `barrier` lists, h' @ w', and the next state w - g'. Those that pass no
/// barrier are used as they are.
std::string makeBarrier(std::initializer_list<char> passed) {
  std::string ops, cells;
  unsigned h = 2, w = 1, g = 3, next = 8;
  for (char name : passed) {
    unsigned &cell = name == 'h' ? h : name == 'w' ? w : g;
    llvm::StringRef shape = name == 'h' ? "[8, 4]" : "[4, 4]";
    ops +=
        R"json({"kind": "identity", "class": "identity", "role": "barrier", "rule": "([a,b])->([a,b])", "operands": [)json" +
        std::to_string(cell) + R"(], "results": [)" + std::to_string(next) + "]},\n";
    cells += (R"(, {"bits": 32, "type": "f32", "shape": )" + shape + "}").str();
    cell = next++;
  }
  return R"json({"partita_graph": 1, "program": {"name": "barrier", "sha256": "00"}, "regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [8, 4], "name": "x"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [4, 4], "name": "w", "number": 1},
  {"bits": 32, "type": "f32", "shape": [8, 4]}, {"bits": 32, "type": "f32", "shape": [4, 4]},
  {"bits": 32, "type": "f32", "shape": [8, 4]}, {"bits": 32, "type": "f32", "shape": [4, 4]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [8, 4]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [4, 4], "number": 1})json" +
         cells + R"json(],
"ops": [
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 1], "results": [2],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [0, 2], "results": [3],
   "rule": "([a,b],[a,c])->([b,c]) reduce(add)={a}"},
)json" + ops +
         R"json(  {"kind": "stablehlo.dot_general", "class": "contraction", "operands": [)json" + std::to_string(h) +
         ", " + std::to_string(w) + R"json(], "results": [4],
   "rule": "([a,b],[b,c])->([a,c]) reduce(add)={b}"},
  {"kind": "stablehlo.subtract", "class": "elementwise", "phase": "update", "operands": [1, )json" +
         std::to_string(g) + R"json(], "results": [5],
   "rule": "([a,b],[a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [4], "results": [6], "rule": "([a,b])->([a,b])"},
  {"kind": "identity", "class": "identity", "role": "result", "phase": "update", "operands": [5], "results": [7],
   "rule": "([a,b])->([a,b])"}],
"ties": [[1, 7]]}
)json";
}

/// Numbers of the ops for which the predicate holds.
std::vector<uint32_t> list(const Graph &graph, llvm::function_ref<bool(OpId)> holds) {
  std::vector<uint32_t> found;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (holds(op))
      found.push_back(op.get());
  return found;
}

struct Fences {
  explicit Fences(std::initializer_list<char> passed) : fixture(makeBarrier(passed), "data=2") {
    const Overlap &overlap = fixture.model.getOverlap();
    fences = list(fixture.model.getGraph(), [&](OpId op) { return overlap.isGatherFence(op); });
    awaited = list(fixture.model.getGraph(), [&](OpId op) { return overlap.isAwaitedByFence(op); });
  }

  CostFixture fixture;
  std::vector<uint32_t> fences, awaited;
};

TEST(Overlap, ABarrierThatAParameterPassesIsAFenceOfGathers) {
  Fences both({'h', 'w'});
  EXPECT_EQ(both.fences, std::vector<uint32_t>{3});
  EXPECT_EQ(both.awaited, (std::vector<uint32_t>{2, 3}));
  Fences parameterFirst({'w', 'h'});
  EXPECT_EQ(parameterFirst.fences, std::vector<uint32_t>{3});
  Fences values({'h'});
  EXPECT_TRUE(values.fences.empty());
  EXPECT_TRUE(values.awaited.empty());
}

TEST(Overlap, AFenceOfGathersDoesNotWaitForLateReductions) {
  Fences fences({'g', 'h', 'w'});
  ASSERT_TRUE(fences.fixture.model.getOverlap().isLate(CellId(3)));
  EXPECT_EQ(fences.fences, std::vector<uint32_t>{4});
  EXPECT_EQ(fences.awaited, (std::vector<uint32_t>{3, 4}));
}

} // namespace
} // namespace partita::cost
