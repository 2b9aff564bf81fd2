//===- Scoring.h - `partita score` ----------------------------------------===//

#ifndef PARTITA_DRIVER_SCORING_H
#define PARTITA_DRIVER_SCORING_H

#include "partita/Driver/Pricing.h"
#include "partita/Report/Score.h"

namespace partita {

/// Whose shapes a program has.
enum class ProgramScope { AllDevices, OneDevice };

/// What the plan moves; and if it is priced, what it costs. Flops are those of all devices in either scope.
Score buildScore(const Planning &planning, const Transfers &transfers, const ReshardPlanner &planner,
                 const Pricing *pricing, ProgramScope scope = ProgramScope::AllDevices);

} // namespace partita

#endif
