//===- ReshardPlanPrice.h - the time of a reshard plan on a machine --------------===//
//
// Sums the prices of a reshard plan's collectives under the machine's model.
// The plan does not depend on the machine; its price does.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_RESHARDPLANPRICE_H
#define PARTITA_COST_RESHARDPLANPRICE_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// One execution of a plan on one device.
struct ReshardPlanPrice {
  /// Of its collectives.
  int64_t timePs = 0;
  /// Of its slices and of packing for exchanges in several steps, which only move memory.
  int64_t slicePs = 0;
  bool hasReduction = false;
  bool hasGather = false;
};

/// The machine's name for the kind. For an all_slice, which is free, its inverse.
Collective getCollective(CollectiveKind kind);

/// The price of one step; an all_slice costs nothing. `sources` is for permutes: for each device of the machine, the
/// device whose piece it receives.
CollectivePrice priceStep(const CostModel &model, const ReshardStep &step, llvm::ArrayRef<int64_t> sources = {});
/// The price of step `number` of the plan.
CollectivePrice priceStep(const CostModel &model, const ReshardPlan &plan, size_t number);

/// The prices of a planner's plans, each computed once.
class ReshardPlanPrices {
public:
  ReshardPlanPrices(const CostModel &model, const ReshardPlanner &planner) : model(model), planner(planner) {}

  const ReshardPlanPrice &get(ReshardPlanId id) {
    if (id.get() >= prices.size() || !prices[id.get()].isKnown)
      compute(id);
    return prices[id.get()].price;
  }

private:
  struct Entry {
    ReshardPlanPrice price;
    bool isKnown = false;
  };
  void compute(ReshardPlanId id);

  const CostModel &model;
  const ReshardPlanner &planner;
  std::vector<Entry> prices;
};

} // namespace partita::cost

#endif
