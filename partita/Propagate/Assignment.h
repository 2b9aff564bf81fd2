//===- Assignment.h - which factor each axis splits, for every op ---------===//
//
// The state of a partitioning. A *node* is an op or a *boundary value*: a cell
// that no single op defines (an argument, a carried value, a branch's result);
// its factors are its dims. The state holds, for each node and axis, the factor
// that the axis splits, or none, and the step that decided it; and for each cell
// and axis a pin, if a tactic tiled the cell itself or made it atomic.
//
// The shardings of all cells follow from that. A tied result has the sharding of
// its argument.
//
// Every change is on a trail: `mark` and `rollback` undo changes, in time
// proportional to their number.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_ASSIGNMENT_H
#define PARTITA_PROPAGATE_ASSIGNMENT_H

#include "partita/Propagate/Rooms.h"
#include "partita/Propagate/Sharding.h"
#include "partita/Propagate/Topology.h"

namespace partita::propagate {

/// No factor.
inline constexpr uint8_t noFactor = 0xFF;
/// The pseudo-factor of linear ops and carried values that carry a partial sum over the axis (PartialSums.h).
inline constexpr uint8_t sumFactor = 0xFE;

enum class PinKind : uint8_t {
  None,
  /// The cell is split along `dim`, even if its definition gives another sharding.
  Tile,
  /// The cell stays whole.
  Atomic,
};

struct Pin {
  PinKind kind = PinKind::None;
  uint8_t dim = 0;
  bool operator==(const Pin &) const = default;
};

enum class ChangeKind : uint8_t { Assign, Pin, Close, Choose, Group };

/// A group of uses of a value, chosen by a plan: uses with the same number share the reshards that move one of the
/// axes, and share them with no others. Number 0 is no group: such uses are grouped by region and phase
/// (Cost/Reshards.h).
struct UseGroup {
  /// One more than the first use of the group.
  uint32_t number = 0;
  /// Bit a: axis a.
  uint32_t axes = 0;
  bool operator==(const UseGroup &) const = default;
};

/// One change on an assignment's trail. Small, because steps write and undo thousands of them.
struct Change {
  ChangeKind kind;
  uint8_t axis;
  uint32_t id;

  /// Invalid for `Close` and `Group`, which concern all axes.
  AxisId getAxis() const { return axis == noAxis ? AxisId() : AxisId(axis); }
  static constexpr uint8_t noAxis = 0xFF;
  /// For `Assign`.
  NodeId getNode() const { return NodeId(id); }
  /// For `Pin`: the representative of the cell (Topology::getRepresentative).
  CellId getCell() const { return CellId(id); }
  /// For `Close` and `Choose`.
  DimId getDim() const { return DimId(id); }
  /// For `Group`.
  UseId getUse() const { return UseId(id); }
};

/// A factor of a node; never `sumFactor`.
struct NodeFactor {
  NodeId node;
  uint8_t factor = 0;
};

class Assignment {
public:
  Assignment(const Topology &topology, const Axes &axes);

  const Topology &getTopology() const { return *topology; }
  const Graph &getGraph() const { return topology->getGraph(); }
  const Axes &getAxes() const { return *axes; }

