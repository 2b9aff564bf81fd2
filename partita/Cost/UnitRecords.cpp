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
  noteAllRows();
  clear();
}

void UnitRecords::clear() {
  records = {};
  keys.clear();
  times.clear();
  memory.clear();
  buckets.assign(1024, {});
  // The first one is that of units that cost nothing.
  records.push_back({});
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

Row UnitRecords::noteRow(NodeId node) {
  Row old;
  uint32_t numWords = model.getKeys().getNumWords();
  uint64_t *row = rows.data() + size_t(node.get()) * numWords;
  std::copy_n(row, numWords, old.begin());
  model.getKeys().buildRow(assignment, node, row);
  return old;
}

void UnitRecords::setRow(NodeId node, const Row &row) {
  uint32_t numWords = model.getKeys().getNumWords();
  std::copy_n(row.begin(), numWords, rows.data() + size_t(node.get()) * numWords);
}

void UnitRecords::noteAllRows() {
  uint32_t numWords = model.getKeys().getNumWords();
  rows.resize(model.getTopology().getNumNodes() * numWords);
  for (NodeId node : idRange<NodeId>(model.getTopology().getNumNodes()))
    model.getKeys().buildRow(assignment, node, rows.data() + size_t(node.get()) * numWords);
}

/// Whether the value stays inside a kernel and every use takes it as it is.
bool UnitRecords::isNothing(UnitId unit) const {
  const UnitKeys &keys = model.getKeys();
  if (!keys.isAlignedAndFused(unit) || assignment.isPinned(model.getUnits()[unit].cell))
    return false;
  uint32_t numWords = keys.getNumWords();
  llvm::ArrayRef<NodeId> nodes = keys.getNodes(unit);
  const uint64_t *first = rows.data() + size_t(nodes.front().get()) * numWords;
  for (uint32_t word = 0; word < numWords; ++word) {
    if (UnitKeys::hasSum(first[word]))
      return false;
    for (NodeId node : nodes.drop_front())
      if (rows[size_t(node.get()) * numWords + word] != first[word])
        return false;
  }
  return true;
}

void UnitRecords::buildKey(UnitId unit) {
  const UnitKeys &keys = model.getKeys();
  uint32_t numWords = keys.getNumWords();
  key.clear();
  for (NodeId node : keys.getNodes(unit))
    for (uint32_t word = 0; word < numWords; ++word)
      key.push_back(rows[size_t(node.get()) * numWords + word]);
  for (CellId cell : keys.getCells(unit))
    if (assignment.isPinned(cell))
      keys.addPins(assignment, cell, key);
  if (!pairs.isFixed())
    for (CellId cell : keys.getCells(unit))
      if (pairs.matters(cell))
        key.push_back(pairs.getArgument(cell).get());
}

RecordId UnitRecords::find(UnitId unit, RecordId current) {
  if (isNothing(unit))
    return RecordId(0);
  buildKey(unit);
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
