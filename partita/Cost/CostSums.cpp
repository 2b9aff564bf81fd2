//===- CostSums.cpp - from the prices of units to a cost ------------------===//

#include "partita/Cost/CostSums.h"

#include "partita/Machine/CollectiveOrder.h"

namespace partita::cost {

CostSums::CostSums(const CostModel &model)
    : model(model), slots(model.getSlots()), sums(slots.getNumSlots() * SumTerm::numKinds, 0),
      inner(slots.getNumBlocks()), blocks(slots.getNumBlocks()), regions(model.getGraph().regions.size()),
      isDirty(regions.size(), 0), dirty(slots.getNumBlocks()),
      maxLoopPs(std::min(maxTimePs, (int64_t(1) << 61) / static_cast<int64_t>(regions.size() + 1))),
      order(getCollectiveOrder(model.getMachine())), isIssued(model.getIssuePs() > 0),
      profile(model.getLiveTimes().getNumPoints()) {
  for (RegionId region : idRange<RegionId>(regions.size()))
    for (const SlotShare &share : slots.getShares(region))
      inner[slots.getBlockOf(share.slot)].push_back({share.slot, region, share.count});
}

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
  for (SlotBlockId block : idRange<SlotBlockId>(blocks.size()))
    dirty.add(block);
}

