//===- CostSums.h - from the prices of units to a cost --------------------===//
//
// Keeps one sum of time for each slot (TimeSlots.h) and kind, and the bytes
// alive at each point. Price entries are added and removed in any order; the
// cost follows from the sums.
//
// A device computes one thing after the other, in program order, and its
// network does one thing at a time. A collective that compute waits for (X)
// stops compute and comes before all others. Gathers of parameters (G) follow
// each other from the region's beginning on; each must end before its slot
// computes. Late reductions (O) are issued behind their slot and take what time
// of the network is left. So a region takes as long as the longest path through
// its slots that changes at most from gathering to computing, and from that to
// reducing:
//
//   T = max over q <= p of   sum before q of (G + X)               gathering
//                          + sum from q to p of (C + X)            computing
//                          + sum behind p of (X + O)               reducing
//
// or, the network always busy, the sum of all G + X + O. Slots q and p take part
// on both sides. A loop of n trips inside it is a slot that computes n T' and
// keeps the network busy for n times what its body does. Behind a join
// everything waits for all reductions before it.
//
// Where the platform joins collectives (Machine/CollectiveOrder.h), gathers and
// reductions run in batches. Of a region's gathers of g bytes that take G in all,
// the first batch, min(1, limit / g) G, ends before the first slot that needs
// one: that slot waits for it in the place of its own gathers. Of the reductions
// of straight code the last batch begins behind the last slot that has one, or
// the last before a join, and compute waits for it: XLA places the updates of all
// parameters behind the last batch.
//
// A block of slots is summed up in six numbers (SlotPaths), for which of the
// three a path does when it enters and leaves the block; so a change costs its
// block, and a few additions for each block of its region and of those around
// it. Where the host takes time to issue kernels and reshards, in program order,
// a path may also begin with issuing (IssuedPaths); the host does not wait for
// the device, so it may be ahead by any number of iterations. With a share r < 1
// of compute that can hide communication (CostOptions::overlapPpm), gathering
// and reducing also take (1 - r) C.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COSTSUMS_H
#define PARTITA_COST_COSTSUMS_H

#include "partita/Cost/CostTracker.h"
#include "partita/Cost/PeakProfile.h"
#include "partita/Cost/PriceCache.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// The longest paths through consecutive slots, by what they do at the beginning and at the end.
struct SlotPaths {
  int64_t gather = 0, compute = 0, reduce = 0;
  /// All that the network does.
  int64_t network = 0;
  int64_t gatherCompute = 0, computeReduce = 0, gatherReduce = 0;

  /// Of one kernel. `besidePs` keeps the network busy whatever a path does: exposed communication, and the compute
  /// that hides nothing.
  static SlotPaths ofKernel(int64_t computePs, int64_t exposedPs, int64_t besidePs, int64_t gatheredPs,
                            int64_t latePs) {
    SlotPaths paths;
    paths.gather = besidePs + gatheredPs;
    paths.compute = computePs + exposedPs;
    paths.reduce = besidePs + latePs;
    paths.network = paths.gather + latePs;
    paths.gatherCompute = paths.compute + gatheredPs;
    paths.computeReduce = paths.compute + latePs;
    paths.gatherReduce = paths.gatherCompute + latePs;
    return paths;
  }

  /// Of a kernel that waits for gathers of other kernels, too, and behind which compute waits for a batch of
  /// reductions.
  void addBatches(int64_t otherGatheredPs, int64_t lateBatchPs) {
    compute += lateBatchPs;
    gatherCompute += otherGatheredPs + lateBatchPs;
    computeReduce = std::max(computeReduce, compute);
    gatherReduce = std::max(gatherReduce + otherGatheredPs, gatherCompute);
  }

  /// Puts `next` behind these slots.
  void append(const SlotPaths &next) {
    gatherReduce =
        std::max({gather + next.gatherReduce, gatherCompute + next.computeReduce, gatherReduce + next.reduce});
    gatherCompute = std::max(gather + next.gatherCompute, gatherCompute + next.compute);
    computeReduce = std::max(compute + next.computeReduce, computeReduce + next.reduce);
    gather += next.gather;
    compute += next.compute;
    reduce += next.reduce;
    network += next.network;
  }
};

