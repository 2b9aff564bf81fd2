//===- PlanPrice.cpp - what a reshard costs on a machine ------------------===//

#include "partita/Cost/PlanPrice.h"

namespace partita {

Collective getCollective(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllSlice:
  case CollectiveKind::AllGather:
    return Collective::AllGather;
  case CollectiveKind::AllToAll:
    return Collective::AllToAll;
  case CollectiveKind::CollectivePermute:
    return Collective::CollectivePermute;
  case CollectiveKind::AllReduce:
    return Collective::AllReduce;
  case CollectiveKind::ReduceScatter:
    return Collective::ReduceScatter;
  }
  return Collective::AllGather;
}

CollectivePrice priceStep(const CostModel &model, const ReshardStep &step) {
  if (step.kind == CollectiveKind::AllSlice)
    return {};
  LevelParts parts;
  for (AxisId axis : step.axes)
    parts.append(model.getParts(axis));
  CollectiveRequest request;
  request.kind = getCollective(step.kind);
  request.parts = parts;
  request.payloadBytes = step.payloadBytes;
  // What exchanges the roles of axes is no shift along them.
  request.shift = 0;
  return priceCollective(model.getMachine(), request);
}

void PlanPrices::compute(ReshardPlanId id) {
  if (id.get() >= prices.size())
    prices.resize(planner.size());
  const ReshardPlan &plan = planner[id];
  PlanPrice &price = prices[id.get()].price;
  for (const ReshardStep &step : plan.steps) {
    if (step.kind == CollectiveKind::AllSlice) {
      int64_t bits = computeLocalBits(model.getAxes(), plan.shape, plan.elementBits, step.after.sharding);
      price.slicePs +=
          std::max(model.getOpPricer().getLaunchPs(), model.getOpPricer().computeMemoryPs(2 * ((bits + 7) / 8)));
      continue;
    }
    price.timePs = std::min(maxTimePs, price.timePs + priceStep(model, step).timePs);
    price.hasReduction |= step.kind == CollectiveKind::AllReduce || step.kind == CollectiveKind::ReduceScatter;
    price.hasGather |= step.kind == CollectiveKind::AllGather;
  }
  prices[id.get()].isKnown = true;
}

} // namespace partita
