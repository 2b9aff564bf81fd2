//===- UnitRecords.cpp - prices of units, each found once -----------------===//

#include "partita/Cost/UnitRecords.h"

#include <algorithm>

namespace partita {

/// No value counts for more, so that sums stay in range.
static constexpr int64_t maxUnitBytes = int64_t(1) << 48;
static constexpr int64_t maxUnitPs = maxTimePs;

UnitRecords::UnitRecords(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner)
    : model(model), assignment(assignment), pairs(model.getTopology()), prices(model, planner),
      pricer(model, assignment, pairs, planner, prices) {
  pairs.update(assignment);
  buckets.resize(1024);
}

void UnitRecords::clear() {
  records = {};
  keys.clear();
  times.clear();
  memory.clear();
  buckets.assign(1024, {});
}

static uint64_t computeHash(UnitId unit, llvm::ArrayRef<uint64_t> words) {
  uint64_t hash = (unit.get() + 1) * 0x9E3779B97F4A7C15u;
  for (uint64_t word : words) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  return hash;
}

bool UnitRecords::isOf(RecordId id, UnitId unit) const {
  const Record &record = records[id];
  return record.unit == unit && record.numKeys == key.size() &&
         std::equal(key.begin(), key.end(), keys.begin() + record.firstKey);
}

RecordId UnitRecords::find(UnitId unit, RecordId current) {
  key.clear();
  model.getCodes().build(assignment, pairs, model.getUnits()[unit], key);
  if (current.isValid() && isOf(current, unit))
    return current;
  uint64_t hash = computeHash(unit, key);
  size_t mask = buckets.size() - 1, at = hash & mask;
  for (; buckets[at].record.isValid(); at = (at + 1) & mask)
    if (buckets[at].hash == hash && isOf(buckets[at].record, unit))
      return buckets[at].record;
  RecordId id = add(unit);
  buckets[at] = {hash, id};
  if (records.size() * 2 > buckets.size())
    grow();
  return id;
}

void UnitRecords::grow() {
  std::vector<Bucket> old(buckets.size() * 2);
  std::swap(old, buckets);
  size_t mask = buckets.size() - 1;
  for (const Bucket &bucket : old) {
    if (!bucket.record.isValid())
      continue;
    size_t at = bucket.hash & mask;
    while (buckets[at].record.isValid())
      at = (at + 1) & mask;
    buckets[at] = bucket;
  }
}

/// Terms of one segment and kind are one.
void UnitRecords::addTime(uint32_t first, const TimeTerm &term) {
  for (size_t i = first; i < times.size(); ++i)
    if (times[i].segment == term.segment && times[i].kind == term.kind) {
      times[i].timePs = std::min(maxUnitPs, times[i].timePs + term.timePs);
      return;
    }
  times.push_back({term.segment, term.kind, std::min(maxUnitPs, term.timePs)});
}

RecordId UnitRecords::add(UnitId unit) {
  const UnitPrice &price = pricer.compute(unit);
  Record record;
  record.unit = unit;
  record.firstKey = keys.size();
  record.numKeys = key.size();
  keys.insert(keys.end(), key.begin(), key.end());
  record.firstTime = times.size();
  for (const TimeTerm &term : price.times)
    addTime(record.firstTime, term);
  record.numTimes = times.size() - record.firstTime;
  record.firstMemory = memory.size();
  for (const ValueForm &form : price.forms)
    for (const LiveRange &range : form.ranges) {
      int64_t bytes = std::min<int64_t>(form.bytes, maxUnitBytes / std::max(1, range.count)) * range.count;
      memory.push_back({range.first, range.last, bytes});
    }
  record.numMemory = memory.size() - record.firstMemory;
  return records.push_back(record);
}

} // namespace partita
