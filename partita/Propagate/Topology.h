//===- Topology.h - the graph, indexed by nodes, op factors and dims ------===//
//
// Built once from a graph, then const. Propagation and costs use these ids:
//
//   node       an op, or a boundary value: a cell that no single op defines (an
//              argument, a carried value, a branch's result). Ops come first, so
//              an op's NodeId has the number of its OpId
//   op factor  a factor of a node; the factors of a boundary node are its dims
//   dim        a dim of a cell. A tied result shares the dims of its argument,
//              which is its representative, unless the two are given shardings
//              that contradict each other
//
// The topology answers which op factors map to which dims, which ops use and
// define which cells, and which cells are zero or stacked by a loop.
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

/// A dim that an op factor maps to.
struct FactorDim {
  DimId dim;
};

/// The facts about an op factor, together in memory.
struct OpFactorInfo {
  NodeId node;
  /// The ranges of its dims begin here and end where the next op factor's begin.
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
  /// The node of a boundary value; invalid for other cells.
  NodeId getBoundaryNode(CellId cell) const { return boundaryNodes[cell]; }
  /// The cell of a boundary node.
  CellId getBoundaryCell(NodeId node) const { return boundaryCells[node.get() - graph->ops.size()]; }

  /// For a tied result its argument, otherwise `cell` itself.
  CellId getRepresentative(CellId cell) const { return representatives[cell]; }
  /// The op that computes the cell; invalid for boundary values. Of a tied result, the op that computes the result.
  OpId getDefinition(CellId cell) const { return definitions[cell]; }
  /// The identities that define a boundary value: entry and yield, or one for each branch. Empty for other cells.
  llvm::ArrayRef<OpId> getDefinitions(CellId cell) const {
    return getRange(boundaryDefinitions, firstDefinitions[cell.get()], firstDefinitions[cell.get() + 1]);
  }
  /// The node that gives a cell its value: its boundary node or its definition; invalid if there is none.
  NodeId getSource(CellId cell) const { return sources[cell]; }
  /// The number of the cell among its definition's results.
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

  /// The most parts into which the op factor may be split; -1 if it may not be split. A factor of size 1 has 1.
  int64_t getSplitSize(OpFactorId opFactor) const { return splitSizes[opFactor]; }
  /// Whether the factor is reduced by addition.
  bool isAdded(OpFactorId opFactor) const { return opFactors[opFactor].isAdded; }

  /// The lists of `getDims` for all op factors, and of `getOpFactors` for all dims, one after the other.
  llvm::ArrayRef<FactorDim> getAllFactorDims() const { return factorDims; }
  llvm::ArrayRef<OpFactorId> getAllDimOpFactors() const { return dimOpFactors; }
  /// The dims that an op factor maps to.
  llvm::ArrayRef<FactorDim> getDims(OpFactorId opFactor) const {
    return getRange(factorDims, opFactors[opFactor].firstDim, opFactors[getNext(opFactor)].firstDim);
  }
  /// Those of them that belong to cells that the node defines.
  llvm::ArrayRef<FactorDim> getDefinedDims(OpFactorId opFactor) const {
    return getRange(factorDims, opFactors[opFactor].firstDefinedDim, opFactors[getNext(opFactor)].firstDim);
  }
  /// The op factors that map to a dim.
  llvm::ArrayRef<OpFactorId> getOpFactors(DimId dim) const {
    return getRange(dimOpFactors, firstDimOpFactors[dim.get()], firstDimOpFactors[dim.get() + 1]);
  }
  /// Whether the factor is a minor one of some dim, so that others must be split first.
  bool isMinor(OpFactorId opFactor) const { return opFactors[opFactor].isMinor; }
  /// The factors before this one in the dims that it is part of; empty unless it is minor.
  llvm::ArrayRef<uint8_t> getMajors(OpFactorId opFactor) const {
    return getRange(majors, firstMajors[opFactor.get()], firstMajors[opFactor.get() + 1]);
  }
  /// The uses of a cell and of the cells tied to it: positions in Graph::uses.
  llvm::ArrayRef<UseId> getUses(CellId cell) const {
    CellId id = representatives[cell];
    return getRange(cellUses, firstUses[id.get()], firstUses[id.get() + 1]);
  }
  OpId getUser(UseId use) const { return users[use]; }
  /// Whether the cell holds only zeros, whatever the arguments are.
  bool isZero(CellId cell) const { return zeros[cell] != 0; }
  /// Whether the cell is a carried value that its loop only fills slice by slice, as the stacked outputs of `scan`.
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
  /// Has one entry more than there are op factors.
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

/// The uses of `cell` by ops with a result among `results`, ascending.
llvm::SmallVector<UseId> findUses(const Topology &topology, CellId cell, llvm::ArrayRef<CellId> results);

/// Whether a use of a carried value in `region` is part of the loop with this body.
bool isOfLoop(const Graph &graph, RegionId region, RegionId body);

} // namespace partita::propagate

#endif
