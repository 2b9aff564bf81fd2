//===- DonorPairs.h - arguments whose buffers results take ----------------===//
//
// A donated argument may give its buffer to a result of the same type on every
// device. Who was paired with whom when the program was written says little:
// after planning, donors are paired again: with the result that is tied to it;
// the others, in order, with the first result that is left and has the same type
// and sharding.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_DONORPAIRS_H
#define PARTITA_COST_DONORPAIRS_H

#include "partita/Cost/Rooms.h"
#include "partita/Propagate/Assignment.h"

namespace partita::cost {

class DonorPairs {
public:
  /// Ties are paired; nothing else yet.
  explicit DonorPairs(const Topology &topology);

  /// The donated argument whose buffer a result takes; invalid if it takes none.
  CellId getArgument(CellId result) const { return arguments[result]; }
  /// Whether the sharding of the cell, an argument or result, decides about pairs.
  bool matters(CellId cell) const { return isLoose[cell] != 0; }
  /// Whether pairs depend on the assignment.
  bool isFixed() const { return looseDonors.empty() || looseResults.empty(); }

  /// Pairs what is not tied, as the assignment stands.
  void update(const Assignment &assignment);
  /// For each result that is not tied, in order, its argument: what update decides.
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
  /// Donors that are not tied; of these, and of the results that are left, those that have partners of their type.
  std::vector<CellId> untied, looseDonors, looseResults;
};

} // namespace partita::cost

#endif
