//===- ArgumentRoles.h - parameters, optimizer state and batch ------------===//
//
// What presets (Presets.h) split. The roles follow from ties, phases and
// structure:
//
//   training   parameters are state that the loss depends on, and other arguments
//              that hold matrices (frozen ones); the batch is what else shares its
//              first dim
//   inference  the batch shares its first dim with the results; other arrays are
//              parameters
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_ARGUMENTROLES_H
#define PARTITA_SCHEDULE_ARGUMENTROLES_H

#include "partita/Propagate/Topology.h"
#include "partita/Schedule/Rooms.h"

namespace partita::schedule {

/// In the order of the arguments. Scalars, keys of random numbers and arrays of no known role are in none of them.
struct ArgumentRoles {
  std::vector<CellId> parameters, optimizer, batch;
};

ArgumentRoles findArgumentRoles(const Topology &topology);

} // namespace partita::schedule

#endif
