//===- PriceKeys.h - what a unit's price depends on, as words -------------===//
//
// Most pricing finds a price that is known already. So the key of a price is a
// list of words that are quick to build and compare: the states of the unit's
// nodes (Assignment::getNodeState) and, rarely, pins, use groups and donor
// pairs.
//
// A unit is aligned if each dim of its value is the same factor in all its
// nodes and nothing is reduced. If all node states of such a unit are equal,
// every use takes the value as it is defined. If the cell also fuses, there is
// nothing to price.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_PRICEKEYS_H
#define PARTITA_COST_PRICEKEYS_H

#include "partita/Cost/CostUnits.h"
#include "partita/Cost/Rooms.h"
#include "partita/Propagate/Assignment.h"

namespace partita::cost {

class PriceKeys {
public:
  PriceKeys(const Topology &topology, const Axes &axes, const FusionPlan &fusion, const CostUnits &units);

  /// The nodes on whose states a unit depends, in ascending order.
  llvm::ArrayRef<NodeId> getNodes(UnitId unit) const {
    return {nodes.data() + firstNodes[unit.get()], firstNodes[unit.get() + 1] - firstNodes[unit.get()]};
  }
  /// The cells on whose pins a unit depends.
  llvm::ArrayRef<CellId> getCells(UnitId unit) const {
    return llvm::ArrayRef(cells).slice(firstCells[unit.get()], firstCells[unit.get() + 1] - firstCells[unit.get()]);
  }
  /// The results of the program that return the unit's value. Its price may depend on their donor pairs.
  llvm::ArrayRef<CellId> getResults(UnitId unit) const {
    return llvm::ArrayRef(results).slice(firstResults[unit.get()],
                                         firstResults[unit.get() + 1] - firstResults[unit.get()]);
  }
  bool isAlignedAndFused(UnitId unit) const { return alignedAndFused[unit] != 0; }

  /// Whether a unit currently depends on pins or use groups.
  bool hasPinsOrGroups(const Assignment &assignment, const Unit &unit, UnitId id) const;
  /// Appends them to the key; nothing if there are none.
  void addPinsAndGroups(const Assignment &assignment, const Unit &unit, UnitId id,
                        llvm::SmallVectorImpl<uint64_t> &key) const;

private:
  void addNodes(const CostUnits &units);
  void addResults(const CostUnits &units);
  void addPins(const Assignment &assignment, CellId cell, llvm::SmallVectorImpl<uint64_t> &key) const;
  llvm::SmallVector<uint8_t, 8> findFactors(OpId op, uint32_t value) const;
  bool isAligned(const Unit &unit) const;

  const Topology &topology;
  const Graph &graph;
  uint32_t numAxes;
  std::vector<uint32_t> firstNodes, firstCells, firstResults;
  std::vector<NodeId> nodes;
  std::vector<CellId> cells, results;
  IdVector<UnitId, uint8_t> alignedAndFused;
};

} // namespace partita::cost

#endif
