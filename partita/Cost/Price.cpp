//===- Price.cpp - what a plan costs on a machine -------------------------===//

#include "partita/Cost/Price.h"

#include "llvm/ADT/StringSwitch.h"

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
  price->report = buildCostReport(price->model, plan.assignment, plan.reshards, planner);
  CostTracker tracker(price->model, plan.assignment, planner);
  price->times = computePlanTimes(tracker, plan.reshards);
  for (const ExistingCollective &collective : plan.existing)
    price->existing.push_back(priceExistingCollective(price->model, collective));
  return price;
}

std::vector<int64_t> computeLiveBytes(const Price &price) {
  ReshardPlanner planner = price.plan.planner;
  return CostTracker(price.model, price.plan.assignment, planner).listLiveBytes();
}

Result<CostOptions> parseMemoryLimit(llvm::StringRef text, CostOptions options) {
  if (text.empty())
    return options;
  llvm::StringRef unit = text.drop_while([](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  double number = 0;
  bool isNumber = !text.drop_back(unit.size()).getAsDouble(number) && number > 0;
  unit = unit.trim();
  if (isNumber && unit == "%" && number <= 100) {
    options.memoryLimitPpm = static_cast<int64_t>(number * 10'000);
    return options;
  }
  double scale = llvm::StringSwitch<double>(unit)
                     .Cases({"", "B"}, 1)
                     .Cases({"kB", "KB"}, 1e3)
                     .Case("KiB", 1 << 10)
                     .Case("MB", 1e6)
                     .Case("GB", 1e9)
                     .Case("TB", 1e12)
                     .Case("MiB", 1 << 20)
                     .Case("GiB", 1 << 30)
                     .Case("TiB", double(int64_t(1) << 40))
                     .Default(0);
  if (!isNumber || scale == 0 || number * scale < 1 || number * scale > 1e15)
    return Error::usage("--memory-limit '" + text.str() + "' is not an amount of memory")
        .withRemedy("write 90% of the device's memory, or 75GB, 512MiB");
  options.memoryLimitBytes = static_cast<int64_t>(number * scale);
  return options;
}

} // namespace partita::cost