/// The longest paths that begin with the host's issuing, by what they do at the end.
struct IssuedPaths {
  int64_t issue = 0, gather = 0, compute = 0, reduce = 0;

  /// Of slots in which everything waits until the first of `issuePs` has passed.
  static IssuedPaths ofKernel(int64_t issuePs, const SlotPaths &paths) {
    return {issuePs, issuePs + paths.gather, issuePs + paths.gatherCompute, issuePs + paths.gatherReduce};
  }

  /// Puts slots behind these that have `next` and, once everything is issued, `paths`.
  void append(const IssuedPaths &next, const SlotPaths &paths) {
    reduce = std::max(
        {issue + next.reduce, gather + paths.gatherReduce, compute + paths.computeReduce, reduce + paths.reduce});
    compute = std::max({issue + next.compute, gather + paths.gatherCompute, compute + paths.compute});
    gather = std::max(issue + next.gather, gather + paths.gather);
    issue += next.issue;
  }
  int64_t getEnd() const { return std::max({issue, compute, reduce}); }
};

class CostSums {
public:
  explicit CostSums(const CostModel &model);

  /// Makes these entries, and no others, the content.
  void assign(const PriceCache &cache, llvm::ArrayRef<PriceEntryId> ids);
  void replace(const PriceCache &cache, PriceEntryId old, PriceEntryId next);

  Cost computeCost();
  uint32_t findPeakPoint() { return profile.findPeakPoint(); }

private:
  /// Of one execution of a region or block.
  struct Totals {
    int64_t timePs = 0, computePs = 0, communicationPs = 0;
    /// The host's time, and when all is done if the host begins with the device. 0 where issuing takes no time.
    int64_t issuePs = 0, issuedEndPs = 0;
    bool operator==(const Totals &) const = default;
  };
  static constexpr uint32_t noSlot = UINT32_MAX;

  /// Collectives of one kind that may be joined, and the slot that waits for the first batch or issues the last one.
  struct Joined {
    int64_t timePs = 0, bytes = 0;
    uint32_t slot = noSlot;
  };
  struct BlockCost {
    SlotPaths paths;
    IssuedPaths issued;
    int64_t computePs = 0, communicationPs = 0;
    Joined gathers, reductions;
  };
  /// The first batch of a region's gathers and the last one of its reductions, each at its slot.
  struct Batches {
    uint32_t gatherSlot = noSlot, lateSlot = noSlot;
    int64_t gatheredPs = 0, latePs = 0;
  };
  /// What loops and branches add to a slot.
  struct Inner {
    TimeSlotId slot;
    RegionId region;
    int64_t count = 1;
  };

  void addTime(const SumTerm &term, int64_t timePs);
  BlockCost computeBlock(SlotBlockId block, const Batches &batches) const;
  void addLoops(SlotBlockId block, uint32_t slot, BlockCost &cost, SlotPaths &paths, IssuedPaths &issued) const;
  void updateBlock(SlotBlockId block) { blocks[block] = computeBlock(block, {}); }
  Batches findBatches(RegionId region) const;
  Totals computeRegion(RegionId region) const;
  Totals addTrips(RegionId region, const Totals &once, int64_t count) const;

  const CostModel &model;
  const TimeSlots &slots;
  /// SumTerm::getSum numbers them.
  std::vector<int64_t> sums;
  /// By slot; times of loops and branches inside it.
  IdVector<SlotBlockId, llvm::SmallVector<Inner, 0>> inner;
  IdVector<SlotBlockId, BlockCost> blocks;
  IdVector<RegionId, Totals> regions;
  IdVector<RegionId, uint8_t> isDirty;
  /// Whose costs are not those of their sums.
  IdSet<SlotBlockId> dirty;
  int64_t maxLoopPs;
  /// The most bytes of a batch; 0 if nothing is joined.
  int64_t combineBytes;
  PeakProfile profile;
};

} // namespace partita::cost

#endif
