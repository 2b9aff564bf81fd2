//===- Price.cpp - what a plan costs on a machine -------------------------===//

#include "partita/Cost/Price.h"

#include "partita/Machine/MemoryPool.h"
#include "partita/Machine/Quantity.h"

namespace partita::cost {

PlanTimes computePlanTimes(const CostTracker &tracker, const Reshards &reshards) {
  PlanTimes times;
  times.ops = tracker.listOps();
  std::vector<ReshardTime> priced = tracker.listReshards();
  std::vector<ReshardKey> keys;
  for (const ReshardTime &entry : priced)
    keys.push_back({entry.cell, entry.op, entry.plan});
  IdVector<ReshardId, uint32_t> numbers = findReshards(reshards, keys);
  for (uint32_t number : numbers.raw())
    times.isOverlapped.push_back(number != noReshard && priced[number].isOverlapped);
  return times;
}

PricePtr pricePlan(const Plan &plan, PriceSetting setting) {
  auto price = std::make_unique<Price>(plan, std::move(setting));
  // Pricing needs the steps of reshards that the plan's planner has found; a copy of the planner has them.
  ReshardPlanner planner = plan.planner;
  price->pieces = PiecePrices(price->model, plan.assignment, planner, plan.reshards, plan.pieces, plan.rotated);
  const PiecePrices *pieces = plan.hasMovedCollectives() ? &price->pieces : nullptr;
  price->report = buildCostReport(price->model, plan.assignment, plan.reshards, planner, pieces);
  CostTracker tracker(price->model, plan.assignment, planner, pieces);
  price->times = computePlanTimes(tracker, plan.reshards);
  for (const ExistingCollective &collective : plan.existing)
    price->existing.push_back(priceExistingCollective(price->model, collective));
  return price;
}

int64_t Price::computeTimePs() const {
  int64_t timePs = getCost().timePs;
  for (const auto &[collective, price] : llvm::zip_equal(plan.existing, existing)) {
    int64_t times = multiplySaturated(collective.times, model.getTimes(model.getGraph().ops[collective.op].region));
    timePs = std::min(maxTimePs, timePs + multiplySaturated(price.timePs, times));
  }
  return timePs;
}

std::vector<int64_t> computeLiveBytes(const Price &price) {
  ReshardPlanner planner = price.plan.planner;
  const PiecePrices *pieces = price.plan.hasMovedCollectives() ? &price.pieces : nullptr;
  return CostTracker(price.model, price.plan.assignment, planner, pieces).listLiveBytes();
}

Result<CostOptions> parseMemoryLimit(llvm::StringRef text, CostOptions options) {
  if (text.empty())
    return options;
  bool isShare = text.rtrim().ends_with("%");
  Result<int64_t> amount = parseQuantity(text, isShare ? QuantityUnit::Ppm : QuantityUnit::Bytes);
  constexpr int64_t mostBytes = 1'000'000'000'000'000;
  if (!amount || *amount < 1 || *amount > (isShare ? wholePpm : mostBytes))
    return Error::usage("--memory-limit '" + text.str() + "' is not an amount of memory")
        .withRemedy("write 90% of the device's memory, or 75GB, 512MiB");
  (isShare ? options.memoryLimitPpm : options.memoryLimitBytes) = *amount;
  return options;
}

Result<CostOptions> resolveMemoryLimit(llvm::StringRef text, CostOptions options, const Machine &machine) {
  if (!text.empty() || !hasGpuPool(machine))
    return parseMemoryLimit(text, options);
  Result<std::optional<int64_t>> pool = readPool();
  if (!pool)
    return pool.error();
  options.memoryPoolPpm = *pool;
  return options;
}

} // namespace partita::cost
