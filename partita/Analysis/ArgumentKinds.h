//===- ArgumentKinds.h - tells parameters, state and inputs apart ---------===//

#ifndef PARTITA_ANALYSIS_ARGUMENTKINDS_H
#define PARTITA_ANALYSIS_ARGUMENTKINDS_H

#include "partita/Analysis/ArgumentGroups.h"
#include "partita/Analysis/Rooms.h"

namespace partita::analysis {

struct ArgumentKinds {
  /// `Inner` for cells that are not arguments.
  IdVector<CellId, GroupKind> kinds;
  /// For optimizer state, the parameter of the same shape that is updated with it; invalid if there is none.
  IdVector<CellId, CellId> parameters;
};

/// Decides by structure alone: ties, phases and how the program uses an argument (GroupKind), never by names.
ArgumentKinds findArgumentKinds(const Topology &topology, const Repetition &repetition);

} // namespace partita::analysis

#endif
