//===- Durations.h - from a plan's prices to durations --------------------===//
//
// Prices are sums over all executions of an op; the simulation (Simulation.h)
// runs each execution by itself, on a stream: compute, or a level of the
// machine's network. Here one becomes the other.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_DURATIONS_H
#define PARTITA_SIMULATE_DURATIONS_H

#include "partita/Cost/Price.h"
#include "partita/Cost/UnfoldedReshards.h"
#include "partita/Simulate/Rooms.h"
#include "partita/Simulate/Simulation.h"

namespace partita::simulate {

/// The duration of one execution of each op and reshard. A reshard runs on the outermost level that one of its
/// collectives uses.
Durations computeDurations(const CostModel &model, const PlanTimes &times, const Reshards &reshards,
                           const ReshardPlanner &planner);

/// The durations of the whole program, from those of a folded one.
Durations unfoldDurations(const Folding &folding, const Durations &folded, const UnfoldedReshards &unfolded);

} // namespace partita::simulate

#endif
