//===- PaddingChoiceTest.cpp ----------------------------------------------===//

#include "partita/Variants/PaddingChoice.h"

#include <gtest/gtest.h>

namespace partita::variants {
namespace {

TEST(PaddingChoice, PadsToAllDevicesWhereThatIsCheap) {
  // 50264 = 8 * 6283.
  EXPECT_EQ(chooseMultiple(50257, *parseMesh("data=2,model=4")), 8);
}

TEST(PaddingChoice, LeavesWhatAnAxisDivides) {
  EXPECT_EQ(chooseMultiple(50264, *parseMesh("data=2,model=4")), 0);
  // 12 divides by 4 but not by 8; 16 would be a third longer.
  EXPECT_EQ(chooseMultiple(12, *parseMesh("data=2,model=4")), 0);
}

TEST(PaddingChoice, PadsToOneAxisWhereThatWastesAnEighth) {
  // 25 -> 28 is 12%, 25 -> 32 is 28%.
  EXPECT_EQ(chooseMultiple(25, *parseMesh("data=8,model=4")), 4);
  EXPECT_EQ(chooseMultiple(5, *parseMesh("data=8")), 0);
}

} // namespace
} // namespace partita::variants
