//===- Overlap.h - which collectives may hide behind compute --------------===//
//
// Depends on the program alone. Two kinds may:
//
//   gathers of parameters    the value is an argument, a value that a loop passes
//                            on unchanged, or moved, sliced or converted from
//                            such: it can be gathered while something else is
//                            computed
//   late reductions          nothing in the same phase waits for the value:
//                            all its uses are tied results, ops of another
//                            phase, or elementwise, moving, updating and reducing
//                            ops (and carried values) of which the same holds
//
// Gradient reductions are late: gradients are summed up, written into a stack,
// or used by the update. What a layer passes to the next is not late, though it
// is yielded.
//
// A late reduction of a value whose first use is a barrier stands behind that
// barrier, and so does that of a number: a barrier orders compute, and what was
// reduced would have to be there before it. Not in loops without a join, where a
// reduction has a barrier of its own (Lower).
//
// Gathers do not pass a barrier that a parameter passes: what a cone recomputes
// (Remat) reads its weights behind a barrier, and XLA schedules no gather across
// it but those of the cone, which wait for the barrier. Such a barrier is a fence
// of gathers. Its ops, one for each value, follow each other; the last is the fence.
// Reductions of late values wait for no other op, and neither does the fence for them.
//
// A join is the first op of the update that depends on all gradients which the
// update takes, if some tied result depends on it in turn: the norm that clips
// them, say. All that follows it waits for all late reductions.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_OVERLAP_H
#define PARTITA_COST_OVERLAP_H

#include "partita/Cost/FusionPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

class Overlap {
public:
  Overlap(const Topology &topology, const FusionPlan &fusion);

  bool isParameter(CellId cell) const { return parameters[cell] != 0; }
  bool isLate(CellId cell) const { return late[cell] != 0; }
  bool isJoin(OpId op) const { return op == join; }
  bool hasJoin() const { return join.isValid(); }
  OpId getJoin() const { return join; }
  /// The barrier behind which a reduction of the cell's value stands; invalid if there is none.
  OpId getBarrier(CellId cell) const { return barriers[cell]; }
  /// Whether a reduction of what passes this barrier stands behind it.
  bool isPassedUnreduced(OpId barrier) const { return barriers[graph.getOperands(barrier)[0]] == barrier; }
  bool isGatherFence(OpId op) const { return fences[op] != 0; }
  /// Whether a fence of gathers waits for the op, which is part of it.
  bool isAwaitedByFence(OpId op) const { return awaited[op] != 0; }

private:
  void findParameters();
  void findLate();
  void findJoin();
  void findBarriers();
  void findGatherFences();
  OpId getLastDefinition(CellId cell) const;
  bool isGradient(CellId cell, OpId user) const;
  IdVector<OpId, uint8_t> findUseful() const;
  bool isLateUse(CellId cell, UseId use) const;

  const Topology &topology;
  const FusionPlan &fusion;
  const Graph &graph;
  IdVector<CellId, uint8_t> parameters, late;
  /// Invalid if there is none.
  OpId join;
  IdVector<CellId, OpId> barriers;
  /// Of gathers.
  IdVector<OpId, uint8_t> fences, awaited;
};

} // namespace partita::cost

#endif
