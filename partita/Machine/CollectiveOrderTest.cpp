//===- CollectiveOrderTest.cpp - how platforms run collectives ------------===//

#include "partita/Machine/CollectiveOrder.h"

#include "partita/Machine/Presets.h"

#include <gtest/gtest.h>

namespace partita::machine {
namespace {

TEST(CollectiveOrder, IsThatOfThePlatform) {
  for (llvm::StringRef name : {"h100-sxm:1x8", "mi300x:1x8"}) {
    CollectiveOrder order = getCollectiveOrder(*buildPreset(name));
    EXPECT_EQ(order.combineBytes, 31'457'280) << name.str();
    EXPECT_TRUE(order.isOneAtATime) << name.str();
  }
  for (llvm::StringRef name : {"tpu-v5p:2x2x2", "cpu-host:4"}) {
    CollectiveOrder order = getCollectiveOrder(*buildPreset(name));
    EXPECT_EQ(order.combineBytes, 0) << name.str();
    EXPECT_FALSE(order.isOneAtATime) << name.str();
  }
}

} // namespace
} // namespace partita::machine
