//===- ReducedSharding.h - where partial sums are reduced to ------------------===//
//
// A partial sum that uses want reduced is reduced once, behind its definition,
// to a form R from which each group of uses gets what it needs:
//
//   cost(R) = sent(base -> R) + sum over (group, need) of sent(R -> need)
//
// R is one of: a need; what the plan to a need has right behind its last
// reduction; the definition's own sharding, reduced whole; the first axes that
// all needs have in common. It is no larger than the partial sum: what grows
// grows at the uses. The least cost is taken, of equal ones the smallest R, then
// the fewest steps. So one all-reduce serves two uses, uses that want slices get
// a reduce-scatter, and so do those for which gathering behind it costs no more.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_REDUCEDSHARDING_H
#define PARTITA_COST_REDUCEDSHARDING_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// A form and how many groups need it.
struct RequestedSharding {
  PartialSharding form;
  int64_t numGroups = 1;
};

/// `needs` are distinct, not empty, and partial over the same axes: fewer than `base` is.
PartialSharding chooseReducedSharding(llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const PartialSharding &base,
                                      llvm::ArrayRef<RequestedSharding> needs, ReshardPlanner &planner);

} // namespace partita::cost

#endif
