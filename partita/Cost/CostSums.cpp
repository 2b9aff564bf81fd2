//===- CostSums.cpp - from the prices of units to a cost ------------------===//

#include "partita/Cost/CostSums.h"

namespace partita::cost {

CostSums::CostSums(const CostModel &model)
    : model(model), sums(model.getNumSegments() * SumTerm::numKinds, 0), costs(model.getNumSegments()),
      dirty(model.getNumSegments()), profile(model.getLiveTimes().getNumPoints()) {}

void CostSums::assign(const PriceCache &cache, llvm::ArrayRef<PriceEntryId> ids) {
  std::fill(sums.begin(), sums.end(), 0);
  profile.startAnew();
  for (PriceEntryId id : ids) {
    // Most units inside kernels cost nothing.
    if (id == PriceCache::nothing)
      continue;
    for (const SumTerm &term : cache.getTimes(id))
      sums[term.sum] += term.timePs;
    for (const MemoryTerm &term : cache.getMemory(id))
      profile.addAnew(term.first, term.last, term.bytes);
  }
  profile.finishAnew();
  for (SegmentId segment : idRange<SegmentId>(costs.size()))
    dirty.add(segment);
}

inline void CostSums::addTime(const SumTerm &term, int64_t timePs) {
  sums[term.sum] += timePs;
  dirty.add(term.segment);
}

void CostSums::replace(const PriceCache &cache, PriceEntryId old, PriceEntryId next) {
  llvm::ArrayRef<SumTerm> oldTimes = cache.getTimes(old), times = cache.getTimes(next);
  const SumTerm *a = oldTimes.begin(), *b = times.begin();
  // Most terms are in both lists at the same position: add the difference.
  for (; a != oldTimes.end() && b != times.end() && a->sum == b->sum; ++a, ++b)
    if (a->timePs != b->timePs)
      addTime(*b, b->timePs - a->timePs);
  for (; a != oldTimes.end(); ++a)
    addTime(*a, -a->timePs);
  for (; b != times.end(); ++b)
    addTime(*b, b->timePs);

  llvm::ArrayRef<MemoryTerm> oldMemory = cache.getMemory(old), memory = cache.getMemory(next);
  const MemoryTerm *c = oldMemory.begin(), *d = memory.begin();
  for (; c != oldMemory.end() && d != memory.end() && c->first == d->first && c->last == d->last; ++c, ++d)
    if (c->bytes != d->bytes)
      profile.add(d->first, d->last, d->bytes - c->bytes);
  for (; c != oldMemory.end(); ++c)
    profile.add(c->first, c->last, -c->bytes);
  for (; d != memory.end(); ++d)
    profile.add(d->first, d->last, d->bytes);
}

static int64_t clamp(__int128 value) { return static_cast<int64_t>(std::min<__int128>(value, maxTimePs)); }

int64_t CostSums::computeUncovered(SegmentId segment) const {
  __int128 compute = getSum(segment, TimeKind::Compute);
  // A 128-bit division takes longer than everything else here.
  constexpr __int128 mostInOneWord = INT64_MAX / wholePpm;
  int64_t ppm = model.getOptions().overlapPpm;
  __int128 hidden = compute <= mostInOneWord ? __int128(int64_t(compute) * ppm / wholePpm) : compute * ppm / wholePpm;
  return clamp(std::max<__int128>(0, getSum(segment, TimeKind::Overlapped) - hidden));
}

SegmentCost CostSums::computeSegment(SegmentId segment) const {
  __int128 ownCompute = getSum(segment, TimeKind::Compute), ownExposed = getSum(segment, TimeKind::Exposed),
           overlapped = getSum(segment, TimeKind::Overlapped);
  if (ownCompute == 0 && ownExposed == 0 && overlapped == 0)
    return {};
  int64_t times = model.getTimes(model.getSegment(segment).region);
  SegmentCost cost;
  cost.computePs = multiplySaturated(clamp(ownCompute), times);
  cost.communicationPs = multiplySaturated(clamp(ownExposed + overlapped), times);
  cost.exposedPs = multiplySaturated(clamp(ownExposed + computeUncovered(segment)), times);
  return cost;
}

Cost CostSums::computeCost() {
  for (SegmentId segment : dirty.get()) {
    SegmentCost next = computeSegment(segment), &old = costs[segment];
    compute += next.computePs - old.computePs;
    communication += next.communicationPs - old.communicationPs;
    exposed += next.exposedPs - old.exposedPs;
    old = next;
  }
  dirty.clear();
  Cost cost;
  cost.computePs = clamp(compute);
  cost.communicationPs = clamp(communication);
  cost.exposedPs = clamp(exposed);
  cost.timePs = clamp(compute + exposed);
  cost.peakBytes = profile.computePeak();
  return cost;
}

} // namespace partita::cost
