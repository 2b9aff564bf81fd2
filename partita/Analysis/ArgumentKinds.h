//===- ArgumentKinds.h - what an argument is to the program ---------------===//

#ifndef PARTITA_ANALYSIS_ARGUMENTKINDS_H
#define PARTITA_ANALYSIS_ARGUMENTKINDS_H

#include "partita/Analysis/ArgumentGroups.h"
#include "partita/Analysis/Rooms.h"

namespace partita::analysis {

struct ArgumentKinds {
  /// Inner for cells that are no arguments.
  IdVector<CellId, GroupKind> kinds;
  /// Of optimizer state, the parameter of the same shape that is updated with it; invalid if there is none.
  IdVector<CellId, CellId> parameters;
};

ArgumentKinds findArgumentKinds(const Topology &topology, const Repetition &repetition);

} // namespace partita::analysis

#endif