inline void CostSums::addTime(const SumTerm &term, int64_t timePs) {
  sums[term.sum] += timePs;
  dirty.add(term.block);
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

static int64_t clamp(int64_t value) { return std::min(value, maxTimePs); }

/// `count` runs of a region, with all its trips.
CostSums::Totals CostSums::addTrips(RegionId region, const Totals &once, int64_t count) const {
  int64_t runs = multiplySaturated(model.getTrips(region), count);
  auto multiply = [&](int64_t timePs) { return std::min(maxLoopPs, multiplySaturated(timePs, runs)); };
  // The host is ahead of the device in all iterations, or behind it.
  int64_t others = std::max<int64_t>(0, runs - 1);
  int64_t issuedEndPs = once.issuedEndPs + multiplySaturated(std::max(once.issuePs, once.timePs), others);
  return {multiply(once.timePs), multiply(once.computePs), multiply(once.communicationPs), multiply(once.issuePs),
          runs > 0 ? std::min(maxLoopPs, issuedEndPs) : 0};
}

void CostSums::Amounts::add(const Amounts &other, int64_t count) {
  computePs += other.computePs * count;
  exposedPs += other.exposedPs * count;
  besidePs += other.besidePs * count;
  gathers.add(other.gathers, count);
  reductions.add(other.reductions, count);
  atEndPs += other.atEndPs * count;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// All loops and branches of a compound slot.
CostSums::Totals CostSums::computeInner(SlotBlockId block, uint32_t slot) const {
  Totals all;
  for (const Inner &loop : inner[block]) {
    if (loop.slot.get() != slot)
      continue;
    Totals own = addTrips(loop.region, regions[loop.region], loop.count);
    all.timePs += own.timePs;
    all.computePs += own.computePs;
    all.communicationPs += own.communicationPs;
    all.issuePs += own.issuePs;
    all.issuedEndPs += own.issuedEndPs;
  }
  return all;
}

/// A loop begins when its gathers are done. Of elided layers that are no periods (addElided) nothing is known but sums.
void CostSums::addCompound(const SlotSums &sums, const Totals &inner, bool isElided, BlockCost &cost) const {
  int64_t exposed = sums.getExposed(), late = sums.get(TimeKind::Late), beside = sums.get(TimeKind::Beside);
  int64_t compute = sums.get(TimeKind::Compute) + inner.timePs, network = exposed + beside + inner.communicationPs;
  JoinedCollectives gathers = sums.getGathers();
  SegmentPaths paths = SegmentPaths::ofKernel(compute, exposed, network, gathers, late);
  if (isElided)
    paths.gatherCompute = std::max(paths.gather, paths.compute);
  paths.computeReduce = std::max(paths.compute, paths.reduce);
  paths.gatherReduce = std::max(paths.gatherCompute, paths.reduce);
  if (isIssued) {
    SegmentPaths own = SegmentPaths::ofKernel(sums.get(TimeKind::Compute), exposed, exposed, gathers, late);
    IssuedPaths issued = IssuedPaths::ofKernel(std::min(maxLoopPs, sums.get(TimeKind::Issued)), own);
    // Layers that a folded program elides are issued while others run.
    issued.gather = std::max(issued.issue, own.gather);
    issued.compute = std::max(issued.issue, own.gatherCompute) + inner.issuedEndPs;
    issued.reduce = std::max(issued.compute, issued.reduce);
    issued.issue += inner.issuePs;
    cost.issued.append(issued, paths);
    cost.unfenced.append(paths);
  }
  if (!order.isOneAtATime || network == 0)
    return cost.paths.append(paths, order.combineBytes);
  if (exposed > 0)
    cost.paths.addFence(exposed, exposed);
  if (!isElided && gathers.timePs > 0)
    cost.paths.append(SegmentPaths::ofKernel(0, 0, 0, gathers, 0), order.combineBytes);
  cost.paths.addFence(compute, inner.communicationPs + beside + late);
}

void CostSums::addSlot(SlotBlockId id, uint32_t slot, BlockCost &cost) const {
  SlotSums own = getSlot(slot);
  int64_t compute = own.get(TimeKind::Compute), late = own.get(TimeKind::Late);
  int64_t before = own.get(TimeKind::Exposed), behind = own.get(TimeKind::ExposedBehind);
  int64_t beside = own.get(TimeKind::Beside), atEnd = own.get(TimeKind::LateAtEnd);
  cost.amounts.add({compute, before + behind, beside, own.getGathers(), own.getReductions(), atEnd}, 1);
  if (slots.isCompound(TimeSlotId(slot))) {
    Totals all = computeInner(id, slot);
    cost.amounts.add({all.computePs, all.communicationPs, 0, {}, {}, 0}, 1);
    return addCompound(own, all, slots.getBlock(id).isElided, cost);
  }
  int64_t hiddenPpm = model.getOptions().overlapPpm;
  int64_t unhidden = hiddenPpm == wholePpm ? 0 : compute - int64_t(__int128(compute) * hiddenPpm / wholePpm);
  cost.unhiddenPs += unhidden;
  int64_t busy = unhidden + beside;
  int64_t exposed = before + behind;
  if (isIssued) {
    SegmentPaths paths = SegmentPaths::ofKernel(compute, exposed, exposed + busy, own.getGathers(), late);
    cost.issued.append(IssuedPaths::ofKernel(std::min(maxLoopPs, own.get(TimeKind::Issued)), paths), paths);
    cost.unfenced.append(paths);
  }
  if (order.isOneAtATime && slots.beginsWithFence(TimeSlotId(slot)))
    cost.paths.addFence(0, 0);
  if (!order.isOneAtATime || exposed == 0) {
    SegmentPaths paths = SegmentPaths::ofKernel(compute, exposed, exposed + busy, own.getGathers(), late);
    return cost.paths.append(paths, order.combineBytes);
  }
  if (before > 0)
    cost.paths.addFence(before, before);
  cost.paths.append(SegmentPaths::ofKernel(compute, 0, busy, own.getGathers(), late), order.combineBytes);
  if (behind > 0)
    cost.paths.addFence(behind, behind);
}

void CostSums::updateBlock(SlotBlockId id) {
  const SlotBlock &range = slots.getBlock(id);
  BlockCost cost;
  for (uint32_t slot = range.first; slot < range.last; ++slot)
    addSlot(id, slot, cost);
  blocks[id] = cost;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Whether the elided layers of a block are as many times the slots in front of it as it says.
bool CostSums::repeats(SlotBlockId elided) const {
  const SlotBlock &range = slots.getBlock(elided);
  Amounts all;
  for (uint32_t number = range.periodBlock; number < elided.get(); ++number)
    all.add(blocks[SlotBlockId(number)].amounts, range.numPeriods);
  return range.numPeriods > 0 && all.isSameTime(blocks[elided].amounts);
}

/// Joins the gathers of a block, up to its first fence, to the batch.
void CostSums::joinGathers(SlotBlockId block, CollectiveBatch &batch) const {
  const JoinedCollectives &gathers = blocks[block].paths.head.gathers;
  if (gathers.timePs == 0 || !batch.isOpen())
    return;
  if (batch.hasRoom(gathers, order.combineBytes))
    return batch.add(gathers, order.combineBytes);
  JoinedCollectives left = gathers;
  for (uint32_t slot = slots.getBlock(block).first; batch.isOpen() && left.timePs > 0; ++slot) {
    JoinedCollectives own = getSlot(slot).getGathers();
    batch.add(own, order.combineBytes);
    left.add(own, -1);
  }
}

/// Joins the reductions of blocks [first, last) to a batch, the last one first.
void CostSums::joinReductions(uint32_t first, uint32_t last, CollectiveBatch &batch) const {
  while (last-- > first && batch.isOpen()) {
    SlotBlockId id(last);
    const SlotBlock &range = slots.getBlock(id);
    const JoinedCollectives &reductions = blocks[id].amounts.reductions;
    if (reductions.timePs == 0)
      continue;
    if (batch.hasRoom(reductions, order.combineBytes)) {
      batch.add(reductions, order.combineBytes);
    } else if (range.isElided && repeats(id)) {
      JoinedCollectives period;
      for (uint32_t number = range.periodBlock; number < last; ++number)
        period.add(blocks[SlotBlockId(number)].amounts.reductions);
      batch.addMany(period, range.numPeriods - 1, order.combineBytes);
      joinReductions(range.periodBlock, last, batch);
    } else {
      for (uint32_t slot = range.last; slot-- > range.first && batch.isOpen();)
        batch.add(getSlot(slot).getReductions(), order.combineBytes);
    }
  }
}

void CostSums::addBlock(SlotBlockId block, RegionClock &clock) const {
  if (order.combineBytes > 0)
    joinGathers(block, clock.batch);
  clock.append(blocks[block].paths);
}

void CostSums::addElided(SlotBlockId elided, RegionClock &clock) const {
  const SlotBlock &range = slots.getBlock(elided);
  int64_t others = range.numPeriods - 1, beforePs = clock.compute;
  bool hasFence = false;
  RegionClock sum;
  JoinedCollectives gathers;
  for (uint32_t number = range.periodBlock; number < elided.get(); ++number) {
    const BlockPaths &paths = blocks[SlotBlockId(number)].paths;
    addBlock(SlotBlockId(number), clock);
    hasFence |= paths.hasFence;
    sum.gather += paths.head.gather;
    sum.compute += paths.head.compute;
    sum.reduce += paths.head.reduce + paths.restReduce;
    gathers.add(paths.head.gathers);
  }
  auto multiply = [&](int64_t timePs) { return std::min(maxLoopPs, multiplySaturated(timePs, others)); };
  int64_t compute = multiply(hasFence ? clock.compute - beforePs : sum.compute);
  clock.compute += compute;
  clock.batched += compute;
  clock.gather += hasFence ? compute : multiply(sum.gather);
  clock.reduce += multiply(sum.reduce);
  if (hasFence || order.combineBytes == 0 || clock.batch.addMany(gathers, others, order.combineBytes) == others)
    return;
  for (uint32_t number = range.periodBlock; number < elided.get(); ++number)
    joinGathers(SlotBlockId(number), clock.batch);
}

int64_t CostSums::computeRegionPs(RegionId region) const {
  RegionClock clock;
  int64_t network = 0, atEnd = 0;
  // Compute waits for the last batch of straight code's reductions; those behind a join do not wait with others.
  bool isJoined = region.get() != 0 || order.combineBytes == 0;
  auto [first, last] = slots.getBlocks(region);
  auto waitForReductions = [&, first = first](uint32_t end) {
    CollectiveBatch batch;
    joinReductions(first, end, batch);
    clock.compute += batch.getTimePs();
    isJoined = batch.getTimePs() > 0;
  };
  for (uint32_t number = first; number < last; ++number) {
    SlotBlockId id(number);
    const BlockCost &block = blocks[id];
    if (slots.getBlock(id).beginsWithJoin) {
      if (!isJoined)
        waitForReductions(number);
      clock.compute = std::max(clock.compute, clock.reduce);
    }
    if (slots.getBlock(id).isElided && repeats(id))
      addElided(id, clock);
    else
      addBlock(id, clock);
    network += block.amounts.getCommunicationPs() + block.unhiddenPs;
    atEnd += block.amounts.atEndPs;
  }
  clock.endSegment();
  if (!isJoined)
    waitForReductions(last);
  return clamp(std::max(clock.getEnd() + atEnd, network));
}

CostSums::Totals CostSums::computeRegion(RegionId region) const {
  Totals totals;
  totals.timePs = computeRegionPs(region);
  IssuedPaths issued;
  int64_t atEnd = 0;
  auto [first, last] = slots.getBlocks(region);
  for (uint32_t number = first; number < last; ++number) {
    const BlockCost &block = blocks[SlotBlockId(number)];
    totals.computePs += block.amounts.computePs;
    totals.communicationPs += block.amounts.getCommunicationPs();
    if (!isIssued)
      continue;
    atEnd += block.amounts.atEndPs;
    if (slots.getBlock(SlotBlockId(number)).beginsWithJoin)
      issued.compute = std::max(issued.compute, issued.reduce);
    issued.append(block.issued, block.unfenced);
  }
  totals.computePs = clamp(totals.computePs);
  totals.communicationPs = clamp(totals.communicationPs);
  totals.issuePs = clamp(issued.issue);
  totals.issuedEndPs = clamp(issued.getEnd() + atEnd);
  return totals;
}

Cost CostSums::computeCost() {
  // Inner regions have higher numbers.
  uint32_t last = 0;
  for (SlotBlockId block : dirty.get()) {
    updateBlock(block);
    RegionId region = slots.getBlock(block).region;
    isDirty[region] = 1;
    last = std::max(last, region.get() + 1);
  }
  dirty.clear();
  for (uint32_t number = last; number-- > 0;) {
    RegionId region(number);
    if (!isDirty[region])
      continue;
    isDirty[region] = 0;
    Totals next = computeRegion(region);
    if (std::exchange(regions[region], next) == next)
      continue;
    for (const SlotShare &share : slots.getShares(region)) {
      updateBlock(slots.getBlockOf(share.slot));
      isDirty[slots.getRegion(share.slot)] = 1;
    }
  }
  Cost cost;
  if (!regions.empty()) {
    const Totals &all = regions[RegionId(0)];
    cost.timePs = std::max(all.timePs, all.issuedEndPs);
    cost.computePs = all.computePs;
    cost.communicationPs = all.communicationPs;
    cost.exposedPs = std::max<int64_t>(0, all.timePs - all.computePs);
  }
  cost.peakBytes = profile.computePeak();
  return cost;
}

} // namespace partita::cost
