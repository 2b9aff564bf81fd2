//===- Topology.h - who touches which dim: the graph, indexed -------------===//
//
// Built once from a graph, then const. Nodes are the ops, then the places.
// A slot is a node's factor; a dim is one dim of one cell. Tied results are
// represented by their arguments.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_TOPOLOGY_H
#define PARTITA_PROPAGATE_TOPOLOGY_H

#include "partita/Graph/Graph.h"

namespace partita {

using NodeId = Id<struct NodeTag>;
using SlotId = Id<struct SlotTag>;
using DimId = Id<struct DimTag>;

/// "The dim holds the factor of the slot."
struct SlotDim {
  DimId dim;
};

/// What is asked of a slot, in one place.
struct SlotInfo {
  NodeId node;
  /// Ranges of the slot's dims begin here and end where the next slot's begin.
  uint32_t firstDim = 0, firstDefinedDim = 0;
  uint8_t factor = 0;
  bool isMinor = false;
  bool isAdded = false;
};

class Topology {
public:
  explicit Topology(const Graph &graph);

  const Graph &getGraph() const { return *graph; }
  size_t getNumNodes() const { return firstSlots.size() - 1; }
  size_t getNumSlots() const { return slots.size() - 1; }
  size_t getNumDims() const { return dimCells.size(); }

  bool isOp(NodeId node) const { return node.get() < graph->ops.size(); }
  OpId getOp(NodeId node) const { return OpId(node.get()); }
  NodeId getNode(OpId op) const { return NodeId(op.get()); }
  /// The place of a cell that no single op defines; invalid for others.
  NodeId getPlace(CellId cell) const { return places[cell]; }
  /// The cell of a place.
  CellId getPlaceCell(NodeId place) const { return placeCells[place.get() - graph->ops.size()]; }

  /// The cell that stands for `cell`: of a tied result, its argument.
  CellId getRepresentative(CellId cell) const { return representatives[cell]; }
  /// The op that defines an op's result; invalid for places. (Of a tied result, what computes it.)
  OpId getDefinition(CellId cell) const { return definitions[cell]; }
  /// The identities that bring values to a place: entry and yield, or one of each branch. Empty for other cells.
  llvm::ArrayRef<OpId> getDefinitions(CellId cell) const {
    return getRange(placeDefinitions, firstDefinitions[cell.get()], firstDefinitions[cell.get() + 1]);
  }
  /// The node that gives a cell its value: its place or its definition; invalid if nothing does.
  NodeId getSource(CellId cell) const { return sources[cell]; }
  /// Which of its definition's results a cell is.
  uint32_t getResultNumber(CellId cell) const { return resultNumbers[cell]; }

  /// Dim `dim` of the representative of `cell`.
  DimId getDim(CellId cell, uint32_t dim) const { return DimId(firstDims[representatives[cell]] + dim); }
  CellId getCell(DimId dim) const { return dimCells[dim]; }
  uint32_t getDimNumber(DimId dim) const { return dim.get() - firstDims[dimCells[dim]]; }

  llvm::ArrayRef<Factor> getFactors(NodeId node) const;
  uint32_t getNumSlots(NodeId node) const { return firstSlots[node.get() + 1] - firstSlots[node.get()]; }
  SlotId getSlot(NodeId node, uint8_t factor) const { return SlotId(firstSlots[node.get()] + factor); }
  NodeId getNode(SlotId slot) const { return slots[slot].node; }
  uint8_t getFactor(SlotId slot) const { return slots[slot].factor; }

  /// How many parts the slot's factor may be split into; -1 if it may not. Nothing is left to split of a factor of 1.
  int64_t getSplitSize(SlotId slot) const { return splitSizes[slot]; }
  /// Whether the slot's factor is reduced by addition.
  bool isAdded(SlotId slot) const { return slots[slot].isAdded; }

