//===- CostUnits.h - what is priced together ------------------------------===//
//
// A unit is what one price depends on: a value with its uses, or an op.
//
//   definition   a result of an op and its uses: its traffic, its reshards, the
//                memory of each of its forms. Of what an identity brings to a
//                place or returns, the reshard to that cell's form
//   place        an argument, carried value or branch result and its uses
//   op           an op that stands alone: its time
//
// Units depend on the rows of nodes and on pins; these lists say which depend on
// what, so that a change prices anew what it touches and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COSTUNITS_H
#define PARTITA_COST_COSTUNITS_H

#include "partita/Cost/FusionPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

using UnitId = Id<struct UnitTag>;

enum class UnitKind : uint8_t { Definition, Boundary, Op };

struct Unit {
  UnitKind kind = UnitKind::Definition;
  /// Definition: the op and the number of its result. Op: the op.
  OpId op;
  uint32_t result = 0;
  CellId cell;
};

class CostUnits {
public:
  CostUnits(const Topology &topology, const FusionPlan &fusion);

  size_t size() const { return units.size(); }
  const Unit &operator[](UnitId id) const { return units[id]; }

  /// Units that the row of a node matters to.
  llvm::ArrayRef<UnitId> getUnits(NodeId node) const {
    return {nodeUnits.data() + firstOfNode[node.get()], firstOfNode[node.get() + 1] - firstOfNode[node.get()]};
  }
  /// Units that the pins of a cell, a representative, matter to.
  llvm::ArrayRef<UnitId> getUnits(CellId cell) const {
    return llvm::ArrayRef(cellUnits).slice(firstOfCell[cell.get()],
                                           firstOfCell[cell.get() + 1] - firstOfCell[cell.get()]);
  }

private:
  using Lists = std::vector<llvm::SmallVector<UnitId, 4>>;

  void addUnits(const FusionPlan &fusion);
  void addDependencies();
  UnitId getSource(CellId cell) const;
  static void pack(const Lists &lists, std::vector<uint32_t> &firsts, std::vector<UnitId> &all);

  const Topology &topology;
  const Graph &graph;
  IdVector<UnitId, Unit> units;
  /// Of places; of op results, the definition.
  IdVector<CellId, UnitId> sources;
  IdVector<OpId, UnitId> opUnits;
  std::vector<uint32_t> firstOfNode, firstOfCell;
  std::vector<UnitId> nodeUnits, cellUnits;
};

} // namespace partita::cost

#endif
