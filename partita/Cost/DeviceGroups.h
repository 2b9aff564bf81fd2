//===- DeviceGroups.h - which devices a step of a reshard joins -----------===//

#ifndef PARTITA_COST_DEVICEGROUPS_H
#define PARTITA_COST_DEVICEGROUPS_H

#include "partita/Cost/Rooms.h"
#include "partita/Propagate/Sharding.h"

namespace partita::cost {

/// The groups of a collective over `list`: devices that differ along these axes alone, in mixed radix order with the
/// first axis major. Groups stand in the order of their first devices.
std::vector<std::vector<int64_t>> computeGroups(const Axes &axes, llvm::ArrayRef<AxisId> list);

/// For each device, the device whose piece it takes so that pieces of `before` come to stand as `after` says. Both make
/// as many parts of each dim. A permutation; coordinates along axes that split neither form stay as they are, so
/// partial sums and replicas stay what they were.
std::vector<int64_t> computeSources(const Axes &axes, const Sharding &before, const Sharding &after);

} // namespace partita::cost

#endif
