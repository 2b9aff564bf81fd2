//===- SharedPriceCache.h - a price cache that several trackers share -----===//
//
// Trackers of one model, on several threads or one after the other, price the
// same units under the same node states. Here they share the prices. Entries
// are written once, never change and are never removed, so an entry is read
// without a lock once found. An entry depends on its key alone, so it does not
// matter which tracker adds it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_SHAREDPRICECACHE_H
#define PARTITA_COST_SHAREDPRICECACHE_H

#include "partita/Cost/Rooms.h"
#include "partita/Cost/UnitPrice.h"

#include "llvm/Support/Allocator.h"

#include <array>
#include <mutex>

namespace partita::cost {

/// Time of one kind in one slot.
struct SumTerm {
  SumTerm(TimeSlotId slot, SlotBlockId block, TimeKind kind, int64_t timePs)
      : sum(getSum(slot, kind)), block(block), timePs(timePs) {}

  /// One number for slot and kind, since every comparison needs both.
  uint32_t sum;
  /// The block of the slot.
  SlotBlockId block;
  int64_t timePs;

  static constexpr uint32_t numKinds = 10;
  static uint32_t getSum(TimeSlotId slot, TimeKind kind) { return slot.get() * numKinds + static_cast<uint32_t>(kind); }
  TimeSlotId getSlot() const { return TimeSlotId(sum / numKinds); }
  TimeKind getKind() const { return static_cast<TimeKind>(sum % numKinds); }
  bool operator==(const SumTerm &) const = default;
};

/// `bytes` are alive at points [first, last].
struct MemoryTerm {
  uint32_t first = 0, last = 0;
  int64_t bytes = 0;
  bool operator==(const MemoryTerm &) const = default;
};

/// The price of a unit under a key (PriceKeys.h).
struct SharedCacheEntry {
  UnitId unit;
  llvm::ArrayRef<uint64_t> key;
  llvm::ArrayRef<SumTerm> times;
  llvm::ArrayRef<MemoryTerm> memory;
};

class SharedPriceCache {
public:
  /// Holds at most `maxEntries`. Later prices are not shared: each tracker computes them itself.
  explicit SharedPriceCache(size_t maxEntries = size_t(1) << 20) : maxPerShard(maxEntries / numShards) {}

  /// Null if there is no such entry. Thread-safe. `hash` must be the same for equal units and keys.
  const SharedCacheEntry *find(uint64_t hash, UnitId unit, llvm::ArrayRef<uint64_t> key) const;
  /// Adds a copy of the entry unless there is one. Thread-safe.
  void add(uint64_t hash, const SharedCacheEntry &entry);
  size_t size() const;

private:
  struct Bucket {
    uint64_t hash = 0;
    const SharedCacheEntry *entry = nullptr;
  };
  /// Has a lock and a cache line of its own.
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    llvm::BumpPtrAllocator memory;
    /// Open addressing; the size is a power of two, at most half of it is used.
    std::vector<Bucket> buckets;
    size_t numEntries = 0;

    Bucket *findBucket(uint64_t hash, UnitId unit, llvm::ArrayRef<uint64_t> key);
    void grow();
  };
  static constexpr size_t numShards = 64;
  /// By the upper bits: the lower ones choose the bucket.
  Shard &getShard(uint64_t hash) const { return shards[hash >> 58]; }

  size_t maxPerShard;
  mutable std::array<Shard, numShards> shards;
};

} // namespace partita::cost

#endif
