//===- CostSums.cpp - from the prices of units to a cost ------------------===//

#include "partita/Cost/CostSums.h"

#include "partita/Machine/CollectiveOrder.h"

namespace partita::cost {

CostSums::CostSums(const CostModel &model)
    : model(model), slots(model.getSlots()), sums(slots.getNumSlots() * SumTerm::numKinds, 0),
      inner(slots.getNumBlocks()), blocks(slots.getNumBlocks()), regions(model.getGraph().regions.size()),
      isDirty(regions.size(), 0), dirty(slots.getNumBlocks()),
      maxLoopPs(std::min(maxTimePs, (int64_t(1) << 61) / static_cast<int64_t>(regions.size() + 1))),
      combineBytes(getCollectiveOrder(model.getMachine()).combineBytes), profile(model.getLiveTimes().getNumPoints()) {
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

/// What the loops and branches of a compound slot add to it.
void CostSums::addLoops(SlotBlockId id, uint32_t slot, BlockCost &cost, SlotPaths &paths, IssuedPaths &issued) const {
  // Layers that a folded program elides are issued while others run.
  issued.gather = std::max(issued.issue, paths.gather);
  issued.compute = std::max(issued.issue, paths.gatherCompute);
  for (const Inner &loop : inner[id]) {
    if (loop.slot.get() != slot)
      continue;
    Totals all = addTrips(loop.region, regions[loop.region], loop.count);
    paths.gather += all.communicationPs;
    paths.compute += all.timePs;
    paths.reduce += all.communicationPs;
    paths.network += all.communicationPs;
    cost.computePs += all.computePs;
    cost.communicationPs += all.communicationPs;
    issued.issue += all.issuePs;
    issued.compute += all.issuedEndPs;
  }
  paths.gatherCompute = std::max(paths.gather, paths.compute);
  paths.computeReduce = std::max(paths.compute, paths.reduce);
  paths.gatherReduce = std::max(paths.gatherCompute, paths.reduce);
  issued.reduce = std::max(issued.compute, issued.reduce);
}

CostSums::BlockCost CostSums::computeBlock(SlotBlockId id, const Batches &batches) const {
  const SlotBlock &block = slots.getBlock(id);
  BlockCost cost;
  int64_t hiddenPpm = model.getOptions().overlapPpm;
  bool isIssued = model.getIssuePs() > 0;
  auto add = [](Joined &joined, int64_t timePs, int64_t bytes) {
    joined.timePs += timePs;
    joined.bytes += bytes;
  };
  for (uint32_t slot = block.first; slot < block.last; ++slot) {
    const int64_t *sum = sums.data() + size_t(slot) * SumTerm::numKinds;
    int64_t compute = sum[0], exposed = sum[1], gathered = sum[2], late = sum[3];
    cost.computePs += compute;
    cost.communicationPs += exposed + gathered + late;
    add(cost.gathers, gathered, sum[5]);
    add(cost.reductions, late, sum[6]);
    int64_t beside =
        hiddenPpm == wholePpm ? exposed : exposed + compute - int64_t(__int128(compute) * hiddenPpm / wholePpm);
    SlotPaths paths = SlotPaths::ofKernel(compute, exposed, beside, gathered, late);
    bool isCompound = slots.isCompound(TimeSlotId(slot));
    if (!isCompound) {
      if (gathered > 0)
        cost.gathers.slot = std::min(cost.gathers.slot, slot);
      if (late > 0)
        cost.reductions.slot = slot;
      paths.addBatches(slot == batches.gatherSlot ? std::max<int64_t>(0, batches.gatheredPs - gathered) : 0,
                       slot == batches.lateSlot ? batches.latePs : 0);
    }
    IssuedPaths issued;
    if (isIssued)
      issued = IssuedPaths::ofKernel(std::min(maxLoopPs, sum[4]), paths);
    if (isCompound)
      addLoops(id, slot, cost, paths, issued);
    if (isIssued)
      cost.issued.append(issued, paths);
    cost.paths.append(paths);
  }
  return cost;
}

CostSums::Batches CostSums::findBatches(RegionId region) const {
  Joined gathers, reductions;
  bool isStraight = region.get() == 0, isJoined = false;
  auto [first, last] = slots.getBlocks(region);
  for (uint32_t number = first; number < last; ++number) {
    const BlockCost &block = blocks[SlotBlockId(number)];
    gathers.timePs += block.gathers.timePs;
    gathers.bytes += block.gathers.bytes;
    gathers.slot = std::min(gathers.slot, block.gathers.slot);
    // What stands behind a join does not wait with what stands before it.
    isJoined |= slots.getBlock(SlotBlockId(number)).beginsWithJoin && reductions.slot != noSlot;
    if (isJoined || !isStraight)
      continue;
    reductions.timePs += block.reductions.timePs;
    reductions.bytes += block.reductions.bytes;
    if (block.reductions.slot != noSlot)
      reductions.slot = block.reductions.slot;
  }
  auto computeBatchPs = [&](const Joined &joined) {
    return joined.bytes <= combineBytes ? joined.timePs
                                        : int64_t(__int128(joined.timePs) * combineBytes / joined.bytes);
  };
  return {gathers.slot, reductions.slot, computeBatchPs(gathers), computeBatchPs(reductions)};
}

CostSums::Totals CostSums::computeRegion(RegionId region) const {
  Totals totals;
  int64_t gather = 0, compute = 0, reduce = 0, network = 0;
  IssuedPaths issued;
  bool isIssued = model.getIssuePs() > 0;
  Batches batches = combineBytes > 0 ? findBatches(region) : Batches();
  auto [first, last] = slots.getBlocks(region);
  BlockCost batched;
  for (uint32_t number = first; number < last; ++number) {
    const SlotBlock &range = slots.getBlock(SlotBlockId(number));
    auto isIn = [&](uint32_t slot) { return range.first <= slot && slot < range.last; };
    bool hasBatch = isIn(batches.gatherSlot) || isIn(batches.lateSlot);
    if (hasBatch)
      batched = computeBlock(SlotBlockId(number), batches);
    const BlockCost &block = hasBatch ? batched : blocks[SlotBlockId(number)];
    const SlotPaths &paths = block.paths;
    if (range.beginsWithJoin) {
      compute = std::max(compute, reduce);
      issued.compute = std::max(issued.compute, issued.reduce);
    }
    if (isIssued)
      issued.append(block.issued, paths);
    reduce = std::max({reduce + paths.reduce, compute + paths.computeReduce, gather + paths.gatherReduce});
    compute = std::max(compute + paths.compute, gather + paths.gatherCompute);
    gather += paths.gather;
    network += paths.network;
    totals.computePs += block.computePs;
    totals.communicationPs += block.communicationPs;
  }
  totals.timePs = clamp(std::max({compute, reduce, network}));
  totals.computePs = clamp(totals.computePs);
  totals.communicationPs = clamp(totals.communicationPs);
  totals.issuePs = clamp(issued.issue);
  totals.issuedEndPs = clamp(issued.getEnd());
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
