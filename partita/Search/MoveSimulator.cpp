//===- MoveSimulator.cpp - timelines of lists of moves --------------------===//

#include "partita/Search/MoveSimulator.h"

#include "partita/Simulate/PlanTimeline.h"

namespace partita::search {

MoveSimulator::MoveSimulator(const PreparedSearch &search, PlanWalker &walker)
    : search(search), walker(walker), planner(search.request.axes) {
  if (search.request.existing)
    existing = *search.request.existing;
  for (const ExistingCollective &collective : existing)
    existingPrices.push_back(priceExistingCollective(search.model, collective));
}

std::optional<int64_t> MoveSimulator::computePs(const Moves &moves) {
  walker.evaluate(moves);
  Reshards reshards = buildReshards(walker.getAssignment(), planner);
  CostTracker tracker(search.model, walker.getAssignment(), planner);
  PlanTimes times = computePlanTimes(tracker, reshards);
  PlanToSimulate plan{search.model, times, reshards, planner, existing, existingPrices};
  const Folding &folding = search.program.folding;
  if (!folding.isFolded())
    return simulatePlan(plan).totalPs;
  std::optional<Timeline> timeline = simulateUnfolded(plan, folding, search.request.analysis.getTopology());
  return timeline ? std::optional(timeline->totalPs) : std::nullopt;
}

} // namespace partita::search
