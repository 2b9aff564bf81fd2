//===- Topology.h - who touches which dim: the graph, indexed -------------===//
//
// Built once from a graph, then const. Nodes are the ops, then the boundaryNodes.
// A opFactor is a node's factor; a dim is one dim of one cell. Tied results are
// represented by their arguments.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_TOPOLOGY_H
#define PARTITA_PROPAGATE_TOPOLOGY_H

#include "partita/Graph/Graph.h"
#include "partita/Propagate/Rooms.h"

namespace partita::propagate {

using NodeId = Id<struct NodeTag>;
using OpFactorId = Id<struct OpFactorTag>;
using DimId = Id<struct DimTag>;

/// "The dim holds the factor of the opFactor."
struct FactorDim {
  DimId dim;
};

/// What is asked of a opFactor, in one place.
struct OpFactorInfo {
  NodeId node;
  /// Ranges of the opFactor's dims begin here and end where the next opFactor's begin.
  uint32_t firstDim = 0, firstDefinedDim = 0;
  uint8_t factor = 0;
  bool isMinor = false;
  bool isAdded = false;
};

class Topology {
public:
  explicit Topology(const Graph &graph);

  const Graph &getGraph() const { return *graph; }
  size_t getNumNodes() const { return firstOpFactors.size() - 1; }
  size_t getNumOpFactors() const { return opFactors.size() - 1; }
  size_t getNumDims() const { return dimCells.size(); }

  bool isOp(NodeId node) const { return node.get() < graph->ops.size(); }
  OpId getOp(NodeId node) const { return OpId(node.get()); }
  NodeId getNode(OpId op) const { return NodeId(op.get()); }
  /// The place of a cell that no single op defines; invalid for others.
  NodeId getBoundaryNode(CellId cell) const { return boundaryNodes[cell]; }
  /// The cell of a place.
  CellId getBoundaryCell(NodeId place) const { return boundaryCells[place.get() - graph->ops.size()]; }

  /// The cell that stands for `cell`: of a tied result, its argument.
  CellId getRepresentative(CellId cell) const { return representatives[cell]; }
  /// The op that defines an op's result; invalid for boundaryNodes. (Of a tied result, what computes it.)
  OpId getDefinition(CellId cell) const { return definitions[cell]; }
  /// The identities that bring values to a place: entry and yield, or one of each branch. Empty for other cells.
  llvm::ArrayRef<OpId> getDefinitions(CellId cell) const {
    return getRange(boundaryDefinitions, firstDefinitions[cell.get()], firstDefinitions[cell.get() + 1]);
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
  uint32_t getNumOpFactors(NodeId node) const { return firstOpFactors[node.get() + 1] - firstOpFactors[node.get()]; }
  OpFactorId getOpFactor(NodeId node, uint8_t factor) const { return OpFactorId(firstOpFactors[node.get()] + factor); }
  NodeId getNode(OpFactorId opFactor) const { return opFactors[opFactor].node; }
  uint8_t getFactor(OpFactorId opFactor) const { return opFactors[opFactor].factor; }

  /// How many parts the opFactor's factor may be split into; -1 if it may not. Nothing is left to split of a factor
  /// of 1.
  int64_t getSplitSize(OpFactorId opFactor) const { return splitSizes[opFactor]; }
  /// Whether the opFactor's factor is reduced by addition.
  bool isAdded(OpFactorId opFactor) const { return opFactors[opFactor].isAdded; }

  /// Of all opFactors, and of all dims, one after the other.
  llvm::ArrayRef<FactorDim> getAllFactorDims() const { return factorDims; }
  llvm::ArrayRef<OpFactorId> getAllDimOpFactors() const { return dimOpFactors; }
  /// The dims that a opFactor maps to.
  llvm::ArrayRef<FactorDim> getDims(OpFactorId opFactor) const {
    return getRange(factorDims, opFactors[opFactor].firstDim, opFactors[getNext(opFactor)].firstDim);
  }
  /// Those of them that are dims of what the node defines.
  llvm::ArrayRef<FactorDim> getDefinedDims(OpFactorId opFactor) const {
    return getRange(factorDims, opFactors[opFactor].firstDefinedDim, opFactors[getNext(opFactor)].firstDim);
  }
  /// The opFactors that map to a dim.
  llvm::ArrayRef<OpFactorId> getOpFactors(DimId dim) const {
    return getRange(dimOpFactors, firstDimOpFactors[dim.get()], firstDimOpFactors[dim.get() + 1]);
  }
  /// Whether the opFactor's factor is a minor one of some dim, and so needs others to be split first.
  bool isMinor(OpFactorId opFactor) const { return opFactors[opFactor].isMinor; }
  /// The factors before the opFactor's one in the dims it is part of; empty unless it is minor.
  llvm::ArrayRef<uint8_t> getMajors(OpFactorId opFactor) const {
    return getRange(majors, firstMajors[opFactor.get()], firstMajors[opFactor.get() + 1]);
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
  static OpFactorId getNext(OpFactorId opFactor) { return OpFactorId(opFactor.get() + 1); }
  template <typename T> static llvm::ArrayRef<T> getRange(const std::vector<T> &list, uint32_t first, uint32_t end) {
    return llvm::ArrayRef<T>(list.data() + first, end - first);
  }
  void addBoundaryNodes();
  void addOpFactors();
  void addFactorDims();
  void addOpDims(OpFactorInfo &opFactor);
  void indexDims();
  void indexUses();
  void indexDefinitions();
  void findZeros();
  void findStacks();

  const Graph *graph;
  IdVector<CellId, CellId> representatives;
  IdVector<CellId, NodeId> boundaryNodes;
  std::vector<CellId> boundaryCells;
  std::vector<Factor> boundaryFactors;
  IdVector<CellId, OpId> definitions;
  IdVector<CellId, NodeId> sources;
  IdVector<CellId, uint32_t> resultNumbers;
  std::vector<uint32_t> firstDefinitions;
  std::vector<OpId> boundaryDefinitions;
  IdVector<CellId, uint32_t> firstDims;
  IdVector<DimId, CellId> dimCells;
  std::vector<uint32_t> firstOpFactors;
  /// One more than there are opFactors.
  IdVector<OpFactorId, OpFactorInfo> opFactors;
  IdVector<OpFactorId, int64_t> splitSizes;
  std::vector<FactorDim> factorDims;
  std::vector<uint32_t> firstDimOpFactors;
  std::vector<OpFactorId> dimOpFactors;
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

} // namespace partita::propagate

#endif
