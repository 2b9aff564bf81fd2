//===- ReducedSharding.cpp - where a partial sum is reduced to ------------===//

#include "partita/Cost/ReducedSharding.h"

#include <tuple>

namespace partita::cost {

namespace {

class Choice {
public:
  Choice(llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const PartialSharding &base,
         llvm::ArrayRef<RequestedSharding> needs, ReshardPlanner &planner)
      : shape(shape), elementBits(elementBits), base(base), needs(needs), planner(planner), baseBits(getBits(base)) {}

  PartialSharding run() {
    PartialSharding whole = needs.front().sharding;
    whole.sharding = base.sharding;
    offer(whole);
    for (const RequestedSharding &need : needs)
      offer(need.sharding);
    for (const RequestedSharding &need : needs)
      offer(getShardingBehindReduction(need.sharding));
    if (needs.size() > 1)
      offer(getCommonSharding());
    return best;
  }

private:
  /// Sent bits, bits of R, steps.
  using Cost = std::tuple<int64_t, int64_t, size_t>;

  const ReshardPlan &plan(const PartialSharding &from, const PartialSharding &to) {
    return planner.plan(shape, elementBits, from, to);
  }
  int64_t getBits(const PartialSharding &partial) const {
    return computeLocalBits(planner.getAxes(), shape, elementBits, partial.sharding);
  }

  PartialSharding getShardingBehindReduction(const PartialSharding &need) {
    PartialSharding reduced = base;
    for (const ReshardStep &step : plan(base, need).steps)
      if (step.kind == CollectiveKind::AllReduce || step.kind == CollectiveKind::ReduceScatter)
        reduced = step.after;
    return reduced;
  }

  PartialSharding getCommonSharding() const {
    PartialSharding common = needs.front().sharding;
    for (const RequestedSharding &need : needs.drop_front())
      for (auto [axes, others] : llvm::zip_equal(common.sharding.dims, need.sharding.sharding.dims)) {
        size_t count = 0;
        while (count < std::min(axes.size(), others.size()) && axes[count] == others[count])
          ++count;
        axes.truncate(count);
      }
    return common;
  }

  Cost computeCost(const PartialSharding &candidate) {
    const ReshardPlan &reduction = plan(base, candidate);
    int64_t sentBits = reduction.sentBits;
    size_t numSteps = reduction.steps.size();
    for (const RequestedSharding &need : needs) {
      const ReshardPlan &rest = plan(candidate, need.sharding);
      sentBits += rest.sentBits * (rest.isLocal() ? 1 : need.numGroups);
      numSteps += rest.steps.size();
    }
    return {sentBits, getBits(candidate), numSteps};
  }

  void offer(const PartialSharding &candidate) {
    if (getBits(candidate) > baseBits || candidate.partial != needs.front().sharding.partial)
      return;
    Cost cost = computeCost(candidate);
    if (isEmpty || cost < bestCost) {
      best = candidate;
      bestCost = cost;
      isEmpty = false;
    }
  }

  llvm::ArrayRef<int64_t> shape;
  uint32_t elementBits;
  const PartialSharding &base;
  llvm::ArrayRef<RequestedSharding> needs;
  ReshardPlanner &planner;
  int64_t baseBits;
  bool isEmpty = true;
  PartialSharding best;
  Cost bestCost;
};

} // namespace

PartialSharding chooseReducedSharding(llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const PartialSharding &base,
                                      llvm::ArrayRef<RequestedSharding> needs, ReshardPlanner &planner) {
  // The plan to a single required sharding is the cheapest already.
  if (needs.size() == 1 && needs.front().sharding.sharding == base.sharding)
    return needs.front().sharding;
  return Choice(shape, elementBits, base, needs, planner).run();
}

} // namespace partita::cost
