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
//                            phase, or elementwise, moving and updating ops (and
//                            carried values) of which the same holds
//
// Gradient reductions are late: gradients are summed up, written into a stack,
// or used by the update. What a layer passes to the next is not late, though it
// is yielded.
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

private:
  void findParameters();
  void findLate();
  bool isLateUse(CellId cell, UseId use) const;

  const Topology &topology;
  const FusionPlan &fusion;
  const Graph &graph;
  IdVector<CellId, uint8_t> parameters, late;
};

} // namespace partita::cost

#endif