  /// Of all slots, and of all dims, one after the other.
  llvm::ArrayRef<SlotDim> getAllSlotDims() const { return slotDims; }
  llvm::ArrayRef<SlotId> getAllDimSlots() const { return dimSlots; }
  /// The dims that a slot maps to.
  llvm::ArrayRef<SlotDim> getDims(SlotId slot) const {
    return getRange(slotDims, slots[slot].firstDim, slots[getNext(slot)].firstDim);
  }
  /// Those of them that are dims of what the node defines.
  llvm::ArrayRef<SlotDim> getDefinedDims(SlotId slot) const {
    return getRange(slotDims, slots[slot].firstDefinedDim, slots[getNext(slot)].firstDim);
  }
  /// The slots that map to a dim.
  llvm::ArrayRef<SlotId> getSlots(DimId dim) const {
    return getRange(dimSlots, firstDimSlots[dim.get()], firstDimSlots[dim.get() + 1]);
  }
  /// Whether the slot's factor is a minor one of some dim, and so needs others to be split first.
  bool isMinor(SlotId slot) const { return slots[slot].isMinor; }
  /// The factors before the slot's one in the dims it is part of; empty unless it is minor.
  llvm::ArrayRef<uint8_t> getMajors(SlotId slot) const {
    return getRange(majors, firstMajors[slot.get()], firstMajors[slot.get() + 1]);
  }
  /// Uses of a cell (tied ones together): positions in Graph::uses.
  llvm::ArrayRef<UseId> getUses(CellId cell) const {
    CellId id = representatives[cell];
    return getRange(cellUses, firstUses[id.get()], firstUses[id.get() + 1]);
  }
  OpId getUser(UseId use) const { return users[use]; }
  /// Nothing but zeros, whatever the arguments are.
  bool isZero(CellId cell) const { return zeros[cell] != 0; }
  /// A carried value that its loop fills slice by slice, and does nothing else with: what `scan` stacks.
  bool isStack(CellId cell) const { return stacks[cell] != 0; }

private:
  static SlotId getNext(SlotId slot) { return SlotId(slot.get() + 1); }
  template <typename T> static llvm::ArrayRef<T> getRange(const std::vector<T> &list, uint32_t first, uint32_t end) {
    return llvm::ArrayRef<T>(list.data() + first, end - first);
  }
  void addPlaces();
  void addSlots();
  void addSlotDims();
  void addOpDims(SlotInfo &slot);
  void indexDims();
  void indexUses();
  void indexDefinitions();
  void findZeros();
  void findStacks();

  const Graph *graph;
  IdVector<CellId, CellId> representatives;
  IdVector<CellId, NodeId> places;
  std::vector<CellId> placeCells;
  std::vector<Factor> placeFactors;
  IdVector<CellId, OpId> definitions;
  IdVector<CellId, NodeId> sources;
  IdVector<CellId, uint32_t> resultNumbers;
  std::vector<uint32_t> firstDefinitions;
  std::vector<OpId> placeDefinitions;
  IdVector<CellId, uint32_t> firstDims;
  IdVector<DimId, CellId> dimCells;
  std::vector<uint32_t> firstSlots;
  /// One more than there are slots.
  IdVector<SlotId, SlotInfo> slots;
  IdVector<SlotId, int64_t> splitSizes;
  std::vector<SlotDim> slotDims;
  std::vector<uint32_t> firstDimSlots;
  std::vector<SlotId> dimSlots;
  std::vector<uint32_t> firstMajors;
  std::vector<uint8_t> majors;
  std::vector<uint32_t> firstUses;
  std::vector<UseId> cellUses;
  IdVector<UseId, OpId> users;
  IdVector<CellId, uint8_t> zeros;
  IdVector<CellId, uint8_t> stacks;
};

/// Whether a use of a carried value in `region` is part of the loop with this body.
bool isOfLoop(const Graph &graph, RegionId region, RegionId body);

} // namespace partita

#endif
