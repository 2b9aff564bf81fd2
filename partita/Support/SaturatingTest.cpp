//===- SaturatingTest.cpp -------------------------------------------------===//

#include "partita/Support/Saturating.h"

#include "gtest/gtest.h"

using namespace partita;

TEST(Saturating, StaysAtTheLargestNumber) {
  EXPECT_EQ(addSaturated(3, 4), 7);
  EXPECT_EQ(addSaturated(INT64_MAX - 1, 1), INT64_MAX);
  EXPECT_EQ(addSaturated(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(multiplySaturated(3, 4), 12);
  EXPECT_EQ(multiplySaturated(INT64_MAX, 0), 0);
  EXPECT_EQ(multiplySaturated(int64_t(1) << 62, 4), INT64_MAX); // 2^64 > 2^63 - 1
}
