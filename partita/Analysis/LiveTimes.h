//===- LiveTimes.h - when a value is alive --------------------------------===//
//
// A timeline of the program: points at which memory is counted. Of a plain graph
// each op is one point, in program order; a loop's condition and body stand once,
// between the entries before and whatever follows behind it. A value that comes
// into being outside a loop and is used inside lives to the loop's end, for the
// next iteration needs it too. Branches are alternatives: what lives in one of
// them is not alive in the other.
//
// Of a folded program, points are points of the whole one: each op that stayed
// is one, and each op that stands for several is another where the last of them
// is. From the first to the last of the layers that were cut out, in the order of
// the program, what is alive grows or shrinks by the same amount from layer to
// layer, so the most is alive at one of the two. Of a value that stands for
// several, the copies are counted that are alive in the whole program then.
//
// Consumers ask for ranges and never look into points.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_LIVETIMES_H
#define PARTITA_ANALYSIS_LIVETIMES_H

#include "partita/Analysis/Folding.h"
#include "partita/Analysis/Rooms.h"

namespace partita::analysis {

/// Points [first, last] at which `count` copies are alive.
struct LiveRange {
  uint32_t first = 0, last = 0;
  int32_t count = 1;
  bool operator==(const LiveRange &) const = default;
};

using LiveRanges = llvm::SmallVector<LiveRange, 2>;

/// Whether a value is still alive at the op that uses it last. It is not where the op's result takes its buffer. What
/// all layers give to one kernel, each of its copies is alive until there.
enum class LastUse : uint8_t { Keeps, GivesBuffer, KeepsForAll, GivesBufferForAll };

class LiveTimes {
public:
  explicit LiveTimes(const Topology &topology);
  /// `topology` is of the folded program, `whole` of the other one. All are referred to.
  LiveTimes(const Topology &topology, const Folding &folding, const Topology &whole);

  size_t getNumPoints() const { return numPoints; }

  /// Of a form of the cell's value that comes into being at `from` (invalid: before the program) and is last used at
  /// `to` (invalid: lives to the program's end). None if it gives its buffer away at once.
  LiveRanges getRanges(CellId cell, OpId from, OpId to, LastUse lastUse = LastUse::Keeps) const;

  /// Of what one pass of the loop leaves to the next in its carried value: from the entry `from` to the loop's end, or
  /// to `to`, the last use behind the loop. `body` is the loop's body.
  LiveRanges getCarriedRanges(CellId cell, OpId from, RegionId body, OpId to, LastUse lastUse = LastUse::Keeps) const;

  /// Whether `a` is used, or runs, later than `b`; both of one program.
  static bool isLater(OpId a, OpId b) { return a.get() > b.get(); }

  /// Whether `user` is what follows upon `op` in the next layer of a folded program: a sum over layers, say.
  bool isRecurrence(OpId op, OpId user) const;
  /// Whether the op stands for itself alone.
  bool isSingle(OpId op) const { return !folding || folding->opMembers[op].size() == 1; }

  /// The last op of a region, those of the regions inside included.
  OpId getLastOp(RegionId region) const { return lastOps[region]; }

private:
  /// How many points stand before an op of the whole program, and before the one behind it.
  struct OpPoints {
    uint32_t before = 0, behind = 0;
    bool operator==(const OpPoints &) const = default;
  };

  /// Ops of a chain, one after the other and up to number `end` of it, with the same points: from layer to layer of
  /// those cut out there are none. So there are as many runs for 80 layers as for 8.
  struct Run {
    OpPoints points;
    int32_t end = 0;
  };

  /// What an op of the folded program is in the whole one.
  struct FoldedPoints {
    OpPoints origin, first, last;
  };

  /// The points of the ops that do one thing to the copies of a cell, from copy to copy.
  struct CopyPoints {
    OpPoints points;
    /// The first copy that has other ones.
    uint32_t end = UINT32_MAX;
  };

  OpId findEnd(OpId from, OpId to) const;
  void addPoints(size_t numWholeOps);
  void addRuns();
  OpPoints getPoints(OpId wholeOp) const { return {pointsBefore[wholeOp.get()], pointsBefore[wholeOp.get() + 1]}; }
  CopyPoints getCopyPoints(const CopyOps &ops, OpId op, uint32_t copy, const OpPoints &ofMembers) const;
  LiveRanges getFoldedRanges(CellId cell, OpId from, OpId end, LastUse lastUse) const;

  const Graph *graph;
  size_t numPoints = 0;
  IdVector<RegionId, OpId> lastOps;
  /// Of a folded program only.
  const Folding *folding = nullptr;
  /// For each op of the whole program, and for one more, how many points stand before it.
  std::vector<uint32_t> pointsBefore;
  IdVector<OpId, FoldedPoints> foldedPoints;
  std::vector<Run> runs;
  /// For each of Folding::chainOps, its run.
  std::vector<uint32_t> runOfChainOp;
};

} // namespace partita::analysis

#endif
