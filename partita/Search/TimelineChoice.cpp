//===- TimelineChoice.cpp - the simulation chooses among the best plans ---===//

#include "partita/Search/TimelineChoice.h"

#include "partita/Search/MoveSimulator.h"
#include "partita/Search/Simplification.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

namespace {

/// A plan that may be chosen.
struct Candidate {
  Found plan;
  /// A seed, or the plan without splits.
  bool isExpert = false;
};

/// Who may be chosen in place of the best: who equals it in the goals before time, is hardly slower by the formula, and
/// no slower than any expert's plan, so that the found plan is first in every table.
class CandidateFilter {
public:
  CandidateFilter(llvm::ArrayRef<Goal> goals, const Rating &best)
      : time(llvm::find(goals, Goal::Time) - goals.begin()), best(best),
        maxPs(static_cast<int64_t>(double(best.parts[time]) * (1 + Allowance().share))) {}

  void addExpert(const Rating &rating) {
    if (meetsGoalsBeforeTime(rating))
      maxPs = std::min(maxPs, std::max(best.parts[time], rating.parts[time]));
  }
  bool accepts(const Rating &rating) const { return meetsGoalsBeforeTime(rating) && rating.parts[time] <= maxPs; }

private:
  bool meetsGoalsBeforeTime(const Rating &rating) const {
    return std::equal(best.parts.begin(), best.parts.begin() + time, rating.parts.begin());
  }

  size_t time;
  Rating best;
  int64_t maxPs;
};

} // namespace

/// The candidates beside the best, each state once: seeds, then runners-up.
static std::vector<Candidate> listCandidates(llvm::ArrayRef<Goal> goals, PlanWalker &walker, const Found &best,
                                             const SearchOutcome &outcome) {
  constexpr size_t maxExperts = 8, maxOthers = 3;
  Found unsplit{Moves(), walker.evaluate(Moves())};
  std::vector<Seed> seeds = listBestSeeds(outcome.seeds);
  CandidateFilter filter(goals, best.evaluated.rating);
  filter.addExpert(unsplit.evaluated.rating);
  for (const Seed &seed : seeds)
    filter.addExpert(seed.evaluated.rating);
  std::vector<Candidate> candidates;
  auto isKnown = [&](const Evaluated &evaluated) {
    auto isSame = [&](const Candidate &known) { return known.plan.evaluated.state == evaluated.state; };
    return evaluated.state == best.evaluated.state || llvm::any_of(candidates, isSame);
  };
  auto add = [&](const Found &plan, bool isExpert) {
    if (filter.accepts(plan.evaluated.rating) && !isKnown(plan.evaluated))
      candidates.push_back({{dropIneffective(plan.moves, plan.evaluated), plan.evaluated}, isExpert});
  };
  for (const Seed &seed : seeds)
    if (candidates.size() < maxExperts)
      add({seed.moves, seed.evaluated}, /*isExpert=*/true);
  add(unsplit, /*isExpert=*/true);
  size_t numExperts = candidates.size();
  for (const Found &other : outcome.others) {
    // A plan with the same time and memory is hardly a different plan.
    auto isAlike = [&](const Found &known) { return known.evaluated.rating == other.evaluated.rating; };
    bool isNew = !isAlike(best) && llvm::none_of(llvm::ArrayRef(candidates).drop_front(numExperts),
                                                 [&](const Candidate &known) { return isAlike(known.plan); });
    if (isNew && candidates.size() < numExperts + maxOthers)
      add(other, /*isExpert=*/false);
  }
  return candidates;
}

/// Whether time is the first goal after `fit`.
static bool isForTime(llvm::ArrayRef<Goal> goals) {
  const Goal *first = llvm::find_if(goals, [](Goal goal) { return goal != Goal::Fit; });
  return first != goals.end() && *first == Goal::Time;
}

/// Simulates all or none, so that only times of one kind are compared.
static SimulatedTimes simulateAll(const PreparedSearch &search, PlanWalker &walker, const Candidate &best,
                                  llvm::ArrayRef<Candidate> candidates) {
  SimulatedTimes times;
  MoveSimulator simulator(search, walker);
  auto add = [&](const Candidate &candidate) {
    if (std::optional<int64_t> timePs = simulator.computePs(candidate.plan.moves))
      times.ofStates[candidate.plan.evaluated.state] = *timePs;
  };
  add(best);
  for (const Candidate &candidate : candidates) {
    if (search.request.evaluatorOptions.isInterrupted && search.request.evaluatorOptions.isInterrupted())
      break;
    add(candidate);
  }
  return times.ofStates.size() == candidates.size() + 1 ? times : SimulatedTimes();
}

TimelineChoice chooseByTimeline(const PreparedSearch &search, PlanWalker &walker, const Moves &best,
                                const SearchOutcome &outcome) {
  const PlanRequest &request = search.request;
  if (!request.existing || outcome.stopReason == StopReason::Interrupted || !isForTime(request.goals))
    return {best, {}};
  Candidate chosen{{best, walker.evaluate(best)}, false};
  std::vector<Candidate> candidates = listCandidates(request.goals, walker, chosen.plan, outcome);
  if (candidates.empty())
    return {best, {}};
  SimulatedTimes times = simulateAll(search, walker, chosen, candidates);
  if (times.ofStates.empty())
    return {best, {}};
  auto getPs = [&](const Candidate &candidate) { return *times.find(candidate.plan.evaluated.state); };
  // Runners-up still have moves that gain next to nothing, which were dropped from the best.
  for (const Candidate &candidate : candidates)
    if (!candidate.isExpert && double(getPs(candidate)) < double(getPs(chosen)) * (1 - Allowance().share))
      chosen = candidate;
  for (const Candidate &candidate : candidates)
    if (candidate.isExpert && getPs(candidate) < getPs(chosen))
      chosen = candidate;
  return {chosen.plan.moves, std::move(times)};
}

} // namespace partita::search
