//===- NearLimit.cpp - what overlap takes of a memory that is nearly full -===//

#include "partita/Cost/NearLimit.h"

namespace partita::cost {

/// The peak if transfers were under way only at the op that they are for.
static int64_t computePeakWithoutOverlap(const Price &price) {
  Machine machine = price.getMachine();
  machine.device.issueWindow = 0;
  const Plan &plan = price.plan;
  CostModel model(plan.program.topology, plan.axes, machine, price.setting.placement, price.setting.options,
                  price.liveTimes);
  ReshardPlanner planner = plan.planner;
  return evaluateCost(model, plan.assignment, planner).peakBytes;
}

std::optional<NearLimit> findNearLimit(const Price &price) {
  const Cost &cost = price.getCost();
  auto isNear = [](__int128 bytes, __int128 limit) { return bytes * 10 > limit * 9 && bytes * 10 < limit * 11; };
  int64_t synchronousPs = std::min(maxTimePs, cost.computePs + cost.communicationPs);
  if (!price.model.hasIssueWindow() || !isNear(cost.peakBytes, price.report.limitBytes) || synchronousPs <= cost.timePs)
    return std::nullopt;
  int64_t existingPs = price.computeTimePs() - cost.timePs;
  return NearLimit{std::max<int64_t>(0, cost.peakBytes - computePeakWithoutOverlap(price)),
                   std::min(maxTimePs, synchronousPs + existingPs)};
}

} // namespace partita::cost
