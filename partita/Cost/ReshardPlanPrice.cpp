//===- ReshardPlanPrice.cpp - the time of a reshard plan on a machine ------------===//

#include "partita/Cost/ReshardPlanPrice.h"

#include "partita/Cost/DeviceGroups.h"
#include "partita/Cost/StepPrograms.h"

namespace partita::cost {

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

/// For each device of the machine, the device whose piece it receives.
static std::vector<int64_t> computeMachineSources(const CostModel &model, const PartialSharding &before,
                                                  const PartialSharding &after) {
  llvm::ArrayRef<int64_t> order = model.getDeviceOrder();
  std::vector<int64_t> result(order.size());
  for (auto [device, source] : llvm::enumerate(computeSources(model.getAxes(), before.sharding, after.sharding)))
    result[static_cast<size_t>(order[device])] = order[static_cast<size_t>(source)];
  return result;
}

CollectivePrice priceStep(const CostModel &model, const ReshardStep &step, llvm::ArrayRef<int64_t> sources) {
  if (step.kind == CollectiveKind::AllSlice)
    return {};
  LevelParts parts;
  for (AxisId axis : step.axes)
    parts.append(model.getParts(axis));
  CollectiveRequest request;
  request.kind = getCollective(step.kind);
  request.parts = parts;
  request.payloadBytes = step.payloadBytes;
  request.sources = sources;
  return priceCollective(model.getMachine(), request);
}

CollectivePrice priceStep(const CostModel &model, const ReshardPlan &plan, size_t number) {
  const ReshardStep &step = plan.steps[number];
  if (step.kind != CollectiveKind::CollectivePermute)
    return priceStep(model, step);
  const PartialSharding &before = number == 0 ? plan.from : plan.steps[number - 1].after;
  return priceStep(model, step, computeMachineSources(model, before, step.after));
}

void ReshardPlanPrices::compute(ReshardPlanId id) {
  if (id.get() >= prices.size())
    prices.resize(planner.size());
  const ReshardPlan &plan = planner[id];
  ReshardPlanPrice &price = prices[id.get()].price;
  for (const auto &[number, step] : llvm::enumerate(plan.steps)) {
    if (step.kind == CollectiveKind::AllSlice) {
      int64_t bits = computeLocalBits(model.getAxes(), plan.shape, plan.elementBits, step.after.sharding);
      price.slicePs += model.getOpPricer().computeKernelPs(2 * ((bits + 7) / 8));
      continue;
    }
    // Steps of an exchange pack what goes to one device.
    if (countExchangeSteps(plan, number) > 1)
      price.slicePs += model.getOpPricer().computeKernelPs(2 * step.payloadBytes);
    price.timePs = std::min(maxTimePs, price.timePs + priceStep(model, plan, number).timePs);
    price.hasReduction |= step.kind == CollectiveKind::AllReduce || step.kind == CollectiveKind::ReduceScatter;
    price.hasGather |= step.kind == CollectiveKind::AllGather;
  }
  prices[id.get()].isKnown = true;
}

} // namespace partita::cost
