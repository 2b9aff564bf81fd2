//===- PlanTimeline.h - the timeline of a priced plan ---------------------===//
//
// Connects prices and simulation: computes the durations of a plan
// (Durations.h), adds existing collectives, and runs the list scheduler
// (Simulation.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_PLANTIMELINE_H
#define PARTITA_SIMULATE_PLANTIMELINE_H

#include "partita/Cost/Price.h"
#include "partita/Simulate/Rooms.h"
#include "partita/Simulate/Timeline.h"

namespace partita::simulate {

/// The timeline of one step of one device under the plan. The program's existing collectives run on the outermost level
/// that they use.
Timeline simulatePlan(const Price &price);

/// The inputs of a simulation, of a plan or of an assignment that is not a plan yet.
struct PlanToSimulate {
  const CostModel &model;
  const PlanTimes &times;
  const Reshards &reshards;
  const ReshardPlanner &planner;
  /// The program's existing collectives, and the price of one execution of each.
  llvm::ArrayRef<ExistingCollective> existing;
  llvm::ArrayRef<CollectivePrice> existingPrices;
  /// What runs in pieces; null if nothing does.
  const PiecePrices *pieces = nullptr;
};

Timeline simulatePlan(const PlanToSimulate &plan);

/// The timeline of the whole program under a plan of the folded one; existing collectives are those of the whole.
/// Reshards of the timeline are numbered as by unfoldReshards, which may fail.
std::optional<Timeline> simulateUnfolded(const PlanToSimulate &plan, const Folding &folding, const Topology &whole);

} // namespace partita::simulate

#endif
