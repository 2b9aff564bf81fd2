//===- Bound.cpp - a lower bound of the time of all plans -----------------===//

#include "partita/Search/Bound/Bound.h"

#include "partita/Search/Bound/BoundProblem.h"

namespace partita::search {

int64_t computeLowerBoundPs(const CostModel &model, const BoundOptions &options) {
  ShardingTables tables(model);
  PairwiseOptions pairwise;
  pairwise.knownPs = options.knownPs;
  pairwise.work = options.work;
  pairwise.isOver = options.isOver;
  std::optional<PairwiseProblem> problem = buildBoundProblem(model, tables, options);
  return problem ? std::min(maxTimePs, computePairwiseBound(std::move(*problem), pairwise).timePs) : 0;
}

std::optional<RelaxedPlan> findRelaxedPlan(const CostModel &model, const BoundOptions &options) {
  ShardingTables tables(model);
  PairwiseOptions pairwise;
  pairwise.work = options.work;
  pairwise.isRounded = true;
  pairwise.isOver = options.isOver;
  OpLabels labels;
  std::optional<PairwiseProblem> problem = buildBoundProblem(model, tables, options, &labels);
  if (!problem)
    return std::nullopt;
  PairwiseBound bound = computePairwiseBound(std::move(*problem), pairwise);
  if (bound.labels.empty())
    return std::nullopt;
  RelaxedPlan plan;
  plan.lowerBoundPs = std::min(maxTimePs, bound.timePs);
  for (OpId op : idRange<OpId>(labels.states.size())) {
    const std::vector<BoundState> &states = labels.states[op];
    uint32_t label = bound.labels[labels.variables[op].get()];
    plan.factors.push_back(label < states.size() ? states[label] : BoundState());
  }
  plan.times = std::move(labels.times);
  return plan;
}

int64_t computeLowerBoundPs(const Price &price) {
  BoundOptions options;
  options.isLimited = price.report.fits();
  options.knownPs = price.getCost().timePs;
  return computeLowerBoundPs(price.model, options);
}

} // namespace partita::search
