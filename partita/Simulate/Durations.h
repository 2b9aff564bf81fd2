//===- Durations.h - from prices to what is simulated ---------------------===//

#ifndef PARTITA_SIMULATE_DURATIONS_H
#define PARTITA_SIMULATE_DURATIONS_H

#include "partita/Cost/Evaluation.h"
#include "partita/Simulate/Simulation.h"

namespace partita {

/// How long ops and transfers take under the tracker's assignment. A transfer runs on the outermost level that one of
/// its collectives uses.
Durations computeDurations(const CostModel &model, const CostTracker &tracker, const Transfers &transfers,
                           const ReshardPlanner &planner);

} // namespace partita

#endif
