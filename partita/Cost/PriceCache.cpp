//===- PriceCache.cpp - prices of units, each computed once ---------------===//

#include "partita/Cost/PriceCache.h"

#include "partita/Support/Hash.h"

#include <algorithm>
#include <utility>

namespace partita::cost {

/// Larger values count as this many bytes, so that sums stay in range.
static constexpr int64_t maxUnitBytes = int64_t(1) << 48;

/// No sum of all units' times exceeds 2^61.
static int64_t computeMaxUnitPs(size_t numUnits) {
  return std::min(maxTimePs, (int64_t(1) << 61) / static_cast<int64_t>(SumTerm::numKinds * numUnits + 1));
}

PriceCache::PriceCache(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner,
                       SharedPriceCache *shared)
    : model(model), priceKeys(model.getKeys()), assignment(assignment), shared(shared), pairs(model.getTopology()),
      prices(model, planner), pricer(model, assignment, pairs, planner, prices),
      numWords(assignment.getNumStateWords()), states(model.getUnits(), priceKeys, assignment),
      hasMore(model.getUnits().size(), 0), hasPairs(model.getUnits().size(), 0),
      maxUnitPs(computeMaxUnitPs(model.getUnits().size())) {
  for (UnitId unit : idRange<UnitId>(hasPairs.size()))
    hasPairs[unit] = !pairs.isFixed() && !priceKeys.getResults(unit).empty();
  pairs.update(assignment);
  noteAll([](UnitId) {});
  clear();
}

void PriceCache::clear() {
  entries = {};
  keys.clear();
  times.clear();
  memory.clear();
  buckets.assign(1024, {});
  previous = IdVector<UnitId, PriceEntryId>(model.getUnits().size());
  // `nothing`.
  entries.push_back({});
}

// Units have few nodes: unrolled or vectorized loops over them are slower.
#define PARTITA_SHORT_LOOP _Pragma("clang loop vectorize(disable) unroll(disable)")

static uint64_t computeHash(UnitId unit, llvm::ArrayRef<uint64_t> words) {
  uint64_t hash = (unit.get() + 1) * hashStep;
  PARTITA_SHORT_LOOP
  for (uint64_t word : words)
    hash = mixFastHash(hash, word);
  return finishFastHash(hash);
}

bool PriceCache::isOf(PriceEntryId id, UnitId unit, Key key) const {
  const Entry &entry = entries[id];
  if (entry.unit != unit || entry.numKeys != key.size())
    return false;
  const uint64_t *known = keys.data() + entry.firstKey;
  uint64_t differences = 0;
  PARTITA_SHORT_LOOP
  for (size_t i = 0; i < key.size(); ++i)
    differences |= known[i] ^ key[i];
  return differences == 0;
}

void PriceCache::notePinsAndGroups(UnitId unit) {
  hasMore[unit] = hasPairs[unit] || priceKeys.hasPinsOrGroups(assignment, model.getUnits()[unit], unit);
}

void PriceCache::noteAllPinsAndGroups() {
  const CostUnits &units = model.getUnits();
  // Use groups are rare; if there are any, check all units.
  bool hasGroups = assignment.hasUseGroups();
  for (UnitId unit : unitsWithMore)
    hasMore[unit] = 0;
  unitsWithMore.clear();
  auto add = [&](UnitId unit) {
    if (std::exchange(hasMore[unit], 1) == 0)
      unitsWithMore.push_back(unit);
  };
  for (UnitId unit : idRange<UnitId>(pairs.isFixed() && !hasGroups ? 0 : units.size()))
    if (hasPairs[unit] || priceKeys.hasPinsOrGroups(assignment, units[unit], unit))
      add(unit);
  auto addUnits = [&](CellId cell) {
    if (assignment.isPinned(cell))
      for (UnitId unit : units.getUnits(cell))
        add(unit);
  };
  // Few are, so search block by block.
  constexpr uint32_t block = 8;
  uint32_t first = 0, numCells = static_cast<uint32_t>(model.getGraph().cells.size());
  for (; first + block <= numCells; first += block) {
    bool isAny = false;
    for (uint32_t i = 0; i < block; ++i)
      isAny |= assignment.isPinned(CellId(first + i));
    for (uint32_t i = 0; i < block && isAny; ++i)
      addUnits(CellId(first + i));
  }
  for (; first < numCells; ++first)
    addUnits(CellId(first));
}

/// Whether the states of the unit's nodes are all equal and none propagates a partial sum.
bool PriceCache::isAllAlike(Key statesOfUnit) const {
  uint64_t differences = 0, sums = 0;
  PARTITA_SHORT_LOOP
  for (size_t i = 0; i < statesOfUnit.size(); ++i) {
    differences |= i < numWords ? 0 : statesOfUnit.data()[i] ^ statesOfUnit.data()[i - numWords];
    sums |= statesOfUnit.data()[i];
  }
  return differences == 0 && !Assignment::hasSum(sums);
}

PriceEntryId PriceCache::find(UnitId unit, PriceEntryId current) {
  if (hasMore[unit])
    return findWithMore(unit, current);
  Key key = states.get(unit);
  if (priceKeys.isAlignedAndFused(unit) && isAllAlike(key))
    return nothing;
  return find(unit, key, current);
}

LLVM_ATTRIBUTE_NOINLINE PriceEntryId PriceCache::findWithMore(UnitId unit, PriceEntryId current) {
  const Unit &info = model.getUnits()[unit];
  llvm::SmallVector<uint64_t, 32> key(states.get(unit));
  if (priceKeys.isAlignedAndFused(unit) && isAllAlike(key) && !assignment.isPinned(info.cell))
    return nothing;
  if (!pairs.isFixed())
    for (CellId result : priceKeys.getResults(unit))
      key.push_back(pairs.getArgument(result).get());
  priceKeys.addPinsAndGroups(assignment, info, unit, key);
  return find(unit, key, current);
}

PriceEntryId PriceCache::find(UnitId unit, Key key, PriceEntryId current) {
  // The caller has seen a change, so it is hardly ever the current entry.
  PriceEntryId found = previous[unit];
  if (!found.isValid() || !isOf(found, unit, key))
    found = lookUp(unit, key);
  if (found != current)
    previous[unit] = current;
  return found;
}

PriceEntryId PriceCache::lookUp(UnitId unit, Key key) {
  uint64_t hash = computeHash(unit, key);
  size_t mask = buckets.size() - 1, at = hash & mask;
  for (; buckets[at].entry.isValid(); at = (at + 1) & mask)
    if (buckets[at].hash == hash && isOf(buckets[at].entry, unit, key))
      return buckets[at].entry;
  PriceEntryId id = add(unit, key, hash);
  buckets[at] = {hash, id};
  if (entries.size() * 2 > buckets.size())
    grow();
  return id;
}

void PriceCache::insert(const Bucket &bucket) {
  size_t mask = buckets.size() - 1, at = bucket.hash & mask;
  while (buckets[at].entry.isValid())
    at = (at + 1) & mask;
  buckets[at] = bucket;
}

LLVM_ATTRIBUTE_NOINLINE void PriceCache::grow() {
  std::vector<Bucket> old(buckets.size() * 2);
  std::swap(old, buckets);
  for (const Bucket &bucket : old)
    if (bucket.entry.isValid())
      insert(bucket);
}

IdVector<PriceEntryId, PriceEntryId> PriceCache::keepOnly(const IdVector<PriceEntryId, uint8_t> &isKept) {
  IdVector<PriceEntryId, PriceEntryId> renumbered(entries.size());
  IdVector<PriceEntryId, Entry> oldEntries = std::move(entries);
  std::vector<uint64_t> oldKeys = std::move(keys);
  std::vector<SumTerm> oldTimes = std::move(times);
  std::vector<MemoryTerm> oldMemory = std::move(memory);
  std::vector<Bucket> oldBuckets = std::move(buckets);
  clear();
  renumbered[nothing] = nothing;
  auto move = [](const auto &from, auto &to, uint32_t &first, uint32_t count) {
    auto begin = from.begin() + first;
    first = to.size();
    to.insert(to.end(), begin, begin + count);
  };
  for (PriceEntryId id : idRange<PriceEntryId>(oldEntries.size())) {
    if (id == nothing || !isKept[id])
      continue;
    Entry entry = oldEntries[id];
    move(oldKeys, keys, entry.firstKey, entry.numKeys);
    move(oldTimes, times, entry.firstTime, entry.numTimes);
    move(oldMemory, memory, entry.firstMemory, entry.numMemory);
    renumbered[id] = entries.push_back(entry);
  }
  while (entries.size() * 2 > buckets.size())
    buckets.resize(buckets.size() * 2);
  for (const Bucket &bucket : oldBuckets)
    if (bucket.entry.isValid() && renumbered[bucket.entry].isValid())
      insert({bucket.hash, renumbered[bucket.entry]});
  return renumbered;
}

/// Adds to the term of the same slot and kind, if there is one.
void PriceCache::addTime(uint32_t first, const TimeTerm &term) {
  for (size_t i = first; i < times.size(); ++i)
    if (times[i].sum == SumTerm::getSum(term.slot, term.kind)) {
      times[i].timePs = std::min(maxUnitPs, times[i].timePs + term.timePs);
      return;
    }
  times.emplace_back(term.slot, model.getSlots().getBlockOf(term.slot), term.kind, std::min(maxUnitPs, term.timePs));
}

void PriceCache::addPrice(const UnitPrice &price, uint32_t firstTime) {
  for (const TimeTerm &term : price.times)
    addTime(firstTime, term);
  for (const ValueCopy &copy : price.copies)
    for (const LiveRange &range : copy.ranges) {
      int64_t bytes = std::min<int64_t>(copy.bytes, maxUnitBytes / std::max(1, range.count)) * range.count;
      memory.push_back({range.first, range.last, bytes});
    }
}

LLVM_ATTRIBUTE_NOINLINE PriceEntryId PriceCache::add(UnitId unit, Key key, uint64_t hash) {
  Entry entry;
  entry.unit = unit;
  entry.firstKey = keys.size();
  entry.numKeys = key.size();
  keys.insert(keys.end(), key.begin(), key.end());
  entry.firstTime = times.size();
  entry.firstMemory = memory.size();
  const SharedCacheEntry *known = shared ? shared->find(hash, unit, key) : nullptr;
  if (known) {
    llvm::append_range(times, known->times);
    llvm::append_range(memory, known->memory);
  } else {
    addPrice(pricer.compute(unit), entry.firstTime);
  }
  entry.numTimes = times.size() - entry.firstTime;
  entry.numMemory = memory.size() - entry.firstMemory;
  PriceEntryId id = entries.push_back(entry);
  if (shared && !known)
    shared->add(hash, {unit, key, getTimes(id), getMemory(id)});
  return id;
}

} // namespace partita::cost
