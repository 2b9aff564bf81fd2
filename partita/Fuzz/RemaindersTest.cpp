//===- RemaindersTest.cpp -------------------------------------------------===//

#include "partita/Fuzz/Remainders.h"

#include <gtest/gtest.h>

namespace partita::fuzz {
namespace {

/// `elements` over so many devices, with as little padding as these need, or for a multiple of them.
llvm::StringRef classify(int64_t elements, int64_t parts, int64_t times = 1, int64_t inner = 1) {
  int64_t multiple = parts * times * inner;
  return findRemainderClass({elements, (elements + multiple - 1) / multiple * multiple, inner}, parts);
}

TEST(Remainders, DevicesHaveAllSomeOrNoneOfTheirRows) {
  // 2 2 1, and 4 4 4 3.
  EXPECT_EQ(classify(5, 3), "uneven");
  EXPECT_EQ(classify(15, 4), "uneven");
  // 2 2 2 0, and 3 3 3 0.
  EXPECT_EQ(classify(6, 4), "empty");
  EXPECT_EQ(classify(9, 4), "empty");
  // 2 2 1 0, and 2 2 2 2 1 0 0 0.
  EXPECT_EQ(classify(5, 4), "uneven+empty");
  EXPECT_EQ(classify(9, 8), "uneven+empty");
}

TEST(Remainders, FewerElementsThanDevicesArePiecesOfOneRow) {
  EXPECT_EQ(classify(3, 4), "single");
  EXPECT_EQ(classify(2, 8), "single");
  // Longer pieces: 2 1 0 0, and 2 0.
  EXPECT_EQ(classify(3, 4, 2), "uneven+empty");
  EXPECT_EQ(classify(2, 2, 2), "empty");
  // Three rows of five elements over four devices, and six over four.
  EXPECT_EQ(classify(15, 4, 1, 5), "single");
  EXPECT_EQ(classify(30, 4, 1, 5), "empty");
}

} // namespace
} // namespace partita::fuzz
