//===- PartialSums.h - who takes partial sums on --------------------------===//
//
// A value that a split reduction gives is a partial sum over the axis. Sums are
// linear, so it need not be reduced at once: an add of partial sums is a partial
// sum. At the end of a step on an axis, among the nodes with nothing on it,
//
//   an add or subtract whose operands are all partial or zero takes the sum, if
//   that saves the reduction of an operand;
//   a unary linear op, if its operand is partial and all uses of both take the
//   sum;
//   a carried value, if it starts at zero, or partial, and all its uses in the
//   body take the sum; if its loop only stacks slices in it, all its uses behind
//   the loop, too.
//
// So gradients that a loop adds up are reduced once, behind it, and gradients
// that it stacks slice by slice in it, where they can be scattered at once: the
// stack is never whole. Both together (layers in microbatches) are reduced once.
//
// The greatest set that agrees with itself takes it. A pin on a cell ends it:
// the value is then reduced, or scattered, there.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROPAGATE_PARTIALSUMS_H
#define PARTITA_PROPAGATE_PARTIALSUMS_H

#include "partita/Propagate/Assignment.h"
#include "partita/Propagate/PartialSumCarriers.h"
#include "partita/Propagate/Rooms.h"

namespace partita::propagate {

/// Lets nodes take sums at the end of steps. Keeps its scratch between them, so that a step costs what it looks at:
/// linear ops around new partial sums.
class PartialSumPropagation {
public:
  explicit PartialSumPropagation(Assignment &assignment);

  /// Lets nodes take the sum over `axis` (`sumFactor`), starting from the ops that have just come to give partial sums.
  void run(llvm::ArrayRef<NodeId> added, AxisId axis, uint32_t step);

private:
  /// Bits of a node's mark.
  enum Mark : uint8_t { Supposed = 1, Queued = 2, Fed = 4 };

  bool isPinned(CellId cell) const;

  bool mayTake(NodeId node) const;
  bool mayBePartial(CellId cell) const;
  bool mayAgree(OpId op) const;
  void suppose(NodeId node);
  void supposeUses(CellId cell);
  void supposeAround(NodeId node);

  bool isSupposed(NodeId node) const { return (marks[node] & Supposed) != 0; }
  bool takes(NodeId node) const { return isSupposed(node) || assignment.getFactor(node, axis) == sumFactor; }
  bool takes(UseId use) const;
  bool isPartial(CellId cell) const;
  bool isTakenByAllUses(CellId cell) const;
  bool agrees(OpId op) const;
  bool agrees(CellId carried) const;
  bool agrees(NodeId node) const;

  void enqueue(NodeId node);
  void enqueueAround(CellId cell);
  void takeOut(NodeId node);
  void settle();
  void feed(NodeId node);
  void feedFrom(CellId cell);
  void findFed();
  void dropUnfed();

  Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  AxisId axis;
  IdVector<NodeId, uint8_t> marks;
  /// What may take a sum at all.
  IdVector<NodeId, uint8_t> sumCarriers;
  /// Everything that is or was supposed in this step.
  std::vector<NodeId> seen;
  std::vector<NodeId> queue;
};

/// What an assignment says of partial sums, as bits.
struct PartialSums {
  /// Bit a: the op takes partial operands over axis a and gives a partial result.
  IdVector<OpId, uint32_t> ops;
  /// Bit a: the carried value is a partial sum over axis a.
  IdVector<CellId, uint32_t> carried;
  /// Nothing but zeros: needs no reduction to be whole, and is a partial sum as it is.
  IdVector<CellId, uint8_t> zeros;

  bool takes(OpId op, AxisId axis) const { return (ops[op] >> axis.get() & 1) != 0; }
};

PartialSums derivePartialSums(const Assignment &assignment);

} // namespace partita::propagate

#endif
