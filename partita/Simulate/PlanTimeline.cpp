//===- PlanTimeline.cpp - the timeline of a priced plan -------------------===//

#include "partita/Simulate/PlanTimeline.h"

#include "partita/Simulate/Durations.h"

namespace partita::simulate {

/// The ops of a manual computation run one after the other, so its collectives add to the op's duration.
static void addExisting(const PlanToSimulate &plan, Durations &durations) {
  const Graph &graph = plan.model.getGraph();
  durations.opStreams.resize(graph.ops.size(), computeStream);
  for (const auto &[collective, price] : llvm::zip_equal(plan.existing, plan.existingPrices)) {
    int64_t &duration = durations.ops[collective.op];
    if (graph.ops[collective.op].opClass == OpClass::Collective)
      duration = 0;
    duration = std::min(maxTimePs, duration + collective.times * price.timePs);
    uint32_t &stream = durations.opStreams[collective.op];
    for (const LevelPart &part : collective.place(plan.model.getPlacement()))
      if (part.size > 1)
        stream = stream == computeStream ? part.level + 1 : std::min(stream, part.level + 1);
  }
}

Timeline simulatePlan(const PlanToSimulate &plan) {
  SimulationOptions options;
  options.assumedTrips = plan.model.getOptions().assumedTrips;
  options.issuePs = plan.model.getMachine().device.issuePs.value;
  options.order = getCollectiveOrder(plan.model.getMachine());
  Durations durations = computeDurations(plan.model, plan.times, plan.reshards, plan.planner);
  if (!plan.existing.empty())
    addExisting(plan, durations);
  return simulate(plan.model.getTopology(), plan.reshards, durations, options);
}

Timeline simulatePlan(const Price &price) {
  const Plan &plan = price.plan;
  return simulatePlan({price.model, price.times, plan.reshards, plan.planner, plan.existing, price.existing});
}

} // namespace partita::simulate
