//===- ReshardTimeMatrixTest.cpp - messages and shared matrices -----------===//

#include "partita/Search/Bound/ReshardTimeMatrix.h"

#include "partita/Testing/RandomGraph.h"

#include <gtest/gtest.h>

namespace partita::search {

using namespace fixtures;
namespace {

class TableTimes : public ReshardTimes {
public:
  TableTimes(RandomNumbers &random, uint32_t size) : size(size) {
    for (uint32_t i = 0; i < size * size; ++i)
      times.push_back(random.chance(10) ? noWay : int64_t(random.below(1u << 30)) << random.below(13));
  }
  const int64_t *getTimes(uint32_t from) override { return &times[size_t(from) * size]; }
  int64_t getBytes(uint32_t) const override { return 0; }
  bool isPartial(uint32_t sharding) const override { return sharding % 3 == 0; }
  uint32_t size;

private:
  std::vector<int64_t> times;
};

/// Messages are no more than the least exact sum, and hardly less.
TEST(ReshardTimeMatrix, SpreadsTheLeast) {
  RandomNumbers random(5);
  for (int round = 0; round < 200; ++round) {
    TableTimes times(random, 7);
    std::vector<uint32_t> source{0, 2, 3, 6, ReshardTimes::anySharding}, target{1, 2, 5, ReshardTimes::anySharding};
    ReshardTimeMatrix matrix(times, source, target);
    std::vector<int64_t> mantissas;
    std::vector<double> weights;
    for (size_t i = 0; i < source.size(); ++i) {
      mantissas.push_back(random.chance(20) ? 0 : random.below(1u << 20));
      weights.push_back(std::max(double(mantissas[i]) / 1024, ReshardTimeMatrix::leastWeight));
    }
    for (uint8_t end : {0, 1}) {
      size_t numFrom = end == 0 ? source.size() : target.size(), numTo = end == 0 ? target.size() : source.size();
      std::vector<int64_t> given;
      for (size_t i = 0; i < numFrom; ++i)
        given.push_back((int64_t(random.below(1u << 31)) - (int64_t(1) << 30)) << random.below(24));
      std::vector<double> from(given.begin(), given.end()), to(numTo);
      matrix.spread(end, weights, from, to);
      std::vector<double> direct(numTo);
      ReshardTimeMatrix::spread(times, source, target, end, weights, from, direct);
      EXPECT_EQ(direct, to);
      for (size_t other = 0; other < numTo; ++other) {
        // In units of 2^-10, the weight's.
        __int128 least = __int128(1) << 100;
        for (size_t own = 0; own < numFrom; ++own) {
          size_t i = end == 0 ? own : other, j = end == 0 ? other : own;
          bool isAny = source[i] == ReshardTimes::anySharding || target[j] == ReshardTimes::anySharding;
          int64_t timePs = isAny ? 0 : times.getTimes(source[i])[target[j]];
          if (timePs != ReshardTimes::noWay)
            least = std::min(least, (__int128(given[own]) << 10) + __int128(timePs) * mantissas[i]);
        }
        int64_t sent = ReshardTimeMatrix::roundDown(to[other]);
        if (least == __int128(1) << 100) {
          EXPECT_GT(sent, int64_t(1) << 59);
          continue;
        }
        EXPECT_LE(__int128(sent) << 10, least);
        double exact = double(least) / 1024;
        EXPECT_GE(double(sent), exact - std::abs(exact) * 1e-13 - 3);
      }
    }
  }
}

/// Edges between the same shardings share a matrix until the last one drops it.
TEST(ReshardTimeMatrix, IsShared) {
  RandomNumbers random(6);
  TableTimes times(random, 4);
  ReshardTimeMatrices matrices;
  auto first = matrices.find(times, {0u, 1u}, {2u, 3u}), second = matrices.find(times, {0u, 1u}, {2u, 3u});
  EXPECT_EQ(first, second);
  EXPECT_NE(first, matrices.find(times, {0u, 1u}, {2u}));
  const ReshardTimeMatrix *place = first.get();
  matrices.dropUnused();
  EXPECT_EQ(matrices.find(times, {0u, 1u}, {2u, 3u}).get(), place);
}

} // namespace
} // namespace partita::search
