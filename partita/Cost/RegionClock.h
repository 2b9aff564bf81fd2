//===- RegionClock.h - the time that a region takes, slot by slot ---------===//
//
// The formula of CostSums.h as arithmetic. A clock goes through the slots of a
// region and knows when its gathers, its compute and its reductions are done:
//
//   gather   the network, if it did nothing but what compute waits for and gathers
//   compute  the device: each kernel begins when its gathers are done
//   reduce   the network, with the reductions that were issued behind their kernels
//
// At a fence compute waits for the network, and gathers for later kernels begin
// behind it. A segment is what lies between two fences. The gathers of a segment
// run in batches, if the platform joins them: its first gather ends with the
// first batch. How large that is, later slots show; `batched` is when compute is
// done if that batch takes no time.
//
// Without fences (SegmentPaths) the effect of several slots is the longest path
// through them from each of the three to each; behind a fence (BlockPaths) it
// follows from `compute` alone. So the slots of a block are summed up in a few
// numbers, and a clock goes through blocks as it goes through slots.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_REGIONCLOCK_H
#define PARTITA_COST_REGIONCLOCK_H

#include "partita/Cost/Rooms.h"

#include <algorithm>
#include <cstdint>

namespace partita::cost {

/// Collectives of one kind.
struct JoinedCollectives {
  int64_t timePs = 0, bytes = 0;

  void add(const JoinedCollectives &other, int64_t count = 1) {
    timePs += other.timePs * count;
    bytes += other.bytes * count;
  }
};

/// Collectives that are joined, in the order in which they come, as long as their results take at most so many bytes.
/// The first one always takes part.
class CollectiveBatch {
public:
  bool isOpen() const { return isFilling; }
  int64_t getTimePs() const { return content.timePs; }
  /// Whether all of these, in whatever order they come, can be joined.
  bool hasRoom(const JoinedCollectives &next, int64_t combineBytes) const {
    return isFilling && next.bytes <= combineBytes - content.bytes;
  }
  /// Joins it or, if there is no room, ends the batch.
  void add(const JoinedCollectives &next, int64_t combineBytes) {
    if (!isFilling || next.timePs == 0)
      return;
    if (content.timePs == 0 || hasRoom(next, combineBytes))
      content.add(next);
    else
      isFilling = false;
  }
  /// Joins as many whole ones as there is room for, at most `count`. Returns how many.
  int64_t addMany(const JoinedCollectives &each, int64_t count, int64_t combineBytes) {
    if (!isFilling || each.bytes == 0)
      return count;
    count = std::min(count, std::max<int64_t>(0, combineBytes - content.bytes) / each.bytes);
    content.add(each, count);
    return count;
  }

private:
  JoinedCollectives content;
  bool isFilling = true;
};

/// The longest paths through slots without a fence, by what they do at the beginning and at the end.
struct SegmentPaths {
  int64_t gather = 0, compute = 0, reduce = 0;
  int64_t gatherCompute = 0, computeReduce = 0, gatherReduce = 0;
  JoinedCollectives gathers;
  /// Up to the first slot with gathers in `gather`, then in `compute`; 0 if there is none.
  int64_t batched = 0;

  /// Of one kernel. `besidePs` keeps the network busy whatever a path does: exposed communication, and the compute
  /// that hides nothing.
  static SegmentPaths ofKernel(int64_t computePs, int64_t exposedPs, int64_t besidePs, JoinedCollectives gathers,
                               int64_t latePs) {
    SegmentPaths paths;
    paths.gather = besidePs + gathers.timePs;
    paths.compute = computePs + exposedPs;
    paths.reduce = besidePs + latePs;
    paths.gatherCompute = paths.compute + gathers.timePs;
    paths.computeReduce = paths.compute + latePs;
    paths.gatherReduce = paths.gatherCompute + latePs;
    paths.gathers = gathers;
    paths.batched = gathers.timePs > 0 ? paths.compute : 0;
    return paths;
  }

  /// Puts `next` behind these slots.
  void append(const SegmentPaths &next) {
    if (gathers.timePs > 0)
      batched += next.compute;
    else if (next.gathers.timePs > 0)
      batched = gather + next.batched;
    gatherReduce =
        std::max({gather + next.gatherReduce, gatherCompute + next.computeReduce, gatherReduce + next.reduce});
    gatherCompute = std::max(gather + next.gatherCompute, gatherCompute + next.compute);
    computeReduce = std::max(compute + next.computeReduce, computeReduce + next.reduce);
    gather += next.gather;
    compute += next.compute;
    reduce += next.reduce;
    gathers.add(next.gathers);
  }
};

struct BlockPaths;

/// When everything before a point of the region is done.
struct RegionClock {
  int64_t gather = 0, compute = 0, reduce = 0;
  /// Of the segment: whether there was a gather, and the first batch of them. Whoever appends slots also adds to it.
  bool hasGathers = false;
  CollectiveBatch batch;
  int64_t batched = 0;

  /// A clock that begins with compute: no reduction is under way.
  static RegionClock ofCompute() {
    RegionClock clock;
    clock.reduce = INT64_MIN / 4;
    return clock;
  }

  void append(const SegmentPaths &next) {
    if (hasGathers)
      batched += next.compute;
    else if (next.gathers.timePs > 0)
      batched = gather + next.batched;
    reduce = std::max({reduce + next.reduce, compute + next.computeReduce, gather + next.gatherReduce});
    compute = std::max(compute + next.compute, gather + next.gatherCompute);
    gather += next.gather;
    hasGathers |= next.gathers.timePs > 0;
  }
  void append(const BlockPaths &next);

  /// Compute waits for the first batch of the segment's gathers.
  void endSegment() {
    if (hasGathers)
      compute = std::max(compute, batched + batch.getTimePs());
    hasGathers = false;
    batch = {};
  }
  /// Compute stops for `computePs`, in which the network does `networkPs` that nothing passes.
  void addFence(int64_t computePs, int64_t networkPs) {
    endSegment();
    compute += computePs;
    reduce = std::max(reduce + networkPs, compute);
    gather = compute;
  }
  /// When all is done.
  int64_t getEnd() const { return std::max(compute, reduce); }
};

/// The effect of a block's slots.
struct BlockPaths {
  /// Up to the first fence, or all of them.
  SegmentPaths head;
  bool hasFence = false;
  /// From the first fence on, if compute begins it at 0.
  RegionClock rest = RegionClock::ofCompute();
  /// What keeps reductions waiting from the first fence on.
  int64_t restReduce = 0;

  void addFence(int64_t computePs, int64_t networkPs) {
    hasFence = true;
    rest.addFence(computePs, networkPs);
    restReduce += networkPs;
  }
  /// Adds one slot.
  void append(const SegmentPaths &next, int64_t combineBytes) {
    if (!hasFence)
      return head.append(next);
    rest.append(next);
    if (combineBytes > 0)
      rest.batch.add(next.gathers, combineBytes);
    restReduce += next.reduce;
  }
};

/// The batch has been added to up to the first fence.
inline void RegionClock::append(const BlockPaths &next) {
  append(next.head);
  if (!next.hasFence)
    return;
  endSegment();
  reduce = std::max(reduce + next.restReduce, compute + next.rest.reduce);
  gather = compute + next.rest.gather;
  batched = compute + next.rest.batched;
  hasGathers = next.rest.hasGathers;
  batch = next.rest.batch;
  compute += next.rest.compute;
}

} // namespace partita::cost

#endif
