//===- CostSums.cpp - from the prices of units to a cost ------------------===//

#include "partita/Cost/CostSums.h"

namespace partita {

CostSums::CostSums(const CostModel &model)
    : model(model), sums(model.getNumSegments()), costs(model.getNumSegments()), dirty(model.getNumSegments(), 0),
      profile(model.getLiveTimes().getNumPoints()) {}

void CostSums::clear() {
  sums = IdVector<SegmentId, SegmentSum>(model.getNumSegments());
  costs = IdVector<SegmentId, SegmentCost>(model.getNumSegments());
  dirty = IdVector<SegmentId, uint8_t>(model.getNumSegments(), 0);
  dirtySegments.clear();
  compute = communication = exposed = 0;
  profile.clear();
}

void CostSums::change(const UnitRecords &records, RecordId id, int sign) {
  for (const SumTerm &term : records.getTimes(id)) {
    SegmentSum &sum = sums[term.segment];
    int64_t time = sign * term.timePs;
    switch (term.kind) {
    case TimeKind::Compute:
      sum.compute += time;
      break;
    case TimeKind::Exposed:
      sum.exposed += time;
      break;
    case TimeKind::Overlapped:
      sum.overlapped += time;
      break;
    }
    if (!dirty[term.segment]) {
      dirty[term.segment] = 1;
      dirtySegments.push_back(term.segment);
    }
  }
  for (const MemoryTerm &term : records.getMemory(id))
    profile.add(term.first, term.last, sign * term.bytes);
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
