//===- RotatedPiecesTest.cpp - pieces and terms that devices pass on ------===//

#include "partita/Verify/Relation/RotatedPieces.h"

#include <gtest/gtest.h>

namespace partita::verify {
namespace {

PieceLayout makeLayout(const Digits &rows, const Digits &columns, const Digits &partial = {}) {
  PieceLayout layout(2);
  layout.dims[0].digits = rows;
  layout.dims[1].digits = columns;
  layout.addPartial(partial, partial.empty() ? Combiner::None : Combiner::Add);
  return layout;
}

TEST(RotatedPieces, APermuteIsARotation) {
  // Devices 0 to 3 receive from the next one; 4 to 7 from the next of these.
  auto found = findRotations({1, 2, 3, 0, 5, 6, 7, 4});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].digit.stride, 1);
  EXPECT_EQ(found[0].digit.size, 4);
  EXPECT_EQ(found[0].shift, 1);
  // Half of a circle of four is a circle of two with twice the stride.
  EXPECT_EQ(findRotations({2, 3, 0, 1}).size(), 2u);
  EXPECT_TRUE(findRotations({0, 1, 2, 3}).empty());
  EXPECT_TRUE(findRotations({1, 0, 3, 2, 4, 5, 6, 7}).empty());
  EXPECT_TRUE(findRotations({3, 2, 1, 0}).empty());
}

TEST(RotatedPieces, OnlyTheDigitOfTheCircleIsShifted) {
  Rotation next{{1, 4}, 1};
  // Rows are cut along both digits of eight devices.
  std::optional<PieceLayout> once = rotate(makeLayout({{1, 8}}, {}), next);
  ASSERT_TRUE(once);
  EXPECT_EQ(printLayout(*once), "[{4:2, 1:4+1}, {}]");
  EXPECT_EQ(printLayout(*rotate(*once, next)), "[{4:2, 1:4+2}, {}]");
  // After four steps devices have their own again.
  EXPECT_EQ(printLayout(*rotate(*once, {{1, 4}, 3})), "[{1:8}, {}]");
  // A part of a digit that is shifted is none that a list of digits can say.
  EXPECT_FALSE(rotate(*once, {{1, 2}, 1}));
  // Sums over the circle would be mixed.
  EXPECT_FALSE(rotate(makeLayout({}, {}, {{1, 4}}), next));
  EXPECT_EQ(printLayout(*rotate(makeLayout({{4, 2}}, {}), next)), "[{4:2}, {}]");
}

/// The term that each of four devices has of the rows of the device `shift` behind it.
std::optional<TermSum> makeTerm(int64_t shift, const Digits &contracted = {{1, 4}}) {
  PieceLayout layout = makeLayout({{1, 4, shift}}, {}, {{1, 4}});
  return makeTermSum({7, std::move(layout), contracted});
}

TEST(RotatedPieces, TermsAreCounted) {
  std::optional<TermSum> sum = makeTerm(0);
  ASSERT_TRUE(sum);
  EXPECT_EQ(printLayout(sum->piece.layout), "[{1:4}, {}]");
  for (int64_t shift = 1; shift < 4; ++shift) {
    EXPECT_FALSE(completeSum(*sum));
    // Each term goes to the device of its rows.
    std::optional<TermSum> term = rotate(*makeTerm(shift), {{1, 4}, 4 - shift});
    ASSERT_TRUE(term);
    // Not to another one.
    EXPECT_FALSE(addTerms(*sum, *makeTerm(shift)));
    sum = addTerms(*sum, *term);
    ASSERT_TRUE(sum);
    // Nor twice.
    EXPECT_FALSE(addTerms(*sum, *term));
  }
  std::optional<Relation> whole = completeSum(*sum);
  ASSERT_TRUE(whole);
  EXPECT_EQ(printLayout(whole->layout), "[{1:4}, {}]");
}

TEST(RotatedPieces, TermsOfOtherSumsAreNotAdded) {
  std::optional<TermSum> term = rotate(*makeTerm(1), {{1, 4}, 3}), other = makeTerm(0, {{4, 2}, {1, 4}});
  ASSERT_TRUE(term && other);
  EXPECT_FALSE(addTerms(*other, *term));
  EXPECT_TRUE(addTerms(*makeTerm(0), *term));
  // Two dims are cut along what is summed up: which piece the sum is of is not known.
  EXPECT_FALSE(makeTermSum({7, makeLayout({{1, 4}}, {{1, 4}}, {{1, 4}}), {{1, 4}}}));
}

} // namespace
} // namespace partita::verify
