//===- PlanTimeline.cpp - the timeline of a priced plan -------------------===//

#include "partita/Simulate/PlanTimeline.h"

#include "partita/Simulate/Durations.h"

#include <set>

namespace partita::simulate {

/// The ops of a manual computation run one after the other, so its collectives add to the op's duration.
static void addExisting(const PlanToSimulate &plan, const Graph &graph, Durations &durations) {
  if (plan.existing.empty())
    return;
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

/// Of what runs in pieces, a reshard takes what compute waits for it, and keeps the network busy while its products
/// run.
static void addPieces(const PlanToSimulate &plan, Durations &durations) {
  if (!plan.pieces)
    return;
  durations.beside.resize(durations.ops.size(), 0);
  for (OpId op : idRange<OpId>(durations.ops.size()))
    if (const PiecedOpPrice *own = plan.pieces->find(op))
      durations.beside[op] = own->besidePs;
  for (ReshardId id : idRange<ReshardId>(plan.reshards.size()))
    if (const PiecedReshardPrice *own = plan.pieces->find(plan.reshards[id])) {
      durations.reshards[id].timePs = own->exposedPs + own->wholePs;
      durations.reshards[id].bytes = own->bytes;
    }
}

/// Nothing waits where they stand for what is rotated. A gather for the next iteration starts behind the middle of the
/// loop, if it has one; the middle waits for reductions of the iteration before. Gives the reshards without these uses.
static Reshards addRotated(const PlanToSimulate &plan, Durations &durations) {
  Reshards reshards = plan.reshards;
  std::set<RegionId> loops;
  for (ReshardId id : idRange<ReshardId>(reshards.size())) {
    const Reshard &reshard = reshards[id];
    if (!plan.pieces || !plan.pieces->isRotated(reshard))
      continue;
    ReshardDuration &duration = durations.reshards[id];
    OpId middle = plan.pieces->getMiddle(reshard.region);
    duration.overlap = isCarried(reshard) ? ReshardOverlap::Prefetched : ReshardOverlap::Late;
    if (middle.isValid())
      durations.moved.push_back({id, middle, isCarried(reshard)});
    int64_t zerosPs = 0;
    if (isCarried(reshard)) {
      const ReshardPlan &steps = plan.planner[reshard.plan];
      int64_t bytes =
          (computeLocalBits(plan.model.getAxes(), steps.shape, steps.elementBits, steps.from.sharding) + 7) / 8;
      zerosPs = plan.model.getOpPricer().computeKernelPs(bytes);
      // Those of a loop are one batch, without gathers.
      bool isFirst = loops.insert(reshard.region).second;
      duration.bytes = isFirst ? getCollectiveOrder(plan.model.getMachine()).combineBytes : 0;
    }
    durations.ops[findLoopEntry(plan.model.getTopology(), reshard.region)] += duration.timePs + zerosPs;
    for (UseId use : idRange<UseId>(reshards.uses.size()))
      if (reshards.uses[use] == id)
        reshards.uses[use] = ReshardId();
  }
  return reshards;
}

static SimulationOptions makeOptions(const CostModel &model) {
  SimulationOptions options;
  options.assumedTrips = model.getOptions().assumedTrips;
  options.issuePs = model.getMachine().device.issuePs.value;
  options.issuePeerPs = model.getMachine().device.issuePeerPs.value;
  options.order = getCollectiveOrder(model.getMachine());
  return options;
}

Timeline simulatePlan(const PlanToSimulate &plan) {
  Durations durations = computeDurations(plan.model, plan.times, plan.reshards, plan.planner);
  addExisting(plan, plan.model.getGraph(), durations);
  addPieces(plan, durations);
  Reshards reshards = addRotated(plan, durations);
  return simulate(plan.model.getTopology(), reshards, durations, makeOptions(plan.model));
}

std::optional<Timeline> simulateUnfolded(const PlanToSimulate &plan, const Folding &folding, const Topology &whole) {
  std::optional<UnfoldedReshards> unfolded = unfoldReshards(folding, whole, plan.reshards);
  if (!unfolded)
    return std::nullopt;
  Durations durations =
      unfoldDurations(folding, computeDurations(plan.model, plan.times, plan.reshards, plan.planner), *unfolded);
  addExisting(plan, whole.getGraph(), durations);
  return simulate(whole, unfolded->reshards, durations, makeOptions(plan.model));
}

Timeline simulatePlan(const Price &price) {
  const Plan &plan = price.plan;
  const PiecePrices *pieces = plan.hasMovedCollectives() ? &price.pieces : nullptr;
  return simulatePlan({price.model, price.times, plan.reshards, plan.planner, plan.existing, price.existing, pieces});
}

} // namespace partita::simulate
