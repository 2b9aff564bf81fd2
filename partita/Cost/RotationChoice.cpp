//===- RotationChoice.cpp - which collectives of a plan are rotated -------===//

#include "partita/Cost/RotationChoice.h"

#include "partita/Cost/CarriedReductions.h"
#include "partita/Cost/ReshardPlanPrice.h"
#include "partita/Machine/CollectiveOrder.h"

#include <map>

namespace partita::cost {

namespace {

/// Those of one loop, in program order.
struct LoopCollectives {
  std::vector<ReshardId> gathers, reductions;
  /// How many of the gathers are its first batch.
  size_t firstBatch = 0;
  /// What all of them take in a step.
  int64_t timePs = 0;

  ReshardId getFirst() const { return gathers.empty() ? reductions.front() : gathers.front(); }
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
  RotatedCollective name = describeRotated(plan.reshards[id], plan.getGraph(), plan.program.names);
  return plan.program.names.find(name.value).isValid() &&
         (name.user.empty() || plan.program.names.find(name.user).isValid());
}

/// Only gathers that may begin early: the others wait for what the iteration computes.
static bool isGather(const Price &price, ReshardId id) {
  const Plan &plan = price.plan;
  return price.times.isOverlapped[id] && mayRotate(plan.assignment, plan.planner, plan.reshards, id);
}

/// Only reductions that end their iteration.
static bool isReduction(const Price &price, ReshardId id, LoopMiddles &middles) {
  const Plan &plan = price.plan;
  RegionId region = plan.reshards[id].region;
  return price.times.isOverlapped[id] &&
         price.model.getLoopReductions().endsIteration(region, plan.planner[plan.reshards[id].plan]) &&
         mayCarry(plan.assignment, plan.planner, plan.reshards, id) && middles.find(region).isValid();
}

static int64_t computeBytes(const Plan &plan, ReshardId id) {
  const ReshardPlan &steps = plan.planner[plan.reshards[id].plan];
  return (computeLocalBits(plan.axes, steps.shape, steps.elementBits, steps.to.sharding) + 7) / 8;
}

/// The loops of which XLA moves reductions to the next iteration by itself (LoopReductions.h). Carried ones would wait
/// there for these, and nothing would run beside them.
static std::set<RegionId> listMoved(const Price &price) {
  const Plan &plan = price.plan;
  const LoopReductions &ends = price.model.getLoopReductions();
  std::set<RegionId> moved;
  for (ReshardId id : idRange<ReshardId>(plan.reshards.size())) {
    const Reshard &reshard = plan.reshards[id];
    const ReshardPlan &steps = plan.planner[reshard.plan];
    if (price.times.isOverlapped[id] && steps.from.partial != steps.to.partial &&
        !ends.endsIteration(reshard.region, steps))
      moved.insert(reshard.region);
  }
  return moved;
}

/// The loops with collectives that can be rotated, those that take the longest time first.
static std::vector<LoopCollectives> listLoops(const Price &price) {
  const Plan &plan = price.plan;
  int64_t combineBytes = getCollectiveOrder(price.getMachine()).combineBytes;
  ReshardPlanPrices prices(price.model, plan.planner);
  LoopMiddles middles(plan.program.topology);
  std::map<RegionId, LoopCollectives> byRegion;
  std::map<RegionId, int64_t> bytes;
  std::set<RegionId> moved = listMoved(price);
  for (ReshardId id : idRange<ReshardId>(plan.reshards.size())) {
    bool gathers = isGather(price, id);
    RegionId region = plan.reshards[id].region;
    bool reduces = !gathers && !moved.contains(region) && isReduction(price, id, middles);
    if (plan.pieces.find(id) || (!gathers && !reduces) || !isNamed(plan, id))
      continue;
    LoopCollectives &loop = byRegion[region];
    loop.timePs += multiplySaturated(prices.get(plan.reshards[id].plan).timePs, price.model.getTimes(region));
    if (!gathers) {
      loop.reductions.push_back(id);
      continue;
    }
    bytes[region] += computeBytes(plan, id);
    if (loop.gathers.empty() || bytes[region] <= combineBytes)
      loop.firstBatch = loop.gathers.size() + 1;
    loop.gathers.push_back(id);
  }
  std::vector<LoopCollectives> loops;
  for (auto &[region, loop] : byRegion)
    loops.push_back(std::move(loop));
  llvm::sort(loops, [](const LoopCollectives &a, const LoopCollectives &b) {
    return std::pair(-a.timePs, a.getFirst()) < std::pair(-b.timePs, b.getFirst());
  });
  if (loops.size() > mostLoops)
    loops.resize(mostLoops);
  return loops;
}

/// What of a loop is tried, what takes less memory first: the first batch of its gathers and all of them, without its
/// reductions and with them.
static std::vector<std::vector<ReshardId>> listChoices(const LoopCollectives &loop) {
  std::vector<std::vector<ReshardId>> choices;
  for (bool reduces : {false, true})
    for (size_t count : std::set<size_t>{0, loop.firstBatch, loop.gathers.size()}) {
      if (reduces ? loop.reductions.empty() : count == 0)
        continue;
      std::vector<ReshardId> &choice = choices.emplace_back();
      choice.assign(loop.gathers.begin(), loop.gathers.begin() + static_cast<ptrdiff_t>(count));
      if (reduces)
        llvm::append_range(choice, loop.reductions);
    }
  return choices;
}

/// The plan with these and no others rotated.
static PricedPlan tryRotated(const Price &price, const std::set<ReshardId> &rotated) {
  const Plan &plan = price.plan;
  std::vector<RotatedCollective> names;
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
  for (const LoopCollectives &loop : listLoops(price))
    for (std::set<ReshardId> before = chosen; const std::vector<ReshardId> &choice : listChoices(loop)) {
      std::set<ReshardId> tried = before;
      tried.insert(choice.begin(), choice.end());
      PricedPlan made = tryRotated(price, tried);
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
