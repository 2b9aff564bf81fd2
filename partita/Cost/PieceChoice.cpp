//===- PieceChoice.cpp - which products of a plan run in pieces -----------===//

#include "partita/Cost/PieceChoice.h"

#include "partita/Cost/ReshardPlanPrice.h"

#include <set>

namespace partita::cost {

namespace {

struct PieceCandidate {
  PiecedReshard pieced;
  /// Of one execution, times how often it runs.
  int64_t gainPs = 0;
};

} // namespace

/// What the reshard and its products take less in pieces; negative if they take more.
static int64_t computeGainPs(const Price &price, const PiecedReshard &pieced) {
  const Plan &plan = price.plan;
  const Reshard &reshard = plan.reshards[pieced.reshard];
  ReshardPlanPrices prices(price.model, plan.planner);
  int64_t gainPs = prices.get(reshard.plan).timePs;
  PiecedPrice own = pricePieces(price.model, plan.assignment, plan.planner, plan.reshards, pieced);
  gainPs -= own.reshard.exposedPs + own.reshard.wholePs;
  for (auto [product, op] : llvm::zip_equal(pieced.products, own.ops))
    gainPs += price.model.getOpPricer().computeTimePs(plan.assignment, product.op) - op.timePs;
  return gainPs;
}

static std::vector<PieceCandidate> listCandidates(const Price &price) {
  const Plan &plan = price.plan;
  std::vector<PieceCandidate> candidates;
  for (ReshardId id : idRange<ReshardId>(plan.reshards.size())) {
    // What hides behind compute as it is needs no pieces.
    if (price.times.isOverlapped[id])
      continue;
    std::optional<PiecedReshard> pieced = findPieces(plan.assignment, plan.planner, plan.reshards, id);
    int64_t gainPs = pieced ? computeGainPs(price, *pieced) : 0;
    if (gainPs > 0)
      candidates.push_back(
          {std::move(*pieced), multiplySaturated(gainPs, price.model.getTimes(plan.reshards[id].region))});
  }
  llvm::sort(candidates, [](const PieceCandidate &a, const PieceCandidate &b) {
    return std::pair(-a.gainPs, a.pieced.reshard) < std::pair(-b.gainPs, b.pieced.reshard);
  });
  return candidates;
}

/// The names of the candidates, in program order, without those that share a product with one before.
static std::vector<PiecedCollective> nameCandidates(const Plan &plan, llvm::ArrayRef<PieceCandidate> candidates) {
  std::set<OpId> taken;
  std::map<ReshardId, PiecedCollective> named;
  for (const PieceCandidate &candidate : candidates) {
    const PiecedReshard &pieced = candidate.pieced;
    auto isTaken = [&](const PiecedProduct &product) { return taken.contains(product.op); };
    PiecedCollective name = describePieces(pieced, plan.reshards, plan.getGraph(), plan.program.names);
    bool isNamed = plan.program.names.find(name.value).isValid() &&
                   (pieced.isScatter || plan.program.names.find(name.user).isValid());
    if (llvm::any_of(pieced.products, isTaken) || !isNamed)
      continue;
    for (const PiecedProduct &product : pieced.products)
      taken.insert(product.op);
    named.emplace(pieced.reshard, std::move(name));
  }
  std::vector<PiecedCollective> names;
  for (auto &[id, name] : named)
    names.push_back(std::move(name));
  return names;
}

PlanPtr choosePieces(const Price &price) {
  const Plan &plan = price.plan;
  assert(plan.pieces.empty());
  std::vector<PiecedCollective> names = nameCandidates(plan, listCandidates(price));
  if (names.empty())
    return nullptr;
  Result<PlanPtr> made = buildWithPieces(plan, std::move(names));
  if (!made)
    return nullptr;
  const PriceSetting &at = price.setting;
  PricePtr pieced = pricePlan(**made, {at.machine, at.placement, at.options});
  int64_t timePs = price.computeTimePs();
  if (pieced->computeTimePs() >= timePs - timePs / 100 || pieced->report.fits() < price.report.fits())
    return nullptr;
  return std::move(*made);
}

} // namespace partita::cost
