//===- ScatteredSums.h - keeps the sums over microbatches split -----------===//
//
// By default gradients are reduced over devices once, behind the loop, and each
// device keeps a sum of its own, whole. Under ZeRO each device needs only its
// part of them: then a tactic before all others splits the sums over the axis,
// and what microbatches add is scattered in each turn.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_SCATTEREDSUMS_H
#define PARTITA_TEMPORAL_SCATTEREDSUMS_H

#include "partita/Schedule/Schedule.h"
#include "partita/Temporal/Rooms.h"

namespace partita::temporal {

/// Puts the tactic that scatters sums before the tactics of `schedule`, whose temporal tactic rewrote the program of
/// `graph`: over the axis that it names, or else over that of the first preset that splits optimizer state. Nothing if
/// there is none.
void addScatterTactic(Schedule &schedule, const Graph &graph);

} // namespace partita::temporal

#endif
