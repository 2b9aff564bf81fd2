//===- RematChoiceTest.cpp - tests of the knapsack over classes -----------===//

#include "partita/Variants/RematChoice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita::variants;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

/// Alive at all three points.
static RematPrice makePrice(bool isKeptByProgram, double bytes, double timePs) {
  return {isKeptByProgram, {{0, 2, bytes}}, timePs};
}

static RematPrices makePrices(std::vector<RematPrice> classes) { return {std::move(classes), {40, 60, 50}, 20}; }

TEST(RematChoice, KeepsWhatTakesMostTimeForItsBytes) {
  // 1, 5 and 0.1 ps for each byte. The floor is 60 at most.
  RematPrices prices = makePrices({makePrice(true, 100, 100), makePrice(true, 100, 500), makePrice(true, 50, 5)});
  KnownPeak peak{1, {0, 1, 2}, 310};
  EXPECT_THAT(chooseKept(prices, peak, 310), Optional(ElementsAre(0, 1, 2)));
  EXPECT_THAT(chooseKept(prices, peak, 300), Optional(ElementsAre(0, 1)));
  EXPECT_THAT(chooseKept(prices, peak, 250), Optional(ElementsAre(1, 2))) << "the second best is too large";
  EXPECT_THAT(chooseKept(prices, peak, 60), Optional(IsEmpty()));
  EXPECT_EQ(chooseKept(prices, peak, 59), std::nullopt);
}

TEST(RematChoice, WhatTheProgramRecomputesIsKeptIfThatSavesTime) {
  RematPrices prices = makePrices({makePrice(false, 100, 100), makePrice(false, 10, 0), makePrice(true, 10, 0)});
  EXPECT_THAT(chooseKept(prices, {1, {2}, 70}, 500), Optional(ElementsAre(0, 2)));
}

TEST(RematChoice, WhatTakesLongerToKeepThanToRecompute) {
  // The program recomputes the first class, whose stack takes 30 ps more than its cone: it stays recomputed. It keeps
  // the second one, which is recomputed first if memory is short.
  RematPrices prices = makePrices({makePrice(false, 10, -30), makePrice(true, 50, -30), makePrice(true, 50, 5)});
  EXPECT_THAT(chooseKept(prices, {1, {1, 2}, 160}, 500), Optional(ElementsAre(1, 2)));
  EXPECT_THAT(chooseKept(prices, {1, {1, 2}, 160}, 120), Optional(ElementsAre(2)));
}

TEST(RematChoice, MicrobatchesHaveAPartOfEachValue) {
  // 4 microbatches: the floor is 20 + 40 / 4 = 30, the class takes 25; what is known to be 65 instead of 55 is 10 more.
  RematPrices prices = makePrices({makePrice(true, 100, 100)});
  EXPECT_THAT(chooseKept(prices, {4, {0}, 65}, 65), Optional(ElementsAre(0)));
  EXPECT_THAT(chooseKept(prices, {4, {0}, 65}, 64), Optional(IsEmpty()));
  EXPECT_EQ(chooseKept(prices, {4, {0}, 65}, 39), std::nullopt);
}

TEST(RematChoice, BytesCountWhereAClassIsAlive) {
  // At the peak, the middle, only the second class is alive.
  RematPrices prices{{{true, {{0, 0, 30}}, 1}, {true, {{1, 1, 30}}, 100}}, {40, 60, 50}, 20};
  EXPECT_THAT(chooseKept(prices, {1, {0, 1}, 90}, 80), Optional(ElementsAre(0)));
}
