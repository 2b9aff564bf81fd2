//===- DeviceGroups.h - groups of collectives, sources of permutes --------===//

#ifndef PARTITA_COST_DEVICEGROUPS_H
#define PARTITA_COST_DEVICEGROUPS_H

#include "partita/Cost/Rooms.h"
#include "partita/Propagate/Sharding.h"

namespace partita::cost {

/// The groups of a collective over `list`: devices that differ along these axes only, in mixed radix order with the
/// first axis major. Groups are in the order of their first devices. With x=2,y=2: {x} gives {0, 2}, {1, 3}.
std::vector<std::vector<int64_t>> computeGroups(const Axes &axes, llvm::ArrayRef<AxisId> list);

/// For each device, the device whose piece it receives to turn `before` into `after`. Both split each dim into equally
/// many parts. The result is a permutation. Coordinates along axes that split neither sharding do not change, so
/// partial sums and replicas stay as they are.
std::vector<int64_t> computeSources(const Axes &axes, const Sharding &before, const Sharding &after);

} // namespace partita::cost

#endif
