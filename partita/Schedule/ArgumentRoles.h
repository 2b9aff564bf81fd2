//===- ArgumentRoles.h - parameters, optimizer state and batch ------------===//
//
// What presets (Presets.h) split. Roles are kinds of arguments (ArgumentKinds.h),
// put together: parameters are weights, trained or frozen, and state of the
// forward pass; the batch is the inputs that share their first dim.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_ARGUMENTROLES_H
#define PARTITA_SCHEDULE_ARGUMENTROLES_H

#include "partita/Propagate/Topology.h"
#include "partita/Schedule/Rooms.h"

namespace partita::schedule {

/// In the order of the arguments. Scalars, counters and keys are in none of them, nor inputs
/// with another first dim.
struct ArgumentRoles {
  std::vector<CellId> parameters, optimizer, batch;
};

ArgumentRoles findArgumentRoles(const Topology &topology);

} // namespace partita::schedule

#endif
