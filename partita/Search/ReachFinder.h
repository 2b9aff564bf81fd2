//===- ReachFinder.h - summarizes what a move splits ----------------------===//
//
// From the nodes that a move splits when it is applied alone, derives the
// features that seeds and proposals select by: work, contractions and their
// factors, and whether parameters, lookup tables or the residual sum are split.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_REACHFINDER_H
#define PARTITA_SEARCH_REACHFINDER_H

#include "partita/Propagate/Assignment.h"
#include "partita/Search/Move.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// Summarizes what a move split, for seeds and proposals. Built once for a program; keeps references to its arguments.
class ReachFinder {
public:
  ReachFinder(const Topology &topology, const ArgumentGroups &groups);

  /// `splits` are the nodes that a move over these axes split in `assignment`.
  MoveReach find(llvm::ArrayRef<NodeId> splits, llvm::ArrayRef<AxisId> axes, const Assignment &assignment) const;
  /// Whether the cell is a residual sum (Residuals.h).
  bool isResidual(CellId cell) const;
  /// Whether a split that starts at the dim reaches a batch factor of a contraction, one that both operands and the
  /// result have: experts, a batch.
  bool splitsBatch(DimId root, const MoveReach &reach) const;

private:
  bool splitsRows(OpId id, llvm::ArrayRef<AxisId> axes, const Assignment &assignment) const;

  const Topology &topology;
  const Graph &graph;
  const ArgumentGroups &groups;
  IdVector<OpId, uint8_t> residuals;
  double parameterBytes = 0;
};

} // namespace partita::search

#endif
