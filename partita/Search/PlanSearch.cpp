//===- PlanSearch.cpp - from a program and a machine to tactics -----------===//

#include "partita/Search/PlanSearch.h"

#include "partita/Search/Bound/Bound.h"
#include "partita/Search/Simplification.h"

#include "llvm/ADT/STLExtras.h"

#include <thread>

namespace partita::search {

/// Passes every state to the request's onState.
static OnEvaluated makeWatcher(const PreparedSearch &search) {
  const PlanRequest &request = search.request;
  if (!request.onState)
    return nullptr;
  std::vector<std::string> words;
  for (MoveId move : idRange<MoveId>(search.table.moves.size()))
    words.push_back(search.tactics.describe(move));
  int64_t budget = chooseBudget(request.search, search.space);
  return [&request, budget, words = std::move(words),
          number = int64_t(0)](llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated, bool isBest) mutable {
    EvaluatedState state{++number, budget, {}, evaluated.rating, isBest};
    if (isBest || request.watchesAll)
      for (MoveId move : moves)
        state.words.push_back(words[move.get()]);
    request.onState(state);
  };
}

/// The best list without moves that gain next to nothing; still no worse than any seed.
static Moves simplifyBest(const PlanRequest &request, PlanWalker &walker, const SearchOutcome &outcome) {
  Allowance allowance;
  allowance.part = request.goals.size() - 1;
  // After an interruption, allow no loss: observers have seen the best rating.
  if (outcome.stopReason == StopReason::Interrupted)
    allowance.share = 0;
  for (const Seed &seed : outcome.seeds)
    allowance.ceiling = std::min(allowance.ceiling, seed.evaluated.rating);
  return simplifyMoves(walker, dropIneffective(outcome.best->moves, outcome.best->evaluated), allowance);
}

/// The lower bound of the time of all plans within the memory limit; if the found one does not fit, of all plans. Goes
/// on with what the search has begun, if that is not null.
static int64_t computeBound(const PreparedSearch &search, BoundAscent *begun, const Cost &cost) {
  const PlanRequest &request = search.request;
  BoundOptions options;
  options.isLimited = llvm::is_contained(request.goals, Goal::Fit) && cost.peakBytes <= search.model.getMemoryLimit();
  options.knownPs = cost.timePs;
  // A deadline limits the search; the bound may take a little longer, but not much.
  options.isOver = [&evaluator = request.evaluatorOptions] {
    constexpr std::chrono::milliseconds grace(500);
    return (evaluator.isInterrupted && evaluator.isInterrupted()) ||
           (evaluator.deadline && std::chrono::steady_clock::now() > *evaluator.deadline + grace);
  };
  return begun ? begun->ascend(options) : computeLowerBoundPs(search.model, options);
}

/// Also adds the cost of every state to `evaluated`.
static OnEvaluated makeRecorder(const PlanRequest &request, std::vector<EvaluatedCost> &evaluated,
                                OnEvaluated watcher) {
  return [&request, &evaluated, watcher = std::move(watcher)](llvm::ArrayRef<MoveId> moves, const Evaluated &state,
                                                              bool isBest) {
    evaluated.push_back(
        {getPart(request.goals, state.rating, Goal::Time), getPart(request.goals, state.rating, Goal::Memory)});
    if (watcher)
      watcher(moves, state, isBest);
  };
}

Result<FoundTactics> findTactics(const PlanRequest &request) {
  Result<std::unique_ptr<PreparedSearch>> prepared = prepareSearch(request);
  if (!prepared)
    return prepared.error();
  const PreparedSearch &search = **prepared;
  PlanWalker walker(search.space.getProblem());
  StateEvaluatorOptions evaluatorOptions = request.evaluatorOptions;
  std::vector<EvaluatedCost> evaluated;
  evaluatorOptions.onEvaluated = makeRecorder(request, evaluated, makeWatcher(search));
  auto start = std::chrono::steady_clock::now();
  SearchOutcome outcome = runSearch(search.space, request.search, std::move(evaluatorOptions));
  std::chrono::duration<double> searchTime = std::chrono::steady_clock::now() - start;
  if (!outcome.best) {
    return Error::interrupted("the search was interrupted before it had anything to give");
  }
  Moves formulaBest = simplifyBest(request, walker, outcome);
  TimelineChoice choice = chooseByTimeline(search, walker, formulaBest, outcome);
  // After an interruption, return at once: a comparison takes as long as some dozen states.
  bool isCompared = outcome.stopReason != StopReason::Interrupted;
  walker.evaluate(choice.moves);
  int64_t lowerBoundPs = 0;
  auto bound = [&, cost = walker.getCost()] { lowerBoundPs = computeBound(search, outcome.bound.get(), cost); };
  std::jthread ofBound;
  if (isCompared && chooseThreads(request.search) > 1)
    ofBound = std::jthread(bound);
  else if (isCompared)
    bound();
  FoundTactics found;
  static_cast<PlanDescription &>(found) = describePlan(search, walker, choice);
  if (isCompared)
    static_cast<PlanComparison &>(found) = comparePlan(search, walker, choice, found, formulaBest, outcome);
  found.budget = outcome.budget;
  found.numEvaluations = outcome.numEvaluations;
  found.evaluated = std::move(evaluated);
  found.winnerStage = choice.moves == formulaBest ? outcome.winnerStage : "timeline";
  found.searchSeconds = searchTime.count();
  found.stopReason = outcome.stopReason;
  found.isComplete = outcome.isComplete();
  found.numOps = request.analysis.getGraph().ops.size();
  found.numSearchedOps = search.program.getGraph().ops.size();
  found.numGroups = search.program.groups.list.size();
  found.numMoves = search.table.moves.size();
  if (ofBound.joinable())
    ofBound.join();
  found.lowerBoundPs = lowerBoundPs;
  return found;
}

} // namespace partita::search
