//===- SharedPriceCacheTest.cpp - sharing, limits and threads -------------===//

#include "partita/Cost/SharedPriceCache.h"

#include <gtest/gtest.h>

#include <thread>

using namespace partita;
using namespace partita::cost;

/// Adds an entry whose terms follow from its key.
static void add(SharedPriceCache &entries, uint64_t hash, uint32_t unit, std::vector<uint64_t> key) {
  std::vector<SumTerm> times(key.size(), {TimeSlotId(0), SlotBlockId(0), TimeKind::Compute, int64_t(key.front())});
  std::vector<MemoryTerm> memory{{unit, unit + 1, int64_t(key.size())}};
  entries.add(hash, {UnitId(unit), key, times, memory});
}

TEST(SharedPriceCache, TellsKeysOfOneHashApart) {
  SharedPriceCache entries;
  add(entries, 5, 1, {7, 8});
  add(entries, 5, 2, {7, 8});
  add(entries, 5, 1, {7, 8, 9});
  add(entries, 5, 1, {7, 8});
  EXPECT_EQ(entries.size(), 3u);
  const SharedCacheEntry *found = entries.find(5, UnitId(1), {7, 8});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->times.vec(), std::vector<SumTerm>(2, {TimeSlotId(0), SlotBlockId(0), TimeKind::Compute, 7}));
  EXPECT_EQ(found->memory.vec(), std::vector<MemoryTerm>({{1, 2, 2}}));
  EXPECT_EQ(entries.find(5, UnitId(3), {7, 8}), nullptr);
  EXPECT_EQ(entries.find(6, UnitId(1), {7, 8}), nullptr);
}

/// 64 shards with room for 2 each: of 64 hashes in one shard, two are kept.
TEST(SharedPriceCache, TakesNoMoreThanItMay) {
  SharedPriceCache entries(128);
  for (uint64_t hash = 0; hash < 64; ++hash)
    add(entries, hash, 0, {hash});
  EXPECT_EQ(entries.size(), 2u);
}

TEST(SharedPriceCache, IsFilledByManyThreads) {
  SharedPriceCache entries;
  constexpr uint64_t count = 2000, step = 0x9E3779B97F4A7C15u;
  auto work = [&] {
    for (uint64_t i = 0; i < count; ++i) {
      add(entries, i * step, static_cast<uint32_t>(i % 7), {i, i + 1});
      const SharedCacheEntry *found = entries.find(i * step, UnitId(static_cast<uint32_t>(i % 7)), {i, i + 1});
      EXPECT_EQ(found->times.front().timePs, int64_t(i));
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(entries.size(), count);
}