  uint8_t getFactor(NodeId node, AxisId axis) const {
    uint64_t word = nodeStates[size_t(node.get()) * numStateWords + axis.get() / axesPerWord];
    return uint8_t((word >> getShift(axis.get())) - 1);
  }
  /// The step that decided the factor; 0 if there is none.
  uint32_t getStep(NodeId node, AxisId axis) const { return steps[index(node, axis)]; }
  Pin getPin(CellId cell, AxisId axis) const { return pins[index(cell, axis)].pin; }
  bool isPinned(CellId cell, AxisId axis) const { return (pinnedCells[cell] >> axis.get() & 1) != 0; }
  /// On any axis.
  bool isPinned(CellId cell) const { return pinnedCells[cell] != 0; }
  uint32_t getPinStep(CellId cell, AxisId axis) const { return pins[index(cell, axis)].step; }
  /// Axes that are pinned to the dim, as bits.
  uint32_t getPinnedAxes(DimId dim) const { return dimStates[dim].pinned; }
  /// A closed dim takes no further axis.
  bool isClosed(DimId dim) const { return closedDims[dim] != 0; }
  /// Axes that cannot split the dim, as bits: the cell is atomic over them or pinned along another dim, or the dim is
  /// closed and not pinned to them.
  uint32_t getExcludedAxes(DimId dim) const { return dimStates[dim].excluded; }
  /// Whether a pin or a closed dim restricts the dim.
  bool isRestricted(DimId dim) const { return restrictedDims[dim] != 0; }
  /// Whether any dim that the node defines is restricted.
  bool isRestricted(NodeId node) const { return restrictedNodes[node] != 0; }
  /// Whether a tile or a `side` chose this dim; decides conflicts on the axis.
  bool isChosen(DimId dim, AxisId axis) const { return (choices[dim] >> axis.get() & 1) != 0; }

  /// False only if no use is in a group.
  bool hasUseGroups() const { return !useGroups.empty(); }
  UseGroup getUseGroup(UseId use) const { return useGroups.empty() ? UseGroup() : useGroups[use]; }

