//===- DonorPairs.h - which results take donated buffers ------------------===//
//
// A donated argument may give its buffer to a result that has the same type on
// every device. Pairs that the input program states are ignored. After
// planning, a donor is paired with the result that is tied to it; the others,
// in order, with the first unpaired result of the same type and sharding.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_DONORPAIRS_H
#define PARTITA_COST_DONORPAIRS_H

#include "partita/Cost/Rooms.h"
#include "partita/Propagate/Assignment.h"

namespace partita::cost {

class DonorPairs {
public:
  /// Pairs ties only.
  explicit DonorPairs(const Topology &topology);

  /// The donated argument whose buffer a result takes; invalid if it takes none.
  CellId getArgument(CellId result) const { return arguments[result]; }
  /// Whether pairs depend on the sharding of the cell, an argument or result.
  bool matters(CellId cell) const { return isLoose[cell] != 0; }
  /// Whether pairs do not depend on the assignment.
  bool isFixed() const { return looseDonors.empty() || looseResults.empty(); }

  /// Pairs what is not tied, under the current assignment.
  void update(const Assignment &assignment);
  /// For each result that is not tied, in order, the argument that update() gave it.
  std::vector<CellId> getLoosePairs() const;
  void setLoosePairs(llvm::ArrayRef<CellId> pairs);
  llvm::ArrayRef<CellId> getLooseResults() const { return looseResults; }
  /// Donors that no result can take, in order.
  std::vector<CellId> findDropped() const;

private:
  bool isAlike(CellId argument, CellId result) const;

  const Graph *graph;
  IdVector<CellId, CellId> arguments;
  IdVector<CellId, uint8_t> isLoose;
  /// All donors that are not tied; those donors and those results that have a candidate of the same type.
  std::vector<CellId> untied, looseDonors, looseResults;
};

} // namespace partita::cost

#endif
