//===- RotationChoice.cpp - which gathers of a plan are rotated -----------===//

#include "partita/Cost/RotationChoice.h"

#include "partita/Cost/ReshardPlanPrice.h"
#include "partita/Machine/CollectiveOrder.h"

#include <map>

namespace partita::cost {

namespace {

/// Those of one loop, in program order.
struct LoopGathers {
  std::vector<ReshardId> all;
  /// How many of them are its first batch.
  size_t firstBatch = 0;
  /// What all of them take in a step.
  int64_t timePs = 0;
};

/// A plan with a price; both are null where there is none.
struct PricedPlan {
  PlanPtr plan;
  PricePtr price;
};

} // namespace

/// Each is priced twice, as a whole.
static constexpr size_t mostLoops = 8;

static bool isNamed(const Plan &plan, ReshardId id) {
  RotatedGather name = describeRotated(plan.reshards[id], plan.getGraph(), plan.program.names);
  return plan.program.names.find(name.value).isValid() && plan.program.names.find(name.user).isValid();
}

static int64_t computeBytes(const Plan &plan, ReshardId id) {
  const ReshardPlan &steps = plan.planner[plan.reshards[id].plan];
  return (computeLocalBits(plan.axes, steps.shape, steps.elementBits, steps.to.sharding) + 7) / 8;
}

/// The loops with gathers that can be rotated, those that gather for the longest time first.
static std::vector<LoopGathers> listLoops(const Price &price) {
  const Plan &plan = price.plan;
  int64_t combineBytes = getCollectiveOrder(price.getMachine()).combineBytes;
  ReshardPlanPrices prices(price.model, plan.planner);
  std::map<RegionId, LoopGathers> byRegion;
  std::map<RegionId, int64_t> bytes;
  for (ReshardId id : idRange<ReshardId>(plan.reshards.size())) {
    // Only gathers that may begin early: the others wait for what the iteration computes.
    if (!price.times.isOverlapped[id] || plan.pieces.find(id) ||
        !mayRotate(plan.assignment, plan.planner, plan.reshards, id) || !isNamed(plan, id))
      continue;
    RegionId region = plan.reshards[id].region;
    LoopGathers &loop = byRegion[region];
    loop.timePs += multiplySaturated(prices.get(plan.reshards[id].plan).timePs, price.model.getTimes(region));
    bytes[region] += computeBytes(plan, id);
    if (loop.all.empty() || bytes[region] <= combineBytes)
      loop.firstBatch = loop.all.size() + 1;
    loop.all.push_back(id);
  }
  std::vector<LoopGathers> loops;
  for (auto &[region, loop] : byRegion)
    loops.push_back(std::move(loop));
  llvm::sort(loops, [](const LoopGathers &a, const LoopGathers &b) {
    return std::pair(-a.timePs, a.all.front()) < std::pair(-b.timePs, b.all.front());
  });
  if (loops.size() > mostLoops)
    loops.resize(mostLoops);
  return loops;
}

/// The plan with these and no other gathers rotated.
static PricedPlan tryRotated(const Price &price, const std::set<ReshardId> &rotated) {
  const Plan &plan = price.plan;
  std::vector<RotatedGather> names;
  for (ReshardId id : rotated)
    names.push_back(describeRotated(plan.reshards[id], plan.getGraph(), plan.program.names));
  Result<PlanPtr> made = buildRotated(plan, std::move(names));
  if (!made || (*made)->rotated != rotated)
    return {};
  PricePtr priced = pricePlan(**made, {price.setting.machine, price.setting.placement, price.setting.options});
  return {std::move(*made), std::move(priced)};
}

PlanPtr chooseRotated(const Price &price) {
  assert(price.plan.rotated.empty());
  std::set<ReshardId> chosen;
  PricedPlan best;
  int64_t plainPs = price.computeTimePs(), bestPs = plainPs;
  for (const LoopGathers &loop : listLoops(price))
    for (std::set<ReshardId> before = chosen; size_t count : {loop.firstBatch, loop.all.size()}) {
      std::set<ReshardId> tried = before;
      tried.insert(loop.all.begin(), loop.all.begin() + static_cast<ptrdiff_t>(count));
      PricedPlan made = tryRotated(price, tried);
      // All of a loop's gathers take more memory than the first batch.
      bool isFaster = made.price && made.price->computeTimePs() < bestPs - bestPs / 1000;
      if (!isFaster || made.price->report.fits() < price.report.fits())
        continue;
      bestPs = made.price->computeTimePs();
      best = std::move(made);
      chosen = std::move(tried);
    }
  return bestPs < plainPs - plainPs / 100 ? std::move(best.plan) : nullptr;
}

} // namespace partita::cost
