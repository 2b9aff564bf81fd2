//===- Durations.cpp - from a plan's prices to durations ------------------===//

#include "partita/Simulate/Durations.h"

#include "partita/Cost/ReshardIssue.h"
#include "partita/Cost/ReshardPlanPrice.h"

namespace partita::simulate {

static uint32_t findStream(const CostModel &model, const ReshardPlan &plan) {
  uint32_t outermost = UINT32_MAX;
  for (const ReshardStep &step : plan.steps)
    if (step.kind != CollectiveKind::AllSlice)
      for (AxisId axis : step.axes)
        for (const LevelPart &part : model.getParts(axis))
          if (part.size > 1)
            outermost = std::min(outermost, part.level);
  return outermost == UINT32_MAX ? computeStream : outermost + 1;
}

Durations computeDurations(const CostModel &model, const PlanTimes &times, const Reshards &reshards,
                           const ReshardPlanner &planner) {
  const Graph &graph = model.getGraph();
  Durations durations;
  durations.numStreams = static_cast<uint32_t>(model.getMachine().levels.size()) + 1;
  durations.ops.resize(graph.ops.size());
  durations.joined.resize(graph.ops.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    durations.joined[op] = model.getFusion().isJoined(op);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    durations.gatherFences.push_back({model.getOverlap().isAwaitedByFence(op), model.getOverlap().isGatherFence(op)});
  for (const OpTime &entry : times.ops) {
    int64_t runs = multiplySaturated(model.getTimes(graph.ops[entry.op].region), model.getMultiplicity().get(entry.op));
    durations.ops[entry.op] = entry.timePs / std::max<int64_t>(1, runs);
  }
  ReshardPlanPrices prices(model, planner);
  for (ReshardId id : idRange<ReshardId>(reshards.size())) {
    const ReshardPlan &plan = planner[reshards[id].plan];
    const ReshardPlanPrice &price = prices.get(reshards[id].plan);
    bool isReduced = plan.from.partial != plan.to.partial;
    ReshardDuration duration;
    duration.timePs = price.timePs + price.slicePs;
    if (times.isOverlapped[id] && isReduced)
      duration.overlap = model.getLoopReductions().endsIteration(reshards[id].region, plan) ? ReshardOverlap::LateAtEnd
                                                                                            : ReshardOverlap::Late;
    else if (times.isOverlapped[id])
      duration.overlap = ReshardOverlap::Prefetched;
    duration.stream = findStream(model, plan);
    duration.bytes = (computeLocalBits(model.getAxes(), plan.shape, plan.elementBits, plan.to.sharding) + 7) / 8;
    duration.peers = countPeers(model, plan);
    durations.reshards.push_back(duration);
  }
  return durations;
}

Durations unfoldDurations(const Folding &folding, const Durations &folded, const UnfoldedReshards &unfolded) {
  Durations durations;
  durations.numStreams = folded.numStreams;
  durations.ops.reserve(folding.foldedOps.size());
  for (OpId op : folding.foldedOps.raw()) {
    durations.ops.push_back(folded.ops[op]);
    durations.joined.push_back(folded.joined[op]);
    durations.gatherFences.push_back(folded.gatherFences[op]);
  }
  for (ReshardId origin : unfolded.origins.raw())
    durations.reshards.push_back(folded.reshards[origin]);
  return durations;
}

} // namespace partita::simulate
