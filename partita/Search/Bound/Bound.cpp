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

int64_t computeLowerBoundPs(const Price &price) {
  BoundOptions options;
  options.isLimited = price.report.fits();
  options.knownPs = price.getCost().timePs;
  return computeLowerBoundPs(price.model, options);
}

} // namespace partita::search
