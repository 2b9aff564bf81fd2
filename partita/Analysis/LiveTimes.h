//===- LiveTimes.h - when a value is alive --------------------------------===//
//
// A timeline of the program: points at which memory is counted. Of a plain graph
// each op is one point, in program order; a loop's condition and body stand once,
// between the entries before and whatever follows behind it. A value that comes
// into being outside a loop and is used inside lives to the loop's end, for the
// next iteration needs it too. Branches are alternatives: what lives in one of
// them is not alive in the other.
//
// Consumers ask for ranges and never look into points: of a folded program there
// are several timelines one behind the other, and a value may have several copies
// on each.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_LIVETIMES_H
#define PARTITA_ANALYSIS_LIVETIMES_H

#include "partita/Propagate/Topology.h"

namespace partita {

/// Points [first, last] at which `count` copies are alive.
struct LiveRange {
  uint32_t first = 0, last = 0;
  int32_t count = 1;
  bool operator==(const LiveRange &) const = default;
};

using LiveRanges = llvm::SmallVector<LiveRange, 2>;

/// Whether a value is still alive at the op that uses it last. It is not where the op's result takes its buffer.
enum class LastUse : uint8_t { Keeps, GivesBuffer };

class LiveTimes {
public:
  explicit LiveTimes(const Topology &topology);

  size_t getNumPoints() const { return numPoints; }

  /// Of a value that comes into being at `from` (invalid: before the program) and is last used at `to` (invalid: lives
  /// to the program's end). None if it gives its buffer away at once.
  LiveRanges getRanges(OpId from, OpId to, LastUse lastUse = LastUse::Keeps) const;

  /// Of what one pass of the loop leaves to the next in its carried values: from the entry `from` to the loop's end, or
  /// to `to`, the last use behind the loop. `body` is the loop's body.
  LiveRanges getCarriedRanges(OpId from, RegionId body, OpId to, LastUse lastUse = LastUse::Keeps) const;

  /// Whether `a` is used, or runs, later than `b`; both of one program.
  static bool isLater(OpId a, OpId b) { return a.get() > b.get(); }

  /// The last op of a region, those of the regions inside included.
  OpId getLastOp(RegionId region) const { return lastOps[region]; }

private:
  uint32_t findEnd(OpId from, OpId to) const;

  const Graph *graph;
  size_t numPoints = 0;
  IdVector<RegionId, OpId> lastOps;
};

} // namespace partita

#endif
