//===- PriceKeys.h - what a unit's price depends on, in words --------------===//
//
// To price is mostly to find that nothing new has to be priced. So what a price
// depends on is written as words that are quick to make and to compare: the rows
// of the unit's nodes (Assignment::getNodeState), and, rarely, what pins say.
//
// A unit is aligned if each dim of its value is the same factor of all its nodes
// and nothing is reduced. If all rows of such a unit are equal, every use takes what
// the definition gives; if the cell fuses, too, there is nothing to price.
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

  /// Nodes whose rows matter to a unit, in ascending order.
  llvm::ArrayRef<NodeId> getNodes(UnitId unit) const {
    return {nodes.data() + firstNodes[unit.get()], firstNodes[unit.get() + 1] - firstNodes[unit.get()]};
  }
  /// Cells whose pins do.
  llvm::ArrayRef<CellId> getCells(UnitId unit) const {
    return llvm::ArrayRef(cells).slice(firstCells[unit.get()], firstCells[unit.get() + 1] - firstCells[unit.get()]);
  }
  /// Results of the program that the unit's value is returned as: whose buffers they take may matter.
  llvm::ArrayRef<CellId> getResults(UnitId unit) const {
    return llvm::ArrayRef(results).slice(firstResults[unit.get()],
                                         firstResults[unit.get() + 1] - firstResults[unit.get()]);
  }
  bool isAlignedAndFused(UnitId unit) const { return alignedAndFused[unit] != 0; }

  /// Whether there are pins, or groups of uses, that matter to a unit.
  bool hasPinsOrGroups(const Assignment &assignment, const Unit &unit, UnitId id) const;
  /// Appends what they say; nothing if there are none.
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
