//===- TimeBandTest.cpp ---------------------------------------------------===//

#include "partita/Report/TimeBand.h"

#include "gtest/gtest.h"

using namespace partita;
using namespace partita::report;

namespace {

ScorePrices makePrices() {
  ScorePrices prices;
  prices.timePs = 1000;
  prices.computePs = 800;
  prices.exposedCommunicationPs = 200;
  prices.levels = {{"node", 0, 300}, {"nvlink", 0, 100}};
  return prices;
}

machine::Machine makeMachine() {
  machine::Machine machine;
  machine.levels.resize(2);
  machine.levels[0].name = "node";
  machine.levels[1].name = "nvlink";
  return machine;
}

TEST(TimeBandTest, WithoutMeasuredStepsThereIsNone) {
  ScorePrices prices = makePrices();
  machine::Machine machine = makeMachine();
  machine.device.memoryPpm.widthPpm = 50'000;
  EXPECT_EQ(computeTimeWidthPpm(prices, machine), 0);
  EXPECT_EQ(printWidth(prices.timeWidthPpm), "");
  EXPECT_FALSE(isTooClose(prices, 1000));
}

TEST(TimeBandTest, WidthsOfPartsAddUp) {
  ScorePrices prices = makePrices();
  machine::Machine machine = makeMachine();
  machine.stepWidthPpm = 60'000;
  EXPECT_EQ(computeTimeWidthPpm(prices, machine), 60'000);
  // 0.8 of the step at 100,000: sqrt(60,000^2 + 80,000^2).
  machine.device.products.tilesWidthPpm = 100'000;
  machine.device.memoryPpm.widthPpm = 20'000;
  EXPECT_EQ(computeTimeWidthPpm(prices, machine), 100'000);
  // The device waits for 0.2 of the step, three quarters of it for a level that is known to 500,000:
  // sqrt(100,000^2 + 75,000^2).
  machine.levels[0].bytesPerSecond.widthPpm = 500'000;
  EXPECT_EQ(computeTimeWidthPpm(prices, machine), 125'000);
  prices.timeWidthPpm = 125'000;
  EXPECT_EQ(printWidth(prices.timeWidthPpm), " \u00b1 13%");
  // 1000 +- 0.4 x 125.
  EXPECT_TRUE(isTooClose(prices, 1050));
  EXPECT_TRUE(isTooClose(prices, 950));
  EXPECT_FALSE(isTooClose(prices, 1051));
  EXPECT_FALSE(isTooClose(prices, 949));
}

} // namespace
