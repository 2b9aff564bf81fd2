//===- ReachFinder.h - what the splits of a move are ----------------------===//

#ifndef PARTITA_SEARCH_REACHFINDER_H
#define PARTITA_SEARCH_REACHFINDER_H

#include "partita/Propagate/Assignment.h"
#include "partita/Search/Move.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// Sums up what a move split, for seeds and proposals. Made once for a program; everything is referred to.
class ReachFinder {
public:
  ReachFinder(const Topology &topology, const ArgumentGroups &groups);

  /// `splits` are what a move over the axes split in `assignment`.
  MoveReach find(llvm::ArrayRef<NodeId> splits, llvm::ArrayRef<AxisId> axes, const Assignment &assignment) const;
  /// Whether the cell is a sum that branches come back to (Residuals.h).
  bool isResidual(CellId cell) const;
  /// Whether what started at the dim splits a factor that both operands and the result of a product have: experts, a
  /// batch.
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
