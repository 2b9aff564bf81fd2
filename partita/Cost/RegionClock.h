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
// first batch. How large that is, only the segment's end shows; `batched` is when
// compute is done if that batch takes no time.
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

/// Collectives of one kind that may be joined.
struct JoinedCollectives {
  int64_t timePs = 0, bytes = 0;

  void add(const JoinedCollectives &other, int64_t count = 1) {
    timePs += other.timePs * count;
    bytes += other.bytes * count;
  }
  /// What one batch of them takes, if the results of a batch take at most so many bytes; 0 if nothing is joined.
  int64_t computeBatchPs(int64_t combineBytes) const {
    if (combineBytes == 0 || bytes <= combineBytes)
      return combineBytes == 0 ? 0 : timePs;
    return static_cast<int64_t>(static_cast<__int128>(timePs) * combineBytes / bytes);
  }
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
  /// Of the segment, up to here.
  JoinedCollectives gathers;
  int64_t batched = 0;

  /// A clock that begins with compute: no reduction is under way.
  static RegionClock ofCompute() {
    RegionClock clock;
    clock.reduce = INT64_MIN / 4;
    return clock;
  }

  void append(const SegmentPaths &next) {
    if (gathers.timePs > 0)
      batched += next.compute;
    else if (next.gathers.timePs > 0)
      batched = gather + next.batched;
    reduce = std::max({reduce + next.reduce, compute + next.computeReduce, gather + next.gatherReduce});
    compute = std::max(compute + next.compute, gather + next.gatherCompute);
    gather += next.gather;
    gathers.add(next.gathers);
  }
  void append(const BlockPaths &next, int64_t combineBytes);

  /// Compute waits for the first batch of the segment's gathers.
  void endSegment(int64_t combineBytes) {
    if (gathers.timePs > 0 && combineBytes > 0)
      compute = std::max(compute, batched + gathers.computeBatchPs(combineBytes));
    gathers = {};
  }
  /// Compute stops for `computePs`, in which the network does `networkPs` that nothing passes.
  void addFence(int64_t computePs, int64_t networkPs, int64_t combineBytes) {
    endSegment(combineBytes);
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

  void addFence(int64_t computePs, int64_t networkPs, int64_t combineBytes) {
    hasFence = true;
    rest.addFence(computePs, networkPs, combineBytes);
    restReduce += networkPs;
  }
  void append(const SegmentPaths &next) {
    if (!hasFence)
      return head.append(next);
    rest.append(next);
    restReduce += next.reduce;
  }
};

inline void RegionClock::append(const BlockPaths &next, int64_t combineBytes) {
  append(next.head);
  if (!next.hasFence)
    return;
  endSegment(combineBytes);
  reduce = std::max(reduce + next.restReduce, compute + next.rest.reduce);
  gather = compute + next.rest.gather;
  batched = compute + next.rest.batched;
  gathers = next.rest.gathers;
  compute += next.rest.compute;
}

} // namespace partita::cost

#endif
