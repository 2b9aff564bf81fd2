//===- Propagation.h - propagates a step to everything it reaches ---------===//
//
// A step has an axis and roots (dims of cells), and splits everything that
// they reach. Reach is the least set that contains the roots and is closed
// under: from a dim to the open op factors that map to it, and from an op
// factor to the dims it maps to. It does not enter cells that are atomic or
// cut.
//
// A node with several reached op factors is conflicted. Conflicted nodes that
// share a cell with two reached dims must agree dim by dim; the classes of op
// factors that agree are the sides of a conflict. A side is chosen if a tile
// or a `side` is on one of its dims and on none of another side's.
//
//   1. compute reach (`computeReach`);
//   2. close the sides that lose to a chosen side, and go to 1;
//   3. if there is none to close, record the remaining conflicts, close all
//      their sides, and go to 1. A step that decides every conflict closes the
//      smaller sides of the nearest ones instead (`ConflictPolicy`);
//   4. if there is no conflict, each node takes the op factor that reaches it,
//      and other nodes may carry partial sums (PartialSums.h).
//
// The result does not depend on the order of the work.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_PROPAGATION_H
#define PARTITA_PROPAGATE_PROPAGATION_H

#include "partita/Propagate/PartialSums.h"
#include "partita/Propagate/Rooms.h"

#include <optional>

namespace partita::propagate {

struct ConflictSide {
  /// Dims that this side splits, in ascending order.
  std::vector<DimId> dims;
  /// Op factors of the conflicted nodes, in ascending order.
  std::vector<OpFactorId> opFactors;
  bool operator==(const ConflictSide &) const = default;
};

/// Nodes that a step reaches on several factors, and the consistent choices.
struct Conflict {
  AxisId axis;
  uint32_t step = 0;
  /// Conflicted nodes, in ascending order.
  std::vector<NodeId> nodes;
  std::vector<ConflictSide> sides;
  bool operator==(const Conflict &) const = default;
};

/// What a step does where no side of a conflict is chosen.
enum class ConflictPolicy : uint8_t {
  /// Records the conflict and splits neither side.
  Record,
  /// Takes the side that comes with more elements. At each conflicted op the values count through which the step
  /// arrives at the side's factor. Conflicts nearest to the roots are decided first, because the sides that lose there
  /// often disappear further on. If both sides have equal elements, the one with the lower dim wins.
  LargerSide,
};

struct StepOutcome {
  /// Nodes that took a factor, in the order in which they were reached.
  std::vector<NodeId> assigned;
  /// Conflicts without a chosen side.
  std::vector<Conflict> conflicts;
};

/// Runs steps on an assignment. Keeps scratch memory between steps, so that the time of a step depends on what it
/// reaches, not on the size of the program.
class Propagation {
public:
  explicit Propagation(Assignment &assignment);

  /// Chooses a dim for conflicts in every later step on the axis.
  void addChoice(DimId dim, AxisId axis) { assignment.choose(dim, axis); }
  /// Cuts hold until they are cleared at the end of a tactic.
  void addCut(CellId cell, AxisId axis);
  void clearCuts();
  bool isCut(CellId cell, AxisId axis) const;

  /// Why `axis` cannot split `dim` of a cell now, as a message; empty if it can. A split that exists already is fine.
  /// `spreadsNowhere`: ignores cuts, because only the cell itself is to be pinned.
  std::string explainRoot(DimId dim, AxisId axis, bool spreadsNowhere = false) const;
  /// Whether it can: explainRoot is empty.
  bool canSplit(DimId dim, AxisId axis, bool spreadsNowhere = false) const {
    return findRefusal(dim, axis, spreadsNowhere) == Refusal::None;
  }
  /// The dim of a cell that the axis splits, or -1. The same as getCellSharding(cell).findAxis(axis), but faster.
  int findSplitDim(CellId cell, AxisId axis) const;
  /// Why a cell cannot be made atomic over `axis` now; empty if it can.
  std::string explainAtomic(CellId cell, AxisId axis) const;

