//===- Scoring.h - `partita score` ----------------------------------------===//

#ifndef PARTITA_DRIVER_SCORING_H
#define PARTITA_DRIVER_SCORING_H

#include "partita/Driver/Pricing.h"
#include "partita/Report/Score.h"

namespace partita {

/// What the plan moves; and if it is priced, what it costs.
Score buildScore(const Planning &planning, const Transfers &transfers, const ReshardPlanner &planner,
                 const Pricing *pricing);

} // namespace partita

#endif
