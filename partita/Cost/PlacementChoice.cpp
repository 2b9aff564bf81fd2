//===- PlacementChoice.cpp - a plan on other levels of its machine --------===//

#include "partita/Cost/PlacementChoice.h"

#include "partita/Cost/ReshardPlanPrice.h"
#include "partita/Machine/PlacementMatrix.h"

namespace partita::cost {

PricePtr priceElsewhere(const Price &price, Placement placement) {
  return pricePlan(price.plan, {price.setting.machine, std::move(placement), price.setting.options});
}

namespace {

/// The collectives of a step that are of one kind and run over the same parts of axes.
struct CollectiveClass {
  CollectiveKind kind = CollectiveKind::AllReduce;
  llvm::SmallVector<MeshPart, 2> parts;
  int64_t count = 0;
  /// Of one of them, on average.
  int64_t payloadBytes = 0;
};

} // namespace

static std::vector<CollectiveClass> listClasses(const Plan &plan) {
  std::vector<CollectiveClass> classes;
  for (const CollectiveCount &each : countCollectives(plan.assignment, plan.planner, plan.reshards, plan.pieces)) {
    CollectiveClass &entry = classes.emplace_back();
    entry.kind = each.kind;
    entry.count = each.count;
    entry.payloadBytes = each.payloadBytes / std::max<int64_t>(1, each.count);
    for (AxisId id : each.axes)
      entry.parts.push_back({plan.axes[id].meshAxis, plan.axes[id].preSize, plan.axes[id].size});
  }
  for (const ExistingCollective &each : plan.existing)
    classes.push_back({each.kind, each.parts, each.times, each.payloadBytes});
  return classes;
}

/// One after the other. The pattern of a permute does not count here: it is taken for an exchange.
static int64_t sumTimesPs(llvm::ArrayRef<CollectiveClass> classes, const Machine &machine, const Placement &placement) {
  int64_t sum = 0;
  for (const CollectiveClass &each : classes) {
    LevelParts parts;
    for (const MeshPart &part : each.parts)
      parts.append(placeSubAxis(placement.axes[part.axis], part.preSize, part.size));
    CollectiveRequest request;
    request.kind = each.kind == CollectiveKind::CollectivePermute ? Collective::AllToAll : getCollective(each.kind);
    request.parts = parts;
    request.payloadBytes = each.payloadBytes;
    int64_t one = priceCollective(machine, request).timePs;
    sum = one > 0 && each.count > maxTimePs / one ? maxTimePs : std::min(maxTimePs, sum + one * each.count);
  }
  return sum;
}

/// Few parts are easy to understand, and to be sure of.
static size_t countParts(const Placement &placement) {
  size_t count = 0;
  for (const LevelParts &parts : placement.axes)
    count += parts.size();
  return count;
}

/// The placements where the plan's collectives take less time: the best two, and the best one of the fewest parts.
/// Those of fewer parts first.
static std::vector<Placement> listFaster(const Price &price) {
  constexpr size_t most = 2;
  const PriceSetting &setting = price.setting;
  std::vector<Placement> placements = listPlacements(price.plan.getMesh(), setting.machine);
  if (placements.size() < 2)
    return {};
  std::vector<CollectiveClass> classes = listClasses(price.plan);
  int64_t own = sumTimesPs(classes, setting.machine, setting.placement);
  struct Faster {
    int64_t sumPs;
    size_t numParts, index;
  };
  std::vector<Faster> faster;
  for (auto [index, placement] : llvm::enumerate(placements))
    if (int64_t sum = sumTimesPs(classes, setting.machine, placement); sum < own)
      faster.push_back({sum, countParts(placement), index});
  auto byTime = [](const Faster &each) { return std::tuple(each.sumPs, each.numParts, each.index); };
  auto byParts = [](const Faster &each) { return std::tuple(each.numParts, each.sumPs, each.index); };
  llvm::sort(faster, [&](const Faster &a, const Faster &b) { return byTime(a) < byTime(b); });
  auto fewest = llvm::min_element(faster, [&](const Faster &a, const Faster &b) { return byParts(a) < byParts(b); });
  if (fewest - faster.begin() > std::ptrdiff_t(most))
    std::swap(faster[most], *fewest);
  faster.resize(std::min(faster.size(), most + 1));
  llvm::sort(faster, [&](const Faster &a, const Faster &b) { return byParts(a) < byParts(b); });
  std::vector<Placement> result;
  for (const Faster &each : faster)
    result.push_back(std::move(placements[each.index]));
  return result;
}

PricePtr findBetterPlacement(const Price &price) {
  PricePtr best;
  for (Placement &placement : listFaster(price)) {
    PricePtr other = priceElsewhere(price, std::move(placement));
    int64_t bestPs = best ? best->computeTimePs() : price.computeTimePs();
    if (other->computeTimePs() < bestPs - bestPs / 100 && other->report.fits() >= price.report.fits())
      best = std::move(other);
  }
  return best;
}

} // namespace partita::cost
