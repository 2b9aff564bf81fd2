//===- Propagation.h - one step, to everything it reaches -----------------===//
//
// A step has an axis and roots (dims of cells). Reach is the least set that
// holds the roots and is closed under: dim to the open opFactors that map to it,
// opFactor to the dims it maps to. It does not enter cells that are atomic or cut.
// Nodes with several reached opFactors are conflicted; conflicted nodes that share a
// cell with two reached dims must agree dim by dim, and the classes of opFactors
// that agree are the sides of a conflict. A side is chosen if a tile or a
// `side` stands on one of its dims and on none of another side's. Sides that
// lose to a chosen one are closed and reach is computed again until nothing is
// left to choose; the conflicts that then remain are recorded and all their
// sides closed. Each node takes the opFactor that reaches it in the end, and partial
// sums are taken on (PartialSums.h). The result is a set, whatever the order of
// the work.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_PROPAGATION_H
#define PARTITA_PROPAGATE_PROPAGATION_H

#include "partita/Propagate/PartialSums.h"
#include "partita/Propagate/Rooms.h"

#include <optional>

namespace partita::propagate {

struct ConflictSide {
  /// Dims that are alike on this side, in ascending order.
  std::vector<DimId> dims;
  /// OpFactors of the conflicted nodes, in ascending order.
  std::vector<OpFactorId> opFactors;
  bool operator==(const ConflictSide &) const = default;
};

/// Ops that a step reaches on two factors, and the consistent ways out.
struct Conflict {
  AxisId axis;
  uint32_t step = 0;
  /// Conflicted nodes, in ascending order.
  std::vector<NodeId> nodes;
  std::vector<ConflictSide> sides;
  bool operator==(const Conflict &) const = default;
};

struct StepOutcome {
  /// Nodes that took a factor, in the order in which they were reached.
  std::vector<NodeId> assigned;
  /// Conflicts that nothing decided.
  std::vector<Conflict> conflicts;
};

/// Runs steps on an assignment. Holds what steps need beside it, so that a step costs what it touches.
class Propagation {
public:
  explicit Propagation(Assignment &assignment);

  /// A choice between sides: counts for every later step on the axis.
  void addChoice(DimId dim, AxisId axis) { assignment.choose(dim, axis); }
  /// Cuts hold until they are cleared at the end of a tactic.
  void addCut(CellId cell, AxisId axis);
  void clearCuts();
  bool isCut(CellId cell, AxisId axis) const;

  /// Why `axis` cannot split `dim` of a cell now, for people; empty if it can. A split that holds already is fine.
  /// `spreadsNowhere`: cuts do not matter, for the cell is to be bound and nothing else.
  std::string explainRoot(DimId dim, AxisId axis, bool spreadsNowhere = false) const;
  /// Whether it can: explainRoot says nothing.
  bool canSplit(DimId dim, AxisId axis, bool spreadsNowhere = false) const {
    return findRefusal(dim, axis, spreadsNowhere) == Refusal::None;
  }
  /// The dim of a cell that the axis splits, or -1: what getCellSharding says, without the rest of it.
  int findSplitDim(CellId cell, AxisId axis) const;
  /// Why a cell cannot be pinned whole over `axis` now; empty if it can.
  std::string explainAtomic(CellId cell, AxisId axis) const;

  /// Why `axis` cannot split the factor of an op now; empty if it can. A split that holds already is fine.
  std::string explainFactor(NodeId node, uint8_t factor, AxisId axis) const;

  /// Pins the roots and propagates from them. The roots must pass `explainRoot` and be of different cells. Gives what
  /// it did; `step` is written on everything that it decides.
  StepOutcome run(llvm::ArrayRef<DimId> roots, AxisId axis, uint32_t step);

private:
  /// Why an axis cannot split a dim.
  enum class Refusal : uint8_t { None, Whole, Cut, Closed, OtherDim, Sum, Size };

  /// What reach asks of a opFactor, in one place and small: it goes from opFactor to opFactor in no order that a cache
  /// would know.
  struct ReachFactor {
    uint32_t mark = 0;
    NodeId node;
    /// The opFactor's dims begin here in the topology's list of all and end where the next opFactor's begin.
    uint32_t firstDim = 0;
    /// Bit a: axis a, if it is among the first ones, may split the opFactor of a node that has nothing on any axis and
    /// defines no cell that pins or closed dims say anything of.
    uint16_t plainAxes = 0;
    uint8_t factor = 0;
    bool isAdded = false;
  };
  struct ReachDim {
    uint32_t mark = 0;
    /// The dim's opFactors begin here in the topology's list of all and end where the next dim's begin.
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
  void close(const ConflictSide &side);
  /// Closes the sides that lose to a chosen one; if there are none, all sides of what is left, which is recorded.
  /// Whether there was anything to close.
  bool closeConflicts(AxisId axis, uint32_t step, StepOutcome &outcome);
  /// Before each step, so that the epochs of one step are all different.
  void ensureEpochs();
  /// Each has two numbers.
  uint32_t nextEpoch() { return lastEpoch += 2; }

  Assignment &assignment;
  const Topology &topology;
  const Axes &axes;
  /// Bit a: cut on axis a.
  IdVector<CellId, uint32_t> cuts;
  std::vector<CellId> cutCells;

  // What reach goes along, with its marks: something is reached if its mark is `reachEpoch`. A opFactor is closed, or
  // not open, if it is `closedEpoch`, and a node is reached on several opFactors if it is `reachEpoch` + 1. There is
  // one opFactor and one dim more than the topology has.
  std::vector<ReachFactor> reachFactors;
  std::vector<ReachDim> reachDims;
  IdVector<NodeId, uint32_t> nodeMarks;
  uint32_t lastEpoch = 0, reachEpoch = 0, closedEpoch = 0;
  /// Reached dims whose opFactors are still to be looked at; room for all.
  std::vector<DimId> pendingDims;
  /// What was reached; room for all opFactors.
  std::vector<NodeFactor> reached;
  size_t numReached = 0;
  std::vector<NodeId> conflicted;
  /// Nodes whose results have become partial sums.
  std::vector<NodeId> addedNodes;
  PartialSumPropagation sumPropagation;
};

} // namespace partita::propagate

#endif
