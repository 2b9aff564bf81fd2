//===- PieceLayoutTest.cpp - arithmetic on digits and layouts -------------===//

#include "partita/Verify/Relation/PieceLayout.h"

#include "partita/Verify/Relation/IndexExpression.h"

#include <gtest/gtest.h>

namespace partita::verify {
namespace {

std::string print(const Digits &digits) {
  PieceLayout layout(1);
  layout.dims[0].digits = digits;
  return printLayout(layout);
}

TEST(DigitsTest, NeighborsAreOneDigit) {
  EXPECT_EQ(print(joinDigits({{4, 2}, {1, 4}})), "[{1:8}]");
  EXPECT_EQ(print(joinDigits({{1, 4}, {4, 2}})), "[{1:4, 4:2}]");
  EXPECT_EQ(print(joinDigits({{4, 1}, {1, 1}})), "[{}]");
}

TEST(DigitsTest, TakingTheMajorEndSplitsADigit) {
  Digits digits{{1, 8}};
  std::optional<Digits> major = takeMajor(digits, 2);
  ASSERT_TRUE(major);
  EXPECT_EQ(print(*major), "[{4:2}]");
  EXPECT_EQ(print(digits), "[{1:4}]");
  EXPECT_FALSE(takeMajor(digits, 3));
}

TEST(DigitsTest, AShiftedDigitStaysWhole) {
  EXPECT_EQ(print(joinDigits({{4, 2}, {1, 4, 1}})), "[{4:2, 1:4+1}]");
  Digits digits{{1, 4, 1}};
  EXPECT_FALSE(takeMajor(digits, 2));
  EXPECT_FALSE(unifyDigits({{1, 4, 1}}, {{1, 4}}));
  EXPECT_TRUE(unifyDigits({{1, 4, 1}}, {{1, 4, 1}}));
  Digits set{{1, 4, 1}};
  EXPECT_FALSE(dropAll(set, {{1, 4}}));
  EXPECT_TRUE(dropAll(set, {{1, 4, 1}}));
}

TEST(DigitsTest, ListsAreTheSameHoweverTheyAreCut) {
  EXPECT_TRUE(unifyDigits({{1, 8}}, {{4, 2}, {1, 4}}));
  EXPECT_FALSE(unifyDigits({{1, 8}}, {{1, 4}, {4, 2}}));
  std::optional<Digits> any = unifyDigits({{0, 2}, {1, 4}}, {{4, 2}, {1, 4}});
  ASSERT_TRUE(any);
  EXPECT_EQ(print(*any), "[{1:8}]");
}

TEST(DigitsTest, MinorEndAndSets) {
  Digits digits{{1, 8}};
  EXPECT_FALSE(dropMinor(digits, {{4, 2}}));
  EXPECT_TRUE(dropMinor(digits, {{1, 2}}));
  EXPECT_EQ(print(digits), "[{2:4}]");
  // The middle of a number of 8 devices.
  Digits set{{1, 8}};
  EXPECT_TRUE(dropAll(set, {{2, 2}}));
  EXPECT_EQ(print(set), "[{4:2, 1:2}]");
  EXPECT_FALSE(dropAll(set, {{2, 2}}));
  // Six devices of which two are known, and three are any.
  Digits any{{1, 2}, {0, 3}};
  EXPECT_TRUE(dropAll(any, {{1, 6}}));
  EXPECT_TRUE(any.empty());
  // Of 16 devices the eight minor numbers are known; what is dropped has its own minor end among them, the major not.
  Digits half{{1, 8}, {0, 2}};
  EXPECT_TRUE(dropAll(half, {{2, 8}}));
  EXPECT_EQ(print(half), "[{1:2}]");
  Digits less{{1, 8}};
  EXPECT_FALSE(dropAll(less, {{2, 8}}));
}

TEST(DigitsTest, Overlaps) {
  EXPECT_TRUE(areDisjoint({{1, 2}, {4, 2}, {2, 2}}));
  EXPECT_FALSE(areDisjoint({{1, 4}, {2, 2}}));
  // Of six devices: number / 3 and number % 2 are 0 and 1, 1 and 0 more often than both alike.
  EXPECT_FALSE(areDisjoint({{3, 2}, {1, 2}}));
  EXPECT_TRUE(areDisjoint({{3, 2}, {1, 3}}));
}

TEST(DigitsTest, FoundByWhatFits) {
  // Of six devices in rows of two: down the columns of the first, then of the second.
  auto isShift = [](const Digits &digits) {
    for (auto [from, to] : {std::pair(0, 2), {2, 4}, {4, 1}, {1, 3}, {3, 5}})
      if (computeNumber(to, digits) != computeNumber(from, digits) + 1)
        return false;
    return true;
  };
  std::optional<Digits> found = searchDigits(6, 6, isShift);
  ASSERT_TRUE(found);
  EXPECT_EQ(print(*found), "[{1:2, 2:3}]");
  EXPECT_EQ(print(*searchDigits(8, 4, [](const Digits &digits) { return digits.front().stride == 2; })), "[{2:4}]");
  EXPECT_FALSE(searchDigits(6, 4, [](const Digits &) { return true; }));
}

TEST(FormTest, ZerosArePartialSumsOfAnything) {
  PieceLayout zero(1), sum(1);
  zero.isZero = true;
  ASSERT_TRUE(sum.addPartial({{1, 2}}, Combiner::Add));
  std::optional<PieceLayout> both = unifyLayouts(zero, sum);
  ASSERT_TRUE(both);
  EXPECT_EQ(printLayout(*both), "[{}] partial(add) {1:2}");
  zero.isZero = false;
  EXPECT_FALSE(unifyLayouts(zero, sum));
  EXPECT_FALSE(sum.addPartial({{2, 2}}, Combiner::Maximum));
}

TEST(FormTest, PartialDigitsHaveNoOrder) {
  // Of 8 devices: {1:4} and one digit that is not known can be all of {1:8}; {1:2, 4:2} has no digit of stride 2.
  EXPECT_EQ(print(*unifySets({{1, 8}}, {{1, 4}, {0, 2}})), "[{1:8}]");
  EXPECT_EQ(print(*unifySets({{1, 4}, {0, 2}}, {{1, 8}})), "[{1:8}]");
  EXPECT_EQ(print(*unifySets({{1, 2}, {4, 2}}, {{4, 2}, {1, 2}})), "[{4:2, 1:2}]");
  EXPECT_FALSE(unifySets({{1, 2}, {4, 2}}, {{2, 2}, {0, 2}}));
  EXPECT_FALSE(unifySets({{1, 4}}, {{2, 4}}));
  EXPECT_FALSE(unifySets({{1, 4}}, {{1, 2}}));
}

TEST(FormTest, WhatIsKnownOfOneIsKnownOfBoth) {
  EXPECT_EQ(print(*unifySets({{0, 2}}, {{4, 2}})), "[{4:2}]");
  EXPECT_EQ(print(*unifySets({{4, 2}, {0, 2}}, {{0, 2}, {1, 2}})), "[{4:2, 1:2}]");
  PieceLayout any(0), known(0);
  ASSERT_TRUE(any.addPartial({{0, 2}}, Combiner::Add));
  ASSERT_TRUE(known.addPartial({{4, 2}}, Combiner::Add));
  EXPECT_EQ(printLayout(*unifyLayouts(any, known)), "[] partial(add) {4:2}");
}

TEST(FormTest, DevicesThatHoldTheSame) {
  PieceLayout layout(1);
  layout.dims[0].digits = {{4, 2}};
  ASSERT_TRUE(layout.addPartial({{2, 2}}, Combiner::Add));
  EXPECT_TRUE(layout.isSameAlong({{1, 2}}));
  EXPECT_FALSE(layout.isSameAlong({{4, 2}}));
  EXPECT_FALSE(layout.isSameAlong({{1, 4}}));
}

TEST(FormTest, UniformDimsAreCutInAnyWay) {
  PieceLayout uniform(1), cut(1);
  uniform.dims[0].isUniform = true;
  cut.dims[0].digits = {{2, 2}};
  std::optional<PieceLayout> both = unifyLayouts(uniform, cut);
  ASSERT_TRUE(both);
  EXPECT_EQ(printLayout(*both), "[{2:2}]");
}

TEST(IndexExpressionTest, TurnedDigits) {
  IndexExpression place = *IndexExpression::makeNumber(8).remainder(4);
  std::optional<IndexExpression> next = place.add(IndexExpression(1))->remainder(4);
  ASSERT_TRUE(next);
  EXPECT_EQ(print(*next->multiply(IndexExpression(16))->findDigits(16)), "[{1:4+1}]");
  EXPECT_EQ(next->evaluate({1, 4}, 3), 0);
  // Without the division a number may be too large; by another one it is no digit.
  EXPECT_FALSE(place.add(IndexExpression(1))->findDigits(1));
  EXPECT_FALSE(place.add(IndexExpression(1))->remainder(2));
  EXPECT_FALSE(place.add(IndexExpression(-1))->remainder(4));
  EXPECT_FALSE(next->evaluate({2, 4}, 0));
}

TEST(IndexExpressionTest, DigitsOfTheNumber) {
  // number / 2 % 2 * 16 of 8 devices: pieces of 16 along the digit of stride 2.
  IndexExpression number = IndexExpression::makeNumber(8);
  std::optional<IndexExpression> offset = number.divide(2)->remainder(2)->multiply(IndexExpression(16));
  ASSERT_TRUE(offset);
  EXPECT_EQ(print(*offset->findDigits(16)), "[{2:2}]");
  EXPECT_FALSE(offset->findDigits(8));
  EXPECT_FALSE(offset->add(IndexExpression(1))->findDigits(16));
}

TEST(IndexExpressionTest, OfATypeThatHasAllItsValues) {
  // 64 times the number of one of 4 devices is 192 at most.
  IndexExpression offset = *IndexExpression::makeNumber(4).multiply(IndexExpression(64));
  EXPECT_TRUE(offset.fits(8, /*isUnsigned=*/true));
  EXPECT_FALSE(offset.fits(8, /*isUnsigned=*/false));
  EXPECT_TRUE(offset.fits(9, /*isUnsigned=*/false));
  IndexExpression below = *offset.add(IndexExpression(-1));
  EXPECT_FALSE(below.fits(32, /*isUnsigned=*/true));
  EXPECT_TRUE(below.fits(64, /*isUnsigned=*/false));
  EXPECT_FALSE(IndexExpression::makeNumber(4).multiply(IndexExpression(INT64_MAX / 2))->fits(64, false));
}

TEST(IndexExpressionTest, SeveralDigitsInAnyOrder) {
  // The lowest digit counts twos, the highest ones: 2 * (number % 2) + number / 4.
  IndexExpression number = IndexExpression::makeNumber(8);
  std::optional<IndexExpression> index = number.remainder(2)->multiply(IndexExpression(2))->add(*number.divide(4));
  EXPECT_EQ(print(*index->findDigits(1)), "[{1:2, 4:2}]");
  EXPECT_FALSE(number.divide(3));
}

} // namespace
} // namespace partita::verify
