//===- SteppedDims.h - dims that loops step through -----------------------===//

#ifndef PARTITA_PROPAGATE_STEPPEDDIMS_H
#define PARTITA_PROPAGATE_STEPPEDDIMS_H

#include "partita/Propagate/Rooms.h"
#include "partita/Propagate/Topology.h"

namespace partita::propagate {

/// 1 for the dims that a loop steps through, one slice in each iteration, and for the same dims of values that are
/// computed from them element by element.
IdVector<DimId, uint8_t> findSteppedDims(const Topology &topology);

} // namespace partita::propagate

#endif
