//===- PieceChoiceTest.cpp - which products of a plan run in pieces -------===//

#include "partita/Cost/PieceChoice.h"

#include "partita/Testing/PieceFixture.h"

#include <gtest/gtest.h>

using namespace partita;
using namespace partita::cost;
using namespace partita::fixtures;

namespace {

/// A byte takes ten picoseconds on the network and a tenth of one in memory, so that pieces pay.
Machine makeSlowLinks() {
  Machine machine = makeSimpleMachine(2);
  machine.levels[0].bytesPerSecond = {100'000'000'000, ""};
  machine.device.memoryBytesPerSecond = {10'000'000'000'000, ""};
  return machine;
}

std::string choose(const PieceFixture &fixture, const Machine &machine, const CostOptions &options = {}) {
  PlanPtr chosen = choosePieces(*PieceFixture::price(*fixture.plan, machine, options));
  std::string text;
  for (const PiecedCollective &each : chosen ? chosen->pieced : std::vector<PiecedCollective>())
    text += each.getCollective().str() + " of " + each.value + ";";
  return text;
}

TEST(PieceChoiceTest, WhatIsFasterIsChosen) {
  PieceFixture fixture("m=2");
  EXPECT_EQ(choose(fixture, makeSlowLinks()), "all_gather of rows;reduce_scatter of out;");
  PricePtr plain = PieceFixture::price(*fixture.plan, makeSlowLinks());
  PlanPtr chosen = choosePieces(*plain);
  ASSERT_TRUE(chosen);
  EXPECT_LT(PieceFixture::price(*chosen, makeSlowLinks())->computeTimePs(), plain->computeTimePs());
}

TEST(PieceChoiceTest, NotWhereProductsLoseMore) {
  Machine machine = makeSlowLinks();
  // Two more for a gather, and four more for a scatter.
  machine.device.launchPs = {2000, ""};
  EXPECT_EQ(choose(PieceFixture("m=2"), machine), "");
}

TEST(PieceChoiceTest, NotIfThePlanFitsNoMore) {
  PieceFixture fixture("m=2");
  Machine machine = makeSlowLinks();
  int64_t plain = PieceFixture::price(*fixture.plan, machine)->getCost().peakBytes;
  PlanPtr chosen = choosePieces(*PieceFixture::price(*fixture.plan, machine));
  ASSERT_TRUE(chosen);
  ASSERT_GT(PieceFixture::price(*chosen, machine)->getCost().peakBytes, plain);
  CostOptions options;
  options.memoryLimitBytes = plain;
  EXPECT_EQ(choose(fixture, machine, options), "");
  // It need not fit if the plan does not either.
  options.memoryLimitBytes = plain - 1;
  EXPECT_NE(choose(fixture, machine, options), "");
}

TEST(PieceChoiceTest, NotWhatHidesBehindComputeAsItIs) {
  // Rows of an argument may be gathered ahead.
  PieceFixture fixture("m=2", R"({"tactics": [{"axis": "m", "tile": [["rows", 0]]},
                                              {"axis": "m", "tile": [["w", 1]]}]})");
  ASSERT_EQ(fixture.findAll().size(), 1u);
  EXPECT_EQ(choose(fixture, makeSlowLinks()), "");
}

TEST(PieceChoiceTest, OneProductRunsInOneSetOfPieces) {
  // The first product's rows are gathered over a, and its sums scattered over b.
  PieceFixture fixture("a=2,b=2", R"({"tactics": [{"axis": "a", "tile": [["w", 1]]}, {"axis": "b", "tile": [["w", 0]]},
                                      {"axis": "a", "tile": [["x", 0]]}, {"axis": "b", "tile": [["active", 0]]}]})");
  ASSERT_EQ(fixture.findAll().size(), 2u);
  Machine machine = makeSlowLinks();
  machine.levels[0].size = 4;
  // In both ways products of 512 picoseconds hide as much. Slices and a sum take longer than rows in order.
  EXPECT_EQ(choose(fixture, machine), "all_gather of rows;");
  Result<PlanPtr> both = fixture.buildWith({{false, "rows", "hidden"}, {true, "hidden", ""}});
  ASSERT_FALSE(both);
  EXPECT_NE(both.error().str().find("in pieces that no other entry has"), std::string::npos);
}

} // namespace
