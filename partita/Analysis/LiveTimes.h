//===- LiveTimes.h - when values are alive --------------------------------===//
//
// A timeline of the program: points at which memory is counted. In a plain graph
// each op is one point, in program order; the condition and body of a loop occur
// once, between the entries before the loop and the ops behind it. A value that
// is defined outside a loop and used inside lives to the loop's end, because the
// next iteration needs it too. Branches are alternatives: a value of one branch is
// not alive in the other.
//
// In a folded program, points are points of the whole one: each op that stayed is
// one, and each op that represents several is another one, at the last of them.
// From the first to the last elided layer, in program order, the live bytes grow
// or shrink by the same amount from layer to layer, so the maximum is at one of
// the two. A value that represents several counts as many copies as are alive in
// the whole program at that point.
//
// What a transfer that overlaps with compute makes or reads is alive for longer
// than its uses say: within the window of the op that it is for. What a product
// reads is alive up to the last op at which the product may run. Windows are ops
// of the whole program (Cost/IssueWindow.h, Cost/LateProducts.h).
//
// Users of this class ask for ranges; what a point is does not matter to them.
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

/// `count` copies of an op run just before a point: the op of the point itself, or the elided ones in front of it.
struct Occurrence {
  uint32_t point = 0;
  int32_t count = 1;
  bool isElided = false;
  bool operator==(const Occurrence &) const = default;
};

using Occurrences = llvm::SmallVector<Occurrence, 4>;

/// Whether a value is still alive at the op that uses it last. With `GivesBuffer` it is not: the op's result takes over
/// its buffer. `ForAll`: one kernel uses the values of all layers, so each copy is alive until then. `Here`: alive at
/// the op alone, even if that may run later.
enum class LastUse : uint8_t { Keeps, GivesBuffer, KeepsForAll, GivesBufferForAll, Here };

/// The first and the last op around an op of the whole program between which a transfer for it may be under way, and
/// the op up to which it may run later than it stands.
struct OpWindow {
  OpId issue, done, latest;
};

/// Which part of the window of the op at which a value is created it is alive in, besides its uses.
enum class WindowPart : uint8_t { None, Before, Behind };

class LiveTimes {
public:
  explicit LiveTimes(const Topology &topology);
  /// `topology` belongs to the folded program, `whole` to the whole one. Keeps references to all of them.
  LiveTimes(const Topology &topology, const Folding &folding, const Topology &whole);

  /// Sets the windows, one for each op of the whole program; without them, the window of an op is the op.
  void setWindows(llvm::ArrayRef<OpWindow> windows);

  const Graph &getWholeGraph() const { return *wholeGraph; }
  /// The op of the whole program that an op of this one stands for, of several the one it was taken from.
  OpId getOrigin(OpId op) const { return folding ? folding->opOrigins[op] : op; }
  /// The op of the whole program up to which that one may run later.
  OpId getLatest(OpId op) const { return windows.empty() ? getOrigin(op) : windows[getOrigin(op)].latest; }
  /// The op of this program that represents an op of the whole one.
  OpId getRepresentative(OpId wholeOp) const { return folding ? folding->foldedOps[wholeOp] : wholeOp; }

  size_t getNumPoints() const { return numPoints; }

  /// The ranges of one sharding of the cell's value that is created at `from` (invalid: before the program) and last
  /// used at `to` (invalid: alive to the program's end). Empty if it gives its buffer away at once.
  LiveRanges getRanges(CellId cell, OpId from, OpId to, LastUse lastUse = LastUse::Keeps,
                       WindowPart part = WindowPart::None) const;

  /// The ranges of the value that one iteration of a loop passes to the next in a carried value: from the entry `from`
  /// to the loop's end, or to `to`, the last use behind the loop. `body` is the loop's body.
  LiveRanges getCarriedRanges(CellId cell, OpId from, RegionId body, OpId to, LastUse lastUse = LastUse::Keeps,
                              WindowPart part = WindowPart::None) const;

  /// Where the ops that `op` represents run, if they are in the same region as it, or if the regions `depth` levels
  /// around them are the same one.
  Occurrences listOccurrences(OpId op, uint32_t depth = 0) const;
  /// Where something that is done at `op` for each copy of the cell runs, in the region of `op`.
  Occurrences listOccurrences(CellId cell, OpId op) const;

  /// Whether `a` runs later than `b`; both belong to the same program.
  static bool isLater(OpId a, OpId b) { return a.get() > b.get(); }

  /// Whether `user` is the counterpart of `op` in the next layer of a folded program, as in a sum over layers.
  bool isRecurrence(OpId op, OpId user) const;
  /// Whether the op represents only itself.
  bool isSingle(OpId op) const { return !folding || folding->opMembers[op].size() == 1; }

  /// The last op of a region, nested regions included.
  OpId getLastOp(RegionId region) const { return lastOps[region]; }

private:
  /// The number of points before an op of the whole program, and before the op that follows it; the same of the first
  /// and the last op of its window; and before the op that follows the last at which it may run.
  struct OpPoints {
    uint32_t before = 0, behind = 0;
    uint32_t issue = 0, done = 0, late = 0;
    bool operator==(const OpPoints &) const = default;
  };

  /// Consecutive ops of a layer chain, up to number `end`, that have the same points: there are no points between
  /// elided layers. So there are as many runs for 80 layers as for 8.
  struct Run {
    OpPoints points;
    int32_t end = 0;
  };

  /// The points of an op of the folded program: of its origin, and of the first and last op that it represents.
  struct FoldedPoints {
    OpPoints origin, first, last;
  };

  /// The points of the ops that correspond to one op for consecutive copies of a cell.
  struct CopyPoints {
    OpPoints points;
    /// The first copy with other points.
    uint32_t end = UINT32_MAX;
  };

  RegionId getOuterRegion(OpId wholeOp, uint32_t depth) const;
  static void addOccurrence(const OpPoints &points, int32_t count, Occurrences &list);
  OpId findEnd(OpId from, OpId to) const;
  void addPoints();
  void addFoldedPoints();
  void addRuns();
  OpPoints getPoints(OpId wholeOp) const;
  CopyPoints getCopyPoints(const CopyOps &ops, OpId op, uint32_t copy, const OpPoints &ofMembers) const;
  LiveRanges getFoldedRanges(CellId cell, OpId from, OpId end, LastUse lastUse, WindowPart part) const;

  const Graph *graph, *wholeGraph;
  size_t numPoints = 0;
  IdVector<RegionId, OpId> lastOps;
  /// By op of the whole program; empty: each op is its own.
  IdVector<OpId, OpWindow> windows;
  /// Set for folded programs only.
  const Folding *folding = nullptr;
  /// For each op of the whole program, and one more, the number of points before it.
  std::vector<uint32_t> pointsBefore;
  IdVector<OpId, FoldedPoints> foldedPoints;
  std::vector<Run> runs;
  /// For each of Folding::chainOps, its run.
  std::vector<uint32_t> runOfChainOp;
};

} // namespace partita::analysis

#endif
