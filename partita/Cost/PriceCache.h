//===- PriceCache.h - prices of units, each computed once -----------------===//
//
// Maps a unit and its key (the states of its nodes and, rarely, pins;
// PriceKeys.h) to a price entry: short lists of times and of memory, ready to
// be added to the sums (CostSums.h) and subtracted from them. A unit is not
// priced again under the same key.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_PRICECACHE_H
#define PARTITA_COST_PRICECACHE_H

#include "partita/Cost/CachedStates.h"
#include "partita/Cost/Rooms.h"
#include "partita/Cost/SharedPriceCache.h"

#include <utility>

namespace partita::cost {

using PriceEntryId = Id<struct PriceEntryTag>;

class PriceCache {
public:
  /// The entry of units that cost nothing.
  static constexpr PriceEntryId nothing = PriceEntryId(0);

  /// `shared`, if not null, is asked before a unit is priced, and receives each new price.
  PriceCache(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner,
             SharedPriceCache *shared = nullptr);

  // Units are priced under the noted states, not under the current assignment.

  /// Notes the current states of `nodes` and calls `noteUnit` for each unit that depends on a changed one.
  template <typename Note> void noteStates(llvm::ArrayRef<NodeId> nodes, Note noteUnit) {
    states.update(nodes, noteUnit);
  }
  /// Notes whether pins and groups of uses matter to a unit.
  void notePinsAndGroups(UnitId unit);
  /// Notes everything and calls `noteUnit` for each unit that depends on a changed node state.
  template <typename Note> void noteAll(Note noteUnit) {
    states.updateAll(noteUnit);
    noteAllPinsAndGroups();
  }
  /// The units that depend on more than node states: on pins, use groups or donor pairs. Found by noteAll.
  llvm::ArrayRef<UnitId> getUnitsWithMore() const { return unitsWithMore; }

  /// The price entry of a unit. `current` is its last one, if known.
  PriceEntryId find(UnitId unit, PriceEntryId current);

  llvm::ArrayRef<SumTerm> getTimes(PriceEntryId id) const {
    return {times.data() + entries[id].firstTime, entries[id].numTimes};
  }
  llvm::ArrayRef<MemoryTerm> getMemory(PriceEntryId id) const {
    return {memory.data() + entries[id].firstMemory, entries[id].numMemory};
  }
  size_t size() const { return entries.size(); }
  /// Removes all entries.
  void clear();
  /// Removes all other entries. Returns the new id of each kept entry; invalid for the others.
  IdVector<PriceEntryId, PriceEntryId> keepOnly(const IdVector<PriceEntryId, uint8_t> &isKept);

  /// The donor pairs under which units are priced. The caller updates them when the assignment changes.
  DonorPairs &getPairs() { return pairs; }
  /// Prices units in full, for callers that need more than an entry holds.
  UnitPricer &getPricer() { return pricer; }

private:
  struct Entry {
    UnitId unit;
    uint32_t firstKey = 0, numKeys = 0;
    uint32_t firstTime = 0, numTimes = 0;
    uint32_t firstMemory = 0, numMemory = 0;
  };
  struct Bucket {
    uint64_t hash = 0;
    PriceEntryId entry;
  };

  using Key = llvm::ArrayRef<uint64_t>;

  void noteAllPinsAndGroups();
  bool isAllAlike(Key statesOfUnit) const;
  PriceEntryId findWithMore(UnitId unit, PriceEntryId current);
  PriceEntryId find(UnitId unit, Key key, PriceEntryId current);
  bool isOf(PriceEntryId id, UnitId unit, Key key) const;
  PriceEntryId lookUp(UnitId unit, Key key);
  /// Prices a unit, or copies its entry from the shared cache.
  PriceEntryId add(UnitId unit, Key key, uint64_t hash);
  void addPrice(const UnitPrice &price, uint32_t firstTime);
  void addTime(uint32_t first, const TimeTerm &term);
  void insert(const Bucket &bucket);
  void grow();

  const CostModel &model;
  const PriceKeys &priceKeys;
  const Assignment &assignment;
  SharedPriceCache *shared;
  DonorPairs pairs;
  ReshardPlanPrices prices;
  UnitPricer pricer;
  uint32_t numWords;
  CachedStates states;
  /// Whether a unit depends on more than node states; and whether it always does, because of donor pairs.
  IdVector<UnitId, uint8_t> hasMore, hasPairs;
  /// The most time that a unit adds to a slot.
  int64_t maxUnitPs;
  std::vector<UnitId> unitsWithMore;
  IdVector<PriceEntryId, Entry> entries;
  std::vector<uint64_t> keys;
  std::vector<SumTerm> times;
  std::vector<MemoryTerm> memory;
  /// The entry before the current one. A step that is undone or done again finds its price here.
  IdVector<UnitId, PriceEntryId> previous;
  /// Open addressing; the size is a power of two, at most half of it is used.
  std::vector<Bucket> buckets;
};

} // namespace partita::cost

#endif
