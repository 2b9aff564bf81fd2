//===- Bound.cpp - a lower bound of the time of all plans -----------------===//

#include "partita/Search/Bound/Bound.h"

#include "partita/Search/Bound/BoundProblem.h"
#include "partita/Search/Bound/PairwiseAscent.h"

namespace partita::search {

/// The ascent refers to the tables.
struct BoundAscent::Problem {
  ShardingTables tables;
  OpLabels labels;
  std::optional<PairwiseAscent> ascent;
  bool isLimited;
  bool hasKnown = false;

  Problem(const CostModel &model, const BoundOptions &options) : tables(model), isLimited(options.isLimited) {
    if (std::optional<PairwiseProblem> built = buildBoundProblem(model, tables, options, labels))
      ascent.emplace(std::move(*built));
  }
};

BoundAscent::BoundAscent(const CostModel &model) : model(model) {}

BoundAscent::~BoundAscent() = default;

int64_t BoundAscent::ascend(const BoundOptions &options) {
  // With a limit there is more to know of memory, and what was proved with the known time holds within it only.
  bool isOther = problem && problem->isLimited != options.isLimited && (options.isLimited || problem->hasKnown);
  if (!problem || isOther)
    problem = std::make_unique<Problem>(model, options);
  if (!problem->ascent) {
    problem = nullptr;
    return 0;
  }
  if (problem->isLimited && !options.isLimited)
    problem->ascent->liftLimit();
  problem->isLimited = options.isLimited;
  problem->hasKnown |= options.knownPs != INT64_MAX;
  PairwiseOptions pairwise;
  pairwise.knownPs = options.knownPs;
  pairwise.work = options.work;
  pairwise.isOver = options.isOver;
  return std::min(maxTimePs, problem->ascent->run(pairwise));
}

int64_t BoundAscent::getLeastComputePs() const { return problem ? problem->labels.leastComputePs : 0; }

std::optional<RelaxedPlan> BoundAscent::round() {
  if (!problem || !problem->ascent->canRound())
    return std::nullopt;
  std::vector<uint32_t> chosen = problem->ascent->round();
  const OpLabels &labels = problem->labels;
  RelaxedPlan plan;
  for (OpId op : idRange<OpId>(labels.states.size())) {
    const std::vector<BoundState> &states = labels.states[op];
    uint32_t label = chosen[labels.variables[op].get()];
    plan.factors.push_back(label < states.size() ? states[label] : BoundState());
  }
  plan.times = labels.times;
  return plan;
}

int64_t computeLowerBoundPs(const CostModel &model, const BoundOptions &options) {
  return BoundAscent(model).ascend(options);
}

int64_t computeLeastComputePs(const CostModel &model) {
  StateEnumeration states(model);
  __int128 leastPs = 0;
  for (OpId op : idRange<OpId>(model.getGraph().ops.size()))
    leastPs += *llvm::min_element(states.list(op).costs);
  return static_cast<int64_t>(std::min<__int128>(leastPs, maxTimePs));
}

int64_t computeLowerBoundPs(const Price &price) {
  BoundOptions options;
  options.isLimited = price.report.fits();
  options.knownPs = price.getCost().timePs;
  return computeLowerBoundPs(price.model, options);
}

} // namespace partita::search
