//===- PriceCache.h - prices of units, each found once -------------------===//
//
// A unit that has been priced under the same forms before is not priced again.
// A record holds its price as short lists, ready to be added to and taken away
// from the sums.
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
  /// The record of units that cost nothing.
  static constexpr PriceEntryId nothing = PriceEntryId(0);

  /// `shared`, if it is there, is asked before a unit is priced, and told of what was found.
  PriceCache(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner,
             SharedPriceCache *shared = nullptr);

  // What was noted of the assignment is what units are priced under.

  /// Notes how the assignment stands at nodes; `noteUnit` hears of the units to which that is news.
  template <typename Note> void noteStates(llvm::ArrayRef<NodeId> nodes, Note noteUnit) {
    rows.update(nodes, noteUnit);
  }
  /// Notes whether pins and groups of uses matter to a unit.
  void notePinsAndGroups(UnitId unit);
  /// Notes everything; `noteUnit` hears of the units that rows matter to which were noted otherwise before.
  template <typename Note> void noteAll(Note noteUnit) {
    rows.updateAll(noteUnit);
    noteAllPinsAndGroups();
  }
  /// Units that more than rows matters to, as noteAll found: pins, groups of uses, pairs of donors.
  llvm::ArrayRef<UnitId> getUnitsWithMore() const { return unitsWithMore; }

  /// The price of a unit. `current` is what it was before, if anything is known.
  PriceEntryId find(UnitId unit, PriceEntryId current);

  llvm::ArrayRef<SumTerm> getTimes(PriceEntryId id) const {
    return {times.data() + records[id].firstTime, records[id].numTimes};
  }
  llvm::ArrayRef<MemoryTerm> getMemory(PriceEntryId id) const {
    return {memory.data() + records[id].firstMemory, records[id].numMemory};
  }
  size_t size() const { return records.size(); }
  /// Forgets everything.
  void clear();
  /// Forgets all but these. Gives the new number of each that was kept; invalid for others.
  IdVector<PriceEntryId, PriceEntryId> keepOnly(const IdVector<PriceEntryId, uint8_t> &isKept);

  /// Pairs of donated arguments and results, as units are priced with; who changes the assignment keeps them up to
  /// date.
  DonorPairs &getPairs() { return pairs; }
  /// Prices units in full, for those who want to know more than a record holds.
  UnitPricer &getPricer() { return pricer; }

private:
  struct Record {
    UnitId unit;
    uint32_t firstKey = 0, numKeys = 0;
    uint32_t firstTime = 0, numTimes = 0;
    uint32_t firstMemory = 0, numMemory = 0;
  };
  struct Bucket {
    uint64_t hash = 0;
    PriceEntryId record;
  };

  using Key = llvm::ArrayRef<uint64_t>;

  void noteAllPinsAndGroups();
  bool isAllAlike(Key statesOfUnit) const;
  PriceEntryId findWithMore(UnitId unit, PriceEntryId current);
  PriceEntryId find(UnitId unit, Key key, PriceEntryId current);
  bool isOf(PriceEntryId id, UnitId unit, Key key) const;
  PriceEntryId lookUp(UnitId unit, Key key);
  /// Prices a unit, or takes over what others have found.
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
  PlanPrices prices;
  UnitPricer pricer;
  uint32_t numWords;
  CachedStates rows;
  /// Whether more than rows matters to a unit; and whether it always does, because of pairs.
  IdVector<UnitId, uint8_t> hasMore, hasPairs;
  std::vector<UnitId> unitsWithMore;
  IdVector<PriceEntryId, Record> records;
  std::vector<uint64_t> keys;
  std::vector<SumTerm> times;
  std::vector<MemoryTerm> memory;
  /// What a unit was before it became what it is: a step that is undone, and done again, finds its way by these.
  IdVector<UnitId, PriceEntryId> previous;
  /// Open addressing; a power of two of them, at most half full.
  std::vector<Bucket> buckets;
};

} // namespace partita::cost

#endif
