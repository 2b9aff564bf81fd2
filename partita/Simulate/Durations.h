//===- Durations.h - from prices to what is simulated ---------------------===//

#ifndef PARTITA_SIMULATE_DURATIONS_H
#define PARTITA_SIMULATE_DURATIONS_H

#include "partita/Cost/Price.h"
#include "partita/Simulate/Rooms.h"
#include "partita/Simulate/Simulation.h"

namespace partita::simulate {

/// How long ops and reshards take, each once. A reshard runs on the outermost level that one of its collectives uses.
Durations computeDurations(const CostModel &model, const PlanTimes &times, const Reshards &reshards,
                           const ReshardPlanner &planner);

} // namespace partita::simulate

#endif
