//===- ReducedSharding.h - where a partial sum is reduced to --------------===//
//
// A partial sum that uses require reduced is reduced once, after its
// definition, to a sharding R from which each group of uses gets the sharding
// it requires:
//
//   cost(R) = sent(base -> R) + sum over (group, required) of sent(R -> required)
//
// R is one of: a required sharding; the sharding right after the last reduction
// in the plan to a required one; the definition's own sharding, all-reduced;
// the first axes that all required shardings have in common. A piece of R is no
// larger than a piece of the partial sum: what has to grow grows at the uses.
// The least cost wins, then the smallest R, then the fewest steps. So one
// all-reduce serves two uses; uses that require slices get a reduce-scatter,
// and so do uses for which gathering after it costs no more.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_REDUCEDSHARDING_H
#define PARTITA_COST_REDUCEDSHARDING_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// A required sharding and the number of groups that require it.
struct RequestedSharding {
  PartialSharding sharding;
  int64_t numGroups = 1;
};

/// `needs` are distinct, at least one, and all partial over the same axes: fewer than those of `base`.
PartialSharding chooseReducedSharding(llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const PartialSharding &base,
                                      llvm::ArrayRef<RequestedSharding> needs, ReshardPlanner &planner);

} // namespace partita::cost

#endif
