//===- PiecePriceTest.cpp - time and memory of products in pieces ---------===//

#include "partita/Cost/PiecePrice.h"

#include "partita/Testing/PieceFixture.h"

#include <gtest/gtest.h>

using namespace partita;
using namespace partita::cost;
using namespace partita::fixtures;

namespace {

/// The prices of the gather and of the scatter on a machine where a byte takes a picosecond, and so do as many flops.
class PiecePriceTest : public testing::Test {
protected:
  std::pair<PiecedPrice, PiecedPrice> price(const Machine &machine, const CostOptions &options = {}) {
    PricePtr priced = PieceFixture::price(*fixture.plan, machine, options);
    std::vector<PiecedReshard> found = fixture.findAll();
    auto priceOne = [&](const PiecedReshard &pieced) {
      return pricePieces(priced->model, fixture.plan->assignment, fixture.plan->planner, fixture.plan->reshards,
                         pieced);
    };
    return {priceOne(found.at(0)), priceOne(found.at(1))};
  }

  PieceFixture fixture{"m=2"};
  Machine machine = makeSimpleMachine(2);
};

TEST_F(PiecePriceTest, AGather) {
  PiecedPrice gather = price(machine).first;
  // Of 16 x 8 values of 4 bytes a device has half, and gets the other half beside a product.
  EXPECT_EQ(gather.reshard.pieceBytes, 256);
  EXPECT_EQ(gather.reshard.bytes, 256);
  EXPECT_EQ(gather.reshard.wholePs, 0);
  ASSERT_EQ(gather.reshard.permutes.size(), 1u);
  EXPECT_EQ(gather.reshard.permutes[0].timePs, 256);
  // [8, 8] x [8, 8] twice, of 1024 flops each, which hide the permute; 512 bytes are read and written in order.
  ASSERT_EQ(gather.ops.size(), 1u);
  EXPECT_EQ(gather.ops[0].timePs, 2 * 1024 + 2 * 512);
  EXPECT_EQ(gather.ops[0].besidePs, 256);
  EXPECT_EQ(gather.ops[0].temporaryBytes, 512);
  EXPECT_EQ(gather.ops[0].numKernels, 3);
  // A fence, though nothing is exposed.
  EXPECT_EQ(gather.reshard.exposedPs, 1);
}

TEST_F(PiecePriceTest, AScatter) {
  PiecedPrice scatter = price(machine).second;
  EXPECT_EQ(scatter.reshard.pieceBytes, 256);
  EXPECT_EQ(scatter.reshard.bytes, 256);
  ASSERT_EQ(scatter.ops.size(), 1u);
  // Two products; slices of the operand's 512 bytes are read and written; two terms are read and one sum is written.
  EXPECT_EQ(scatter.ops[0].timePs, 2 * 1024 + 2 * 512 + 2 * 256 + 256);
  EXPECT_EQ(scatter.ops[0].besidePs, 256);
  EXPECT_EQ(scatter.ops[0].temporaryBytes, 512 + 256);
  EXPECT_EQ(scatter.ops[0].numKernels, 5);
}

TEST_F(PiecePriceTest, LaunchesAreCounted) {
  auto before = price(machine);
  machine.device.launchPs = {100, ""};
  auto behind = price(machine);
  EXPECT_EQ(behind.first.ops[0].timePs, before.first.ops[0].timePs + 300);
  EXPECT_EQ(behind.second.ops[0].timePs, before.second.ops[0].timePs + 500);
}

TEST_F(PiecePriceTest, WhatProductsDoNotHideIsExposed) {
  // Ten picoseconds for a byte: 2560 beside products of 1024.
  machine.levels[0].bytesPerSecond = {100'000'000'000, ""};
  EXPECT_EQ(price(machine).first.reshard.exposedPs, 2560 - 1024);
  EXPECT_EQ(price(machine).first.ops[0].besidePs, 1024);
  CostOptions options;
  options.overlapPpm = wholePpm / 4;
  EXPECT_EQ(price(machine, options).first.reshard.exposedPs, 2560 - 256);
  EXPECT_EQ(price(machine, options).first.ops[0].besidePs, 256);
}

TEST_F(PiecePriceTest, AStepConsistsOfThem) {
  machine.levels[0].bytesPerSecond = {100'000'000'000, ""};
  Result<PlanPtr> pieced = fixture.buildWith({{false, "rows", "hidden"}, {true, "out", ""}});
  ASSERT_TRUE(pieced);
  PricePtr plain = PieceFixture::price(*fixture.plan, machine), own = PieceFixture::price(**pieced, machine);
  auto [gather, scatter] = price(machine);
  // Two products of 2048, a gather and a scatter of 256 bytes go; what both take in pieces comes.
  int64_t without = 2 * 2048 + 2 * 2560;
  int64_t with = gather.ops[0].timePs + gather.reshard.exposedPs + scatter.ops[0].timePs + scatter.reshard.exposedPs;
  EXPECT_EQ(own->computeTimePs() - plain->computeTimePs(), with - without);
  EXPECT_TRUE(own->pieces.find(OpId(1)) && own->pieces.find(OpId(3)));
  EXPECT_FALSE(own->pieces.find(OpId(0)));
}

} // namespace