  /// Size of the parts into which the op factor is split so far; -1 if it may not be split.
  int64_t getPartSize(OpFactorId opFactor) const;
  /// Whether the node has nothing on any axis.
  bool isWhole(NodeId node) const {
    return numStateWords == 1 ? nodeStates[node.get()] == 0
                              : llvm::all_of(getNodeState(node), [](uint64_t word) { return word == 0; });
  }
  /// The state of a node on all axes, in `getNumStateWords` words with 16 bits for each axis: one more than the factor
  /// that the axis splits, how many axes with smaller numbers the node took before it, and whether the factor is
  /// `sumFactor`. Nodes with equal rules and equal states have equal shardings of all their values.
  llvm::ArrayRef<uint64_t> getNodeState(NodeId node) const {
    return {nodeStates.data() + size_t(node.get()) * numStateWords, numStateWords};
  }
  /// The states of all nodes, one after the other.
  llvm::ArrayRef<uint64_t> getNodeStates() const { return nodeStates; }
  uint32_t getNumStateWords() const { return numStateWords; }
  static bool hasSum(uint64_t stateWord) { return (stateWord & 0x8000'8000'8000'8000u) != 0; }

  /// The number of parts into which the factor is split.
  int64_t getParts(NodeId node, uint8_t factor) const;
  /// Axes of a factor, major to minor: in the order of their steps.
  DimAxes getFactorAxes(NodeId node, uint8_t factor) const;

  /// The sharding in which the op takes its operand, or gives its result, number `value` (operands first, then
  /// results).
  Sharding getValueSharding(OpId op, uint32_t value) const;
  /// The sharding of a cell: that of its definition or boundary node, overridden by the cell's pins. The axes of a dim
  /// are in the order of the steps that first put them there.
  Sharding getCellSharding(CellId cell) const;
  /// Whether the value of a cell is a partial sum over the axis: its source reduces a split factor by addition or
  /// carries a sum, and the cell is not pinned on the axis.
  bool isPartialSum(CellId cell, AxisId axis) const;
  /// Axes over which the results of `op` are partial because it splits a reduced factor, in ascending order.
  llvm::SmallVector<AxisId, 2> getReducedAxes(OpId op) const;
  /// The combiner of the op's reduced factors that are split; None if there are none.
  Combiner getCombiner(OpId op) const;

  // Changes. Each is undone by rollback.
  void assign(NodeId node, AxisId axis, uint8_t factor, uint32_t step);
  /// Assigns the factors of different nodes, in order.
  void assign(llvm::ArrayRef<NodeFactor> list, AxisId axis, uint32_t step);
  /// `cell` must be a representative (Topology::getRepresentative). An equal pin that exists already keeps its step.
  void pin(CellId cell, AxisId axis, Pin pin, uint32_t step);
  void close(DimId dim);
  void choose(DimId dim, AxisId axis);
  /// Puts uses of one value, in ascending order, into one group; they leave their former groups.
  void groupUses(llvm::ArrayRef<UseId> uses, llvm::ArrayRef<AxisId> groupAxes);

  size_t mark() const { return trail.size(); }
  void rollback(size_t mark);
  /// The changes since a mark, in order; a rollback to `mark` undoes exactly these. Valid until the next change.
  llvm::ArrayRef<Change> getChanges(size_t mark) const { return llvm::ArrayRef(trail).drop_front(mark); }

  /// Whether both have the same decisions. The steps may differ, except for the order of axes on one factor.
  bool isEquivalent(const Assignment &other) const;

private:
  struct PinEntry {
    Pin pin;
    uint32_t step = 0;
  };
  /// The number of devices of an axis. Most are powers of two, and a division would take longer than everything else
  /// that is computed for an op factor.
  struct AxisSize {
    int64_t size = 1;
    /// -1 if the size is not a power of two.
    int8_t log2 = 0;
  };
  struct DimState {
    uint32_t pinned = 0, excluded = 0;
  };

  /// Appends the axes of each dim's factors, major to minor, to `sharding`.
  void addFactorAxes(NodeId node, llvm::ArrayRef<DimFactor> dimFactors, uint32_t value, Sharding &sharding) const;
  void setPin(CellId cell, AxisId axis, PinEntry entry);
  void unassign(NodeId node, AxisId axis);
  void addToState(NodeId node, AxisId axis, uint8_t factor);
  void removeFromState(NodeId node, AxisId axis);
  void undo(const Change &change);
  void setClosed(DimId dim, bool isClosed);
  /// Updates `dimStates` of a cell's dims from its pins on the axis and from closed dims.
  void updateDims(CellId cell, AxisId axis);
  void updateNodes(DimId dim);
  void applyPins(CellId cell, NodeId definition, Sharding &sharding) const;

  static constexpr uint32_t axesPerWord = 4;
  /// Where the bits of an axis begin in its state word.
  static uint32_t getShift(uint32_t axis) { return axis % axesPerWord * 16; }
  uint64_t *editState(NodeId node) { return nodeStates.data() + size_t(node.get()) * numStateWords; }
  size_t index(NodeId node, AxisId axis) const { return size_t(node.get()) * numAxes + axis.get(); }
  size_t index(CellId cell, AxisId axis) const { return size_t(cell.get()) * numAxes + axis.get(); }

  const Topology *topology;
  const Axes *axes;
  uint32_t numAxes, numStateWords;
  llvm::SmallVector<AxisSize, 4> axisSizes;
  // Steps read mostly the states of many nodes, so these are kept small.
  std::vector<uint64_t> nodeStates;
  std::vector<uint32_t> steps;
  std::vector<PinEntry> pins;
  /// Bit a: pinned on axis a.
  IdVector<CellId, uint32_t> pinnedCells;
  IdVector<DimId, uint8_t> closedDims;
  IdVector<DimId, DimState> dimStates;
  IdVector<DimId, uint8_t> restrictedDims;
  IdVector<NodeId, uint8_t> restrictedNodes;
  /// Bit a: chosen on axis a.
  IdVector<DimId, uint32_t> choices;
  /// Empty while there are none.
  IdVector<UseId, UseGroup> useGroups;
  llvm::SmallVector<Change, 0> trail;
  /// The previous values of pins and groups on the trail.
  llvm::SmallVector<PinEntry, 0> oldPins;
  llvm::SmallVector<UseGroup, 0> oldGroups;
};

} // namespace partita::propagate

#endif
