//===- PartialSums.h - which nodes carry partial sums ---------------------===//
//
// A split reduction gives a partial sum over the axis: each device holds a term.
// Sums are linear, so the value need not be reduced at once: an add of partial
// sums is a partial sum. At the end of a step on an axis, nodes that have no
// factor on the axis may carry the sum:
//
//   an add or subtract, if all its operands are partial or zero and carrying
//   the sum saves the reduction of an operand;
//   another linear op, if its operands are partial or zero, and all uses of one
//   of them and of its result carry the sum;
//   a carried value of a loop, if it starts at zero or partial and all its uses
//   in the body carry the sum; if its loop only stacks slices in it, all its
//   uses behind the loop must carry it, too.
//
// The nodes that carry the sum are the greatest set that is consistent with
// itself and that a split reduction reaches. A pin on a cell ends it: the value
// is then reduced, or scattered, there.
//
// So a gradient that a loop adds up is reduced once, behind the loop. A gradient
// that a loop stacks slice by slice is reduced inside it, where it can be
// scattered at once: the stack is never whole. A gradient that nested loops do
// both with (layers in microbatches) is reduced once.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_PARTIALSUMS_H
#define PARTITA_PROPAGATE_PARTIALSUMS_H

#include "partita/Propagate/Assignment.h"
#include "partita/Propagate/PartialSumCarriers.h"
#include "partita/Propagate/Rooms.h"

namespace partita::propagate {

/// Decides at the end of each step which nodes carry partial sums. Keeps its scratch memory between steps, so that a
/// step costs only what it visits: the linear ops around new partial sums.
class PartialSumPropagation {
public:
  explicit PartialSumPropagation(Assignment &assignment);

  /// Assigns `sumFactor` on `axis` to the nodes that carry the sum. `added` are the ops of which this step has split a
  /// factor that is reduced by addition: their results are the new partial sums.
  void run(llvm::ArrayRef<NodeId> added, AxisId axis, uint32_t step);

private:
  /// Bits of a node's mark.
  enum Mark : uint8_t {
    Candidate = 1,
    /// On the worklist.
    Queued = 2,
    /// A partial sum of a split reduction flows into it.
    Reached = 4
  };

  void collectCandidates(llvm::ArrayRef<NodeId> added);
  void removeInconsistent();
  void removeUnreached();

  bool isPinned(CellId cell) const { return assignment.isPinned(topology.getRepresentative(cell), axis); }
  bool isCandidate(NodeId node) const { return (marks[node] & Candidate) != 0; }
  bool isEligible(NodeId node) const;
  bool mayBeConsistent(OpId op) const;

  bool carries(NodeId node) const { return isCandidate(node) || assignment.getFactor(node, axis) == sumFactor; }
  bool carries(UseId use) const;
  bool allUsesCarry(CellId cell) const;
  bool isPartial(CellId cell) const;
  bool isConsistent(OpId op) const;
  bool isConsistent(CellId carried) const;

  /// The cell that a candidate defines.
  CellId getValue(NodeId node) const;
  /// Calls `visit` for the nodes whose consistency may depend on whether `node` carries the sum.
  void forEachNeighbor(NodeId node, llvm::function_ref<void(NodeId)> visit) const;
  void removeCandidate(NodeId node);

  Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  AxisId axis;
  IdVector<NodeId, uint8_t> marks;
  /// 1 for nodes that can ever carry a sum (PartialSumCarriers.h).
  IdVector<NodeId, uint8_t> sumCarriers;
  /// Every node that is, or was, a candidate in this step, in the order found.
  std::vector<NodeId> candidates;
  std::vector<NodeId> worklist;
};

} // namespace partita::propagate

#endif
