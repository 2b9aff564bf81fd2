//===- PeakProfileTest.cpp - bytes alive at each point --------------------===//

#include "partita/Cost/PeakProfile.h"
#include "partita/Testing/RandomGraph.h"

#include <gtest/gtest.h>

namespace partita::cost {

using namespace fixtures;
namespace {

TEST(PeakProfile, Empty) {
  PeakProfile none(0), some(5);
  EXPECT_EQ(none.computePeak(), 0);
  EXPECT_EQ(some.computePeak(), 0);
}

TEST(PeakProfile, EqualsCountingPointByPoint) {
  for (size_t numPoints : {1, 2, 15, 16, 17, 255, 256, 257, 5000}) {
    RandomNumbers random(numPoints);
    PeakProfile profile(numPoints);
    std::vector<int64_t> alive(numPoints, 0);
    struct Range {
      uint32_t first, last;
      int64_t bytes;
    };
    std::vector<Range> added;
    auto add = [&](const Range &range, int64_t sign) {
      profile.add(range.first, range.last, sign * range.bytes);
      for (uint32_t point = range.first; point <= range.last; ++point)
        alive[point] += sign * range.bytes;
    };
    for (int round = 0; round < 200; ++round) {
      if (!added.empty() && random.chance(40)) {
        std::swap(added[random.below(added.size())], added.back());
        add(added.back(), -1);
        added.pop_back();
      } else {
        uint32_t a = random.below(numPoints), b = random.below(numPoints);
        added.push_back({std::min(a, b), std::max(a, b), 1 + random.below(1000)});
        add(added.back(), 1);
      }
      if (random.chance(50))
        continue;
      auto peak = std::max_element(alive.begin(), alive.end());
      ASSERT_EQ(profile.computePeak(), *peak);
      ASSERT_EQ(profile.findPeakPoint(), peak - alive.begin());
    }
  }
}

} // namespace
} // namespace partita::cost
