//===- CostUnits.h - what is priced together: a value or an op ------------===//
//
// A unit is what one price depends on:
//
//   definition   a result of an op and its uses: its traffic, its reshards, and the
//                memory of each of its copies. If the op is an identity that defines
//                a boundary value or a result of the program: the reshard to that
//                cell's sharding
//   boundary     an argument, carried value or branch result and its uses
//   op           an op that is a kernel of its own: its time
//
// Units depend on node states and on pins. These lists say which unit depends
// on what, so that after a change only the affected units are priced again.
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

  /// Units that depend on the state of a node.
  llvm::ArrayRef<UnitId> getUnits(NodeId node) const {
    return {nodeUnits.data() + firstOfNode[node.get()], firstOfNode[node.get() + 1] - firstOfNode[node.get()]};
  }
  /// Units that depend on the pins of a cell, which must be a representative.
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
  /// For a boundary value its unit; for an op result the unit of its definition.
  IdVector<CellId, UnitId> sources;
  IdVector<OpId, UnitId> opUnits;
  std::vector<uint32_t> firstOfNode, firstOfCell;
  std::vector<UnitId> nodeUnits, cellUnits;
};

} // namespace partita::cost

#endif
