//===- ReducedChoice.cpp - plans compared with their collectives in steps -===//

#include "partita/Search/ReducedChoice.h"

#include "partita/Cost/ReductionChoice.h"
#include "partita/Machine/Reduce/Synthesis.h"
#include "partita/Support/StageClock.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

bool mayProgramsPay(const Machine &machine) {
  std::vector<LevelPart> parts;
  for (auto [level, figures] : llvm::enumerate(machine.levels))
    parts.push_back({static_cast<uint32_t>(level), figures.size, 1});
  std::vector<ReductionFactor> factors = machine::listFactors(parts);
  if (factors.size() < 2)
    return false;
  constexpr int64_t leastBytes = int64_t(1) << 16, mostBytes = int64_t(1) << 30, step = 16;
  Synthesizer synthesizer;
  for (StepKind goal : {StepKind::AllReduce, StepKind::ReduceScatter, StepKind::AllGather})
    for (int64_t bytes = leastBytes; bytes <= mostBytes; bytes *= step) {
      SynthesisRequest request{goal, factors, bytes};
      ReductionStep whole{goal, {}};
      for (uint32_t factor = 0; factor < factors.size(); ++factor)
        whole.factors.push_back(factor);
      int64_t plainPs = priceProgram(machine, request, {{whole}, false});
      if (synthesizer.findFastest(machine, request).timePs < plainPs - plainPs / 100)
        return true;
    }
  return false;
}

namespace {

/// A plan, its time by the formula, and what it would take if nothing waited for communication.
struct ReducedCandidate {
  Moves moves;
  int64_t timePs = 0, leastPs = 0;
};

/// Prices plans of one search with their programs.
class ReducedPricer {
public:
  explicit ReducedPricer(const PreparedSearch &search)
      : search(search), program(search.request.analysis.getGraph()), clock(/*prints=*/false) {}

  /// The time of a step; nothing if the moves are no plan of the whole program.
  std::optional<int64_t> price(const Moves &moves) {
    const PlanRequest &request = search.request;
    Schedule schedule = request.given;
    llvm::append_range(schedule.tactics, search.tactics.build(moves));
    std::vector<ExistingCollective> existing;
    if (request.existing)
      existing = request.existing->vec();
    Result<PlanPtr> plan = buildPlan(program, request.axes.mesh, std::move(schedule), std::move(existing), clock);
    if (!plan)
      return std::nullopt;
    PricePtr plain = pricePlan(**plan, {request.machine, request.placement, request.cost});
    ReductionSetting setting{request.mayBePlaced, clock};
    std::optional<ReducedPlan> reduced = chooseReductions(*plain, setting);
    return (reduced ? *reduced->price : *plain).computeTimePs();
  }

private:
  const PreparedSearch &search;
  PlannedProgram program;
  StageClock clock;
};

} // namespace

/// Adds the plans of a list that programs could make faster than the best; those first that gain most if half of what
/// they wait for is saved, which is about what programs can do.
static void addCandidates(const PreparedSearch &search, PlanWalker &walker, const Evaluated &best,
                          llvm::ArrayRef<Found> plans, size_t most, std::vector<ReducedCandidate> &candidates) {
  // What is as fast but for a thousandth is hardly another plan.
  constexpr int64_t leastSlower = 1000;
  const std::vector<Goal> &goals = search.request.goals;
  auto time = llvm::find(goals, Goal::Time) - goals.begin();
  int64_t bestPs = best.rating.parts[time];
  std::vector<ReducedCandidate> found;
  for (const Found &plan : plans) {
    const auto &parts = plan.evaluated.rating.parts;
    bool isAsGood = std::equal(best.rating.parts.begin(), best.rating.parts.begin() + time, parts.begin());
    if (!isAsGood || parts[time] / 2 > bestPs || parts[time] <= bestPs + bestPs / leastSlower)
      continue;
    walker.evaluate(plan.moves);
    const Cost &cost = walker.getCost();
    ReducedCandidate candidate{plan.moves, cost.timePs, cost.timePs - cost.exposedPs};
    auto isAlike = [&](const ReducedCandidate &other) {
      return other.timePs == candidate.timePs && other.leastPs == candidate.leastPs;
    };
    if (llvm::none_of(found, isAlike) && llvm::none_of(candidates, isAlike))
      found.push_back(std::move(candidate));
  }
  llvm::sort(found, [](const ReducedCandidate &a, const ReducedCandidate &b) {
    return std::tuple(a.timePs + a.leastPs, a.timePs) < std::tuple(b.timePs + b.leastPs, b.timePs);
  });
  found.resize(std::min(found.size(), most));
  llvm::append_range(candidates, found);
}

/// Experts' plans, then those that came close.
static std::vector<ReducedCandidate> listCandidates(const PreparedSearch &search, PlanWalker &walker,
                                                    const Evaluated &best, const SearchOutcome &outcome) {
  constexpr size_t mostExperts = 3, mostOthers = 1;
  std::vector<Found> experts;
  for (const Seed &seed : listBestSeeds(outcome.seeds))
    experts.push_back({seed.moves, seed.evaluated});
  std::vector<ReducedCandidate> candidates;
  addCandidates(search, walker, best, experts, mostExperts, candidates);
  addCandidates(search, walker, best, outcome.others, mostOthers, candidates);
  return candidates;
}

TimelineChoice chooseReduced(const PreparedSearch &search, PlanWalker &walker, TimelineChoice chosen,
                             const SearchOutcome &outcome) {
  const PlanRequest &request = search.request;
  auto first = llvm::find_if(request.goals, [](Goal goal) { return goal != Goal::Fit; });
  if (!request.mayReduce || outcome.stopReason == StopReason::Interrupted || first == request.goals.end() ||
      *first != Goal::Time || !request.given.reductions.empty() || !mayProgramsPay(request.machine))
    return chosen;
  std::vector<ReducedCandidate> candidates = listCandidates(search, walker, walker.evaluate(chosen.moves), outcome);
  if (candidates.empty())
    return chosen;
  ReducedPricer pricer(search);
  std::optional<int64_t> leastPs = pricer.price(chosen.moves);
  if (!leastPs)
    return chosen;
  // One that is hardly faster is not worth another plan.
  int64_t limitPs = *leastPs - *leastPs / 100;
  for (const ReducedCandidate &candidate : candidates) {
    if (candidate.leastPs >= limitPs)
      continue;
    std::optional<int64_t> timePs = pricer.price(candidate.moves);
    if (timePs && *timePs < limitPs) {
      limitPs = *timePs;
      chosen.moves = candidate.moves;
    }
  }
  return chosen;
}

} // namespace partita::search
