//===- SharedPriceCache.cpp - a price cache that several trackers share ---===//

#include "partita/Cost/SharedPriceCache.h"

namespace partita::cost {

/// The entry's bucket, or the free one where it belongs. There must be one.
SharedPriceCache::Bucket *SharedPriceCache::Shard::findBucket(uint64_t hash, UnitId unit,
                                                              llvm::ArrayRef<uint64_t> key) {
  size_t mask = buckets.size() - 1, at = hash & mask;
  for (; buckets[at].entry; at = (at + 1) & mask)
    if (buckets[at].hash == hash && buckets[at].entry->unit == unit && buckets[at].entry->key == key)
      break;
  return &buckets[at];
}

void SharedPriceCache::Shard::grow() {
  std::vector<Bucket> old(buckets.empty() ? 64 : buckets.size() * 2);
  std::swap(old, buckets);
  for (const Bucket &bucket : old)
    if (bucket.entry)
      *findBucket(bucket.hash, bucket.entry->unit, bucket.entry->key) = bucket;
}

const SharedCacheEntry *SharedPriceCache::find(uint64_t hash, UnitId unit, llvm::ArrayRef<uint64_t> key) const {
  Shard &shard = getShard(hash);
  std::lock_guard lock(shard.mutex);
  return shard.buckets.empty() ? nullptr : shard.findBucket(hash, unit, key)->entry;
}

void SharedPriceCache::add(uint64_t hash, const SharedCacheEntry &entry) {
  Shard &shard = getShard(hash);
  std::lock_guard lock(shard.mutex);
  if (shard.numEntries == maxPerShard)
    return;
  if (2 * (shard.numEntries + 1) > shard.buckets.size())
    shard.grow();
  Bucket *bucket = shard.findBucket(hash, entry.unit, entry.key);
  if (bucket->entry)
    return;
  SharedCacheEntry copy = entry;
  copy.key = copy.key.copy(shard.memory);
  copy.times = copy.times.copy(shard.memory);
  copy.memory = copy.memory.copy(shard.memory);
  *bucket = {hash, new (shard.memory.Allocate<SharedCacheEntry>()) SharedCacheEntry(copy)};
  ++shard.numEntries;
}

size_t SharedPriceCache::size() const {
  size_t size = 0;
  for (Shard &shard : shards) {
    std::lock_guard lock(shard.mutex);
    size += shard.numEntries;
  }
  return size;
}

} // namespace partita::cost