  /// Why `axis` cannot split the factor of an op now; empty if it can. A split that exists already is fine.
  std::string explainFactor(NodeId node, uint8_t factor, AxisId axis) const;

  /// Pins the roots and propagates from them. The roots must pass `canSplit` and belong to different cells. Records
  /// `step` with everything that it decides.
  StepOutcome run(llvm::ArrayRef<DimId> roots, AxisId axis, uint32_t step,
                  ConflictPolicy policy = ConflictPolicy::Record);

private:
  /// Why an axis cannot split a dim.
  enum class Refusal : uint8_t { None, Whole, Cut, Closed, OtherDim, Sum, Size };

  /// What reach needs of an op factor, in one small struct: reach visits op factors in an order that caches cannot
  /// predict.
  struct ReachFactor {
    uint32_t mark = 0;
    NodeId node;
    /// The op factor's dims begin here in Topology::getAllFactorDims and end where the next one's begin.
    uint32_t firstDim = 0;
    /// Bit a, for the first 16 axes: axis a may split the op factor if the node has no factor on any axis and is not
    /// restricted.
    uint16_t plainAxes = 0;
    uint8_t factor = 0;
    bool isAdded = false;
  };
  struct ReachDim {
    uint32_t mark = 0;
    /// The dim's op factors begin here in Topology::getAllDimOpFactors and end where the next dim's begin.
    uint32_t firstOpFactor = 0;
  };

  Refusal findRefusal(DimId dim, AxisId axis, bool spreadsNowhere) const;
  int64_t computePartSize(DimId dim) const;
  bool isOpen(OpFactorId opFactor, AxisId axis) const;
  bool mayEnter(DimId dim, AxisId axis) const;
  bool takesAxis(DimId dim, AxisId axis) const;
  bool isOpenToResults(OpFactorId opFactor, AxisId axis) const;
  bool isTakenAsSum(CellId cell, AxisId axis) const;
  void addReachTables();
  void computeReach(llvm::ArrayRef<DimId> roots, AxisId axis);
  bool isOpenNow(const ReachFactor &opFactor, OpFactorId id, AxisId axis) const;
  std::optional<size_t> findChosenSide(const Conflict &conflict) const;
  void close(llvm::ArrayRef<OpFactorId> opFactors);
  /// Closes the sides that lose to a chosen one. If there are none, closes the smaller sides of the nearest conflicts,
  /// or records the remaining conflicts and closes all their sides. Returns whether it closed any.
  bool closeConflicts(llvm::ArrayRef<DimId> roots, AxisId axis, uint32_t step, ConflictPolicy policy,
                      StepOutcome &outcome);
  /// Called before each step, so that the epochs of one step are all different.
  void ensureEpochs();
  /// An epoch has two numbers.
  uint32_t nextEpoch() { return lastEpoch += 2; }

  Assignment &assignment;
  const Topology &topology;
  const Axes &axes;
  /// Bit a: cut on axis a.
  IdVector<CellId, uint32_t> cuts;
  std::vector<CellId> cutCells;

  // The graph that reach traverses, with its marks. A mark of `reachEpoch` means reached. An op factor with the mark
  // `closedEpoch` is closed or not open; a node with the mark `reachEpoch` + 1 is reached on several op factors. Both
  // tables have one entry more than the topology.
  std::vector<ReachFactor> reachFactors;
  std::vector<ReachDim> reachDims;
  IdVector<NodeId, uint32_t> nodeMarks;
  uint32_t lastEpoch = 0, reachEpoch = 0, closedEpoch = 0;
  /// Reached dims whose op factors are still to be visited; has room for all dims.
  std::vector<DimId> pendingDims;
  /// The reached op factors; has room for all.
  std::vector<NodeFactor> reached;
  size_t numReached = 0;
  std::vector<NodeId> conflicted;
  /// Nodes whose results have become partial sums.
  std::vector<NodeId> addedNodes;
  PartialSumPropagation sumPropagation;
};

} // namespace partita::propagate

#endif
