//===- SteppedDims.h - dims that loops step through -----------------------===//

#ifndef PARTITA_PROPAGATE_STEPPEDDIMS_H
#define PARTITA_PROPAGATE_STEPPEDDIMS_H

#include "partita/Propagate/Rooms.h"
#include "partita/Propagate/Topology.h"

namespace partita::propagate {

/// Not 0 for the dims that a loop steps through, and the same dims of what is computed from those element by element.
IdVector<DimId, uint8_t> findSteppedDims(const Topology &topology);

} // namespace partita::propagate

#endif
