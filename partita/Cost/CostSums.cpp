//===- CostSums.cpp - from the prices of units to a cost ------------------===//

#include "partita/Cost/CostSums.h"

namespace partita {

CostSums::CostSums(const CostModel &model)
    : model(model), sums(model.getNumSegments()), costs(model.getNumSegments()), dirty(model.getNumSegments(), 0),
      profile(model.getLiveTimes().getNumPoints()) {}

void CostSums::clear() {
  for (SegmentId segment : idRange<SegmentId>(sums.size())) {
    sums[segment] = {};
    costs[segment] = {};
    dirty[segment] = 0;
  }
  dirtySegments.clear();
  compute = communication = exposed = 0;
  profile.clear();
}

void CostSums::addTime(SegmentId segment, TimeKind kind, int64_t timePs) {
  SegmentSum &sum = sums[segment];
  switch (kind) {
  case TimeKind::Compute:
    sum.compute += timePs;
    break;
  case TimeKind::Exposed:
    sum.exposed += timePs;
    break;
  case TimeKind::Overlapped:
    sum.overlapped += timePs;
    break;
  }
  if (!dirty[segment]) {
    dirty[segment] = 1;
    dirtySegments.push_back(segment);
  }
}

void CostSums::change(const UnitRecords &records, RecordId id, int sign) {
  for (const SumTerm &term : records.getTimes(id))
    addTime(term.segment, term.kind, sign * term.timePs);
  for (const MemoryTerm &term : records.getMemory(id))
    profile.add(term.first, term.last, sign * term.bytes);
}

void CostSums::replace(const UnitRecords &records, RecordId old, RecordId next) {
  llvm::ArrayRef<SumTerm> oldTimes = records.getTimes(old), times = records.getTimes(next);
  // What stands in both at the same place, as most does, is changed by the difference.
  while (!oldTimes.empty() && !times.empty() && oldTimes.front().segment == times.front().segment &&
         oldTimes.front().kind == times.front().kind) {
    addTime(times.front().segment, times.front().kind, times.front().timePs - oldTimes.front().timePs);
    oldTimes = oldTimes.drop_front();
    times = times.drop_front();
  }
  for (const SumTerm &term : oldTimes)
    addTime(term.segment, term.kind, -term.timePs);
  for (const SumTerm &term : times)
    addTime(term.segment, term.kind, term.timePs);

  llvm::ArrayRef<MemoryTerm> oldMemory = records.getMemory(old), memory = records.getMemory(next);
  while (!oldMemory.empty() && !memory.empty() && oldMemory.front().first == memory.front().first &&
         oldMemory.front().last == memory.front().last) {
    if (int64_t difference = memory.front().bytes - oldMemory.front().bytes; difference != 0)
      profile.add(memory.front().first, memory.front().last, difference);
    oldMemory = oldMemory.drop_front();
    memory = memory.drop_front();
  }
  for (const MemoryTerm &term : oldMemory)
    profile.add(term.first, term.last, -term.bytes);
  for (const MemoryTerm &term : memory)
    profile.add(term.first, term.last, term.bytes);
}

static int64_t clamp(__int128 value) { return static_cast<int64_t>(std::min<__int128>(value, maxTimePs)); }

int64_t CostSums::computeUncovered(SegmentId segment) const {
  const SegmentSum &sum = sums[segment];
  __int128 hidden = sum.compute * model.getOptions().overlapPpm / wholePpm;
  return clamp(std::max<__int128>(0, sum.overlapped - hidden));
}

SegmentCost CostSums::computeSegment(SegmentId segment) const {
  const SegmentSum &sum = sums[segment];
  int64_t times = model.getTimes(model.getSegment(segment).region);
  SegmentCost cost;
  cost.computePs = multiplySaturated(clamp(sum.compute), times);
  cost.communicationPs = multiplySaturated(clamp(sum.exposed + sum.overlapped), times);
  cost.exposedPs = multiplySaturated(clamp(sum.exposed + computeUncovered(segment)), times);
  return cost;
}

Cost CostSums::computeCost() {
  for (SegmentId segment : dirtySegments) {
    dirty[segment] = 0;
    SegmentCost next = computeSegment(segment), &old = costs[segment];
    compute += next.computePs - old.computePs;
    communication += next.communicationPs - old.communicationPs;
    exposed += next.exposedPs - old.exposedPs;
    old = next;
  }
  dirtySegments.clear();
  Cost cost;
  cost.computePs = clamp(compute);
  cost.communicationPs = clamp(communication);
  cost.exposedPs = clamp(exposed);
  cost.timePs = clamp(compute + exposed);
  cost.peakBytes = profile.computePeak();
  return cost;
}

} // namespace partita
