//===- TimeSlots.h - the pieces of the program in which times are summed --===//
//
// The clock (CostSums.h) needs to know what runs before what. The program is cut
// into slots, in program order: each kernel (FusionPlan.h) ends one, each loop
// or branch is one, and a join and a fence of gathers (Overlap.h) begin one. Times of one slot are summed; the
// order of slots counts. The slots of a region follow each other, in blocks of
// at most `blockSize`.
//
//   compound  a loop or branch inside the region
//   elided    layers that a folded program elides, a block of its own. Usually these
//             are periods: the slots in front of it once more for each layer
//   join      an op of the update that needs all gradients, such as the norm that
//             clips them: what is computed behind it waits for all late reductions
//
// In a folded program an op that represents several occurs in several slots: in
// that of the first layer that it represents, in that of the last one and in the
// elided ones between them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_TIMESLOTS_H
#define PARTITA_COST_TIMESLOTS_H

#include "partita/Analysis/LiveTimes.h"
#include "partita/Cost/Overlap.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

using TimeSlotId = Id<struct SlotTag>;
using SlotBlockId = Id<struct SlotBlockTag>;

struct SlotBlock {
  RegionId region;
  /// [first, last) of the slots.
  uint32_t first = 0, last = 0;
  bool beginsWithJoin = false;
  /// Of elided layers: how many, and the first of the blocks in front that are one of them; 0 if there is no such.
  bool isElided = false;
  uint32_t periodBlock = 0;
  int64_t numPeriods = 0;
};

/// `count` executions in a slot.
struct SlotShare {
  TimeSlotId slot;
  int64_t count = 1;
};

using SlotShares = llvm::SmallVector<SlotShare, 2>;

class TimeSlots {
public:
  static constexpr uint32_t blockSize = 16;

  TimeSlots(const Topology &topology, const FusionPlan &fusion, const Overlap &overlap, const LiveTimes &liveTimes);

  size_t getNumSlots() const { return blockOfSlot.size(); }
  size_t getNumBlocks() const { return blocks.size(); }
  const SlotBlock &getBlock(SlotBlockId id) const { return blocks[id]; }
  SlotBlockId getBlockOf(TimeSlotId slot) const { return blockOfSlot[slot]; }
  RegionId getRegion(TimeSlotId slot) const { return blocks[blockOfSlot[slot]].region; }
  bool isCompound(TimeSlotId slot) const { return compound[slot] != 0; }
  /// Whether gathers of the slot and of those behind it begin when compute has come to it.
  bool beginsWithFence(TimeSlotId slot) const { return fenced[slot] != 0; }
  /// [first, last) of the region's blocks.
  std::pair<uint32_t, uint32_t> getBlocks(RegionId region) const { return regionBlocks[region]; }
  /// Where a loop or branch runs in the region around it.
  llvm::ArrayRef<SlotShare> getShares(RegionId region) const { return regionShares[region]; }

  /// How many regions of the whole program a region of a folded one represents.
  int64_t getRuns(RegionId region) const;

  /// The slots in which an op runs, `total` times in all.
  SlotShares getShares(OpId op, int64_t total) const;
  /// The slots of the region in which something is done for each copy of a cell, `total` times in all, at an op that
  /// may be in a loop or branch inside the region, or invalid.
  SlotShares getShares(CellId cell, OpId op, RegionId region, int64_t total) const;

private:
  class Builder;

  SlotShares convert(llvm::ArrayRef<Occurrence> occurrences, int64_t total) const;

  const Graph &graph;
  const LiveTimes &liveTimes;
  IdVector<SlotBlockId, SlotBlock> blocks;
  IdVector<TimeSlotId, SlotBlockId> blockOfSlot;
  IdVector<TimeSlotId, uint8_t> compound, fenced;
  IdVector<RegionId, std::pair<uint32_t, uint32_t>> regionBlocks;
  IdVector<RegionId, SlotShares> regionShares;
  /// The slot of each point, and of the elided ops in front of it; invalid if there are none.
  std::vector<TimeSlotId> pointSlots, elidedSlots;
};

} // namespace partita::cost

#endif
