//===- TrackerTest.cpp - when a tracker must price a unit again -----------===//
//
// Cases in which the price of a unit changes though none of its node states
// does, and prices that are dropped and needed again. RandomWalkTest.cpp looks
// for others.
//
//===----------------------------------------------------------------------===//

#include "partita/Testing/CostFixture.h"

namespace partita::cost {

using namespace fixtures;
namespace {

/// w' = w - g and m' = m + g; w and m are tied, but only g, of the same type, is donated.
constexpr llvm::StringLiteral tied = R"json({"partita_graph": 1, "program": {"name": "tied", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "w"},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "m", "number": 1},
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "g", "number": 2},
  {"bits": 32, "type": "f32", "shape": [16]}, {"bits": 32, "type": "f32", "shape": [16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16], "number": 1}],
"ops": [
  {"kind": "stablehlo.add", "class": "elementwise", "operands": [1, 2], "results": [3], "rule": "([a],[a])->([a])"},
  {"kind": "stablehlo.subtract", "class": "elementwise", "operands": [0, 2], "results": [4], "rule": "([a],[a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [4], "results": [5], "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [3], "results": [6], "rule": "([a])->([a])"}],
"ties": [[0, 5], [1, 6]], "donated": [2]}
)json";

TEST(Tracker, TiedResultsTakeTheBuffersOfOtherDonors) {
  CostFixture fixture(tied, "data=2");
  CostTracker tracker(fixture.model, fixture.assignment, fixture.planner);
  // The first result, w', is written into g; m' has its own buffer beside the arguments.
  EXPECT_EQ(tracker.getCost().peakBytes, 4 * 64);
  Cost before = tracker.getCost();
  size_t mark = fixture.assignment.mark();
  ASSERT_EQ(fixture.apply(R"({"tactics": [{"name": "A", "axis": "data", "atomic": ["g"]},
                                          {"name": "B", "axis": "data", "tile": [["w", 0]]}]})"),
            "");
  // w' is half of g now: it cannot be made there.
  EXPECT_EQ(tracker.update(), fixture.evaluate());
  EXPECT_EQ(fixture.buildReport().memory.aliasedBytes, 64);
  tracker.rollback(mark);
  fixture.assignment.rollback(mark);
  EXPECT_EQ(tracker.update(), before);
  EXPECT_EQ(tracker.getCost(), fixture.evaluate());
}

/// Two ops that want all of x.
constexpr llvm::StringLiteral readers = R"json({"partita_graph": 1, "program": {"name": "readers", "sha256": "00"},
"regions": [{"kind": "program"}],
"cells": [
  {"kind": "argument", "bits": 32, "type": "f32", "shape": [16], "name": "x"},
  {"bits": 32, "type": "f32", "shape": [16]}, {"bits": 32, "type": "f32", "shape": [16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16]},
  {"kind": "result", "bits": 32, "type": "f32", "shape": [16], "number": 1}],
"ops": [
  {"kind": "stablehlo.sort", "class": "reduction", "operands": [0], "results": [1], "rule": "([a])->([a]) replicate={a}"},
  {"kind": "stablehlo.sort", "class": "reduction", "operands": [0], "results": [2], "rule": "([a])->([a]) replicate={a}"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [1], "results": [3], "rule": "([a])->([a])"},
  {"kind": "identity", "class": "identity", "role": "result", "operands": [2], "results": [4], "rule": "([a])->([a])"}]}
)json";

TEST(Tracker, GroupsOfUsesChangePrices) {
  CostFixture fixture(readers, "data=2");
  CostTracker tracker(fixture.model, fixture.assignment, fixture.planner);
  ASSERT_EQ(fixture.apply(R"({"tactics": [{"name": "Z", "axis": "data", "tile": [["x", 0]]}]})"), "");
  // One gather of 64 bytes, of which each of the two sends half.
  EXPECT_EQ(tracker.update().communicationPs, 32);
  size_t mark = fixture.assignment.mark();
  fixture.assignment.groupUses(UseId(1), AxisId(0));
  EXPECT_EQ(tracker.update().communicationPs, 64);
  EXPECT_EQ(tracker.getCost(), fixture.evaluate());
  tracker.rollback(mark);
  fixture.assignment.rollback(mark);
  EXPECT_EQ(tracker.update().communicationPs, 32);
}

TEST(Tracker, ForgottenPricesAreFoundAgain) {
  CostFixture fixture(tied, "data=2");
  CostTracker tracker(fixture.model, fixture.assignment, fixture.planner, /*maxEntries=*/1);
  Cost before = tracker.getCost();
  for (int round = 0; round < 8; ++round) {
    size_t mark = fixture.assignment.mark();
    ASSERT_EQ(fixture.apply(R"({"tactics": [{"name": "B", "axis": "data", "tile": [["w", 0]]}]})"), "");
    EXPECT_EQ(tracker.update(), fixture.evaluate());
    tracker.rollback(mark);
    fixture.assignment.rollback(mark);
    EXPECT_EQ(tracker.update(), before);
  }
}

} // namespace
} // namespace partita::cost
