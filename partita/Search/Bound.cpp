//===- Bound.cpp - no plan is faster --------------------------------------===//

#include "partita/Search/Bound.h"

#include "partita/Search/BoundProblem.h"

namespace partita {

int64_t computeLowerBoundPs(const CostModel &model, const BoundOptions &options) {
  FormTables tables(model);
  PairwiseOptions pairwise;
  pairwise.knownPs = options.knownPs;
  pairwise.work = options.work;
  pairwise.isOver = options.isOver;
  std::optional<PairwiseProblem> problem = buildBoundProblem(model, tables, options);
  return problem ? std::min(maxTimePs, computePairwiseBound(std::move(*problem), pairwise).timePs) : 0;
}

} // namespace partita
