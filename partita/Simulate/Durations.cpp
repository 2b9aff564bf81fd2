//===- Durations.cpp - from prices to what is simulated -------------------===//

#include "partita/Simulate/Durations.h"

#include "partita/Cost/PlanPrice.h"

#include <map>

namespace partita {

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

Durations computeDurations(const CostModel &model, const CostTracker &tracker, const Transfers &transfers,
                           const ReshardPlanner &planner) {
  const Graph &graph = model.getGraph();
  Durations durations;
  durations.numStreams = static_cast<uint32_t>(model.getMachine().levels.size()) + 1;
  durations.ops.resize(graph.ops.size());
  auto once = [&](int64_t timePs, RegionId region) { return timePs / std::max<int64_t>(1, model.getTimes(region)); };
  for (const OpTime &entry : tracker.listOps())
    durations.ops[entry.op] = once(entry.timePs, graph.ops[entry.op].region);
  std::map<std::tuple<CellId, OpId, ReshardPlanId>, TransferTime> times;
  for (const TransferTime &entry : tracker.listTransfers())
    times[{entry.cell, entry.op, entry.plan}] = entry;
  PlanPrices prices(model, planner);
  for (const Transfer &transfer : transfers.list.raw()) {
    const ReshardPlan &plan = planner[transfer.plan];
    auto found = times.find({transfer.cell, transfer.op, transfer.plan});
    TransferDuration duration;
    duration.timePs = prices.get(transfer.plan).timePs + prices.get(transfer.plan).slicePs;
    bool isReduced = plan.from.partial != plan.to.partial;
    duration.isPrefetched = found != times.end() && found->second.isOverlapped && !isReduced;
    duration.stream = findStream(model, plan);
    durations.transfers.push_back(duration);
  }
  return durations;
}

} // namespace partita
