//===- AutomaticTactics.h - what a schedule leaves to a search ------------===//

#ifndef PARTITA_SCHEDULE_AUTOMATICTACTICS_H
#define PARTITA_SCHEDULE_AUTOMATICTACTICS_H

#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/Schedule.h"

namespace partita::schedule {

/// Whether a search has to replace some of the tactics.
bool hasAutomaticTactics(const Schedule &schedule);

} // namespace partita::schedule

#endif
