//===- CostSums.h - from the prices of units to a cost --------------------===//
//
// Keeps one sum of time for each slot (TimeSlots.h) and kind, and the bytes
// alive at each point. Price entries are added and removed in any order; the
// cost follows from the sums.
//
// A device computes one thing after the other, in program order, and its
// network does one thing at a time. A collective that compute waits for (X)
// stops compute and comes before all others. Gathers of parameters (G) follow
// each other; each must end before its slot computes. Late reductions (O) are
// issued behind their slot and take what time of the network is left. So a
// region takes as long as the longest path through its slots that changes at
// most from gathering to computing, and from that to reducing:
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
// On platforms that have one collective under way at a time
// (Machine/CollectiveOrder.h), X, loops that communicate and fences of gathers
// (Overlap.h) are fences: gathers begin behind the last one before their slot. A path may change from computing
// back to gathering there. What lies between two fences is a segment.
//
// Where the platform joins collectives, gathers and reductions run in batches.
// Of a segment's gathers the first batch ends before the first slot that needs
// one of them. Of the reductions of straight code, before a join if there is one,
// compute waits for the last batch: XLA places the updates of all parameters
// behind it. What a slot gathers or reduces is not split between batches. Where an
// iteration waits for its reductions (LoopReductions.h), they come behind all of it.
//
// Permutes beside a product (ProductPieces.h) run while its slot computes: the
// network gathers and reduces nothing else in their time.
//
// A block of slots is summed up in a few numbers (RegionClock.h); so a change
// costs its block, and a few additions for each block of its region and of those
// around it. Where a folded program elides layers, the clock goes through the
// slots of the layer before them once more and then on by as many periods as are
// left: behind a fence all periods take the same time, and without fences the
// longest path is linear in the number of layers.
//
// Where the host takes time to issue kernels and reshards, in program order,
// a path may also begin with issuing (IssuedPaths); the host does not wait for
// the device, so it may be ahead by any number of iterations. Such paths know no
// fences and batches. With a share r < 1 of compute that can hide communication
// (CostOptions::overlapPpm), gathering and reducing also take (1 - r) C.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COSTSUMS_H
#define PARTITA_COST_COSTSUMS_H

#include "partita/Cost/CostTracker.h"
#include "partita/Cost/PeakProfile.h"
#include "partita/Cost/PriceCache.h"
#include "partita/Cost/RegionClock.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// The longest paths that begin with the host's issuing, by what they do at the end.
struct IssuedPaths {
  int64_t issue = 0, gather = 0, compute = 0, reduce = 0;

  /// Of slots in which everything waits until the first of `issuePs` has passed.
  static IssuedPaths ofKernel(int64_t issuePs, const SegmentPaths &paths) {
    return {issuePs, issuePs + paths.gather, issuePs + paths.gatherCompute, issuePs + paths.gatherReduce};
  }

  /// Puts slots behind these that have `next` and, once everything is issued, `paths`.
  void append(const IssuedPaths &next, const SegmentPaths &paths) {
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
  /// Of one execution of a region.
  struct Totals {
    int64_t timePs = 0, computePs = 0, communicationPs = 0;
    /// The host's time, and when all is done if the host begins with the device. 0 where issuing takes no time.
    int64_t issuePs = 0, issuedEndPs = 0;
    bool operator==(const Totals &) const = default;
  };

  /// The sums of a slot, by their kind.
  struct SlotSums {
    explicit SlotSums(const int64_t *sums) : sums(sums) {}
    int64_t get(TimeKind kind) const { return sums[static_cast<size_t>(kind)]; }
    int64_t getExposed() const { return get(TimeKind::Exposed) + get(TimeKind::ExposedBehind); }
    JoinedCollectives getGathers() const { return {get(TimeKind::Gathered), get(TimeKind::GatheredBytes)}; }
    JoinedCollectives getReductions() const { return {get(TimeKind::Late), get(TimeKind::LateBytes)}; }

    const int64_t *sums;
  };

  /// All that a block's slots take, whatever runs beside what.
  struct Amounts {
    int64_t computePs = 0, exposedPs = 0, besidePs = 0;
    JoinedCollectives gathers, reductions;
    /// Of reductions that come behind the iteration.
    int64_t atEndPs = 0;

    void add(const Amounts &other, int64_t count);
    int64_t getCommunicationPs() const { return exposedPs + besidePs + gathers.timePs + reductions.timePs + atEndPs; }
    bool isSameTime(const Amounts &other) const {
      return computePs == other.computePs && exposedPs == other.exposedPs && besidePs == other.besidePs &&
             gathers.timePs == other.gathers.timePs && reductions.timePs == other.reductions.timePs &&
             atEndPs == other.atEndPs;
    }
  };

  struct BlockCost {
    BlockPaths paths;
    Amounts amounts;
    /// The compute that hides nothing.
    int64_t unhiddenPs = 0;
    /// Where issuing takes time: all slots as if there were no fences, and with issuing.
    SegmentPaths unfenced;
    IssuedPaths issued;
  };

  /// Loops and branches inside a slot.
  struct Inner {
    TimeSlotId slot;
    RegionId region;
    int64_t count = 1;
  };

  void addTime(const SumTerm &term, int64_t timePs);
  void updateBlock(SlotBlockId block);
  void addSlot(SlotBlockId block, uint32_t slot, BlockCost &cost) const;
  void addCompound(const SlotSums &sums, const Totals &inner, bool isElided, BlockCost &cost) const;
  Totals computeInner(SlotBlockId block, uint32_t slot) const;
  SlotSums getSlot(uint32_t slot) const { return SlotSums(sums.data() + size_t(slot) * SumTerm::numKinds); }
  bool repeats(SlotBlockId elided) const;
  void joinGathers(SlotBlockId block, CollectiveBatch &batch) const;
  void joinReductions(uint32_t first, uint32_t last, CollectiveBatch &batch) const;
  void addBlock(SlotBlockId block, RegionClock &clock) const;
  void addElided(SlotBlockId elided, RegionClock &clock) const;
  int64_t computeRegionPs(RegionId region) const;
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
  CollectiveOrder order;
  bool isIssued;
  PeakProfile profile;
};

} // namespace partita::cost

#endif
