//===- PlanSearch.cpp - from a program and a machine to tactics -----------===//

#include "partita/Search/PlanSearch.h"

#include "partita/Search/Bound/Bound.h"
#include "partita/Search/SearchAnswers.h"
#include "partita/Search/SearchBudget.h"
#include "partita/Search/Simplification.h"
#include "partita/Search/UniformStart.h"

#include "llvm/ADT/STLExtras.h"

#include <thread>
#include <unordered_map>

namespace partita::search {

/// Passes every state to the request's onState.
static OnEvaluated makeWatcher(const PreparedSearch &search, const SearchOptions &options) {
  const PlanRequest &request = search.request;
  if (!request.onState)
    return nullptr;
  std::vector<std::string> words;
  for (MoveId move : idRange<MoveId>(search.table.moves.size()))
    words.push_back(search.tactics.describe(move));
  int64_t budget = chooseBudget(options, search.space);
  return [&request, budget, words = std::move(words),
          number = int64_t(0)](llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated, bool isBest) mutable {
    EvaluatedState state{++number, budget, {}, evaluated.rating, isBest};
    if (isBest || request.watchesAll)
      for (MoveId move : moves)
        state.words.push_back(words[move.get()]);
    request.onState(state);
  };
}

/// Goes on from the search that the options name, if they name one: sets the answers, and adds what was evaluated to
/// the budget. Prices of another build are refused.
static Status resume(const PreparedSearch &search, PlanWalker &walker, SearchOptions &options,
                     std::vector<std::pair<uint64_t, Evaluated>> &answers) {
  if (options.resume.empty())
    return std::nullopt;
  Result<std::vector<SearchAnswers>> sections = readAnswers(options.resume);
  if (!sections)
    return sections.error();
  size_t numMoves = search.table.moves.size();
  Result<SearchAnswers> earlier = findAnswers(*sections, describeAnswers(search.request, numMoves), options.resume);
  if (!earlier)
    return earlier.error();
  auto isOther = [&](const Moves &moves) {
    uint64_t hash = hashMoves(search.space.canonicalize(moves));
    auto known = llvm::find_if(earlier->list, [&](const auto &answer) { return answer.first == hash; });
    return known != earlier->list.end() && known->second != walker.evaluate(search.space.canonicalize(moves));
  };
  auto isUnknown = [&](MoveId move) { return move.get() >= numMoves; };
  if (llvm::any_of(earlier->best, isUnknown) || isOther({}) || isOther(earlier->best))
    return Error::usage("the search of '" + options.resume + "' cannot go on: another build of Partita priced it")
        .withRemedy("search again without --resume");
  options.budget = chooseBudget(options, search.space) + earlier->countStates();
  // Other lists that lead to a state have its rating, as in one search.
  for (const auto &[hash, evaluated] : earlier->list)
    search.shared.addRating(evaluated.state, evaluated.rating);
  answers = std::move(earlier->list);
  return std::nullopt;
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

namespace {

struct FoundBound {
  int64_t lowerBoundPs = 0, leastComputePs = 0;
};

} // namespace

/// The lower bound of the time of all plans within the memory limit; if the found one does not fit, of all plans. Goes
/// on with what the search has begun, if that is not null.
static FoundBound computeBound(const PreparedSearch &search, BoundAscent *begun, const Cost &cost) {
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
  BoundAscent anew(search.model);
  BoundAscent &ascent = begun ? *begun : anew;
  int64_t lowerBoundPs = ascent.ascend(options);
  return {lowerBoundPs, ascent.getLeastComputePs()};
}

namespace {

/// The costs of all states of a search.
struct StateRecord {
  std::vector<EvaluatedCost> evaluated;
  PlanFront front;
};

} // namespace

/// Also adds the cost of every state to `record`.
static OnEvaluated makeRecorder(const PlanRequest &request, StateRecord &record, OnEvaluated watcher) {
  return [&request, &record, watcher = std::move(watcher)](llvm::ArrayRef<MoveId> moves, const Evaluated &state,
                                                           bool isBest) {
    EvaluatedCost cost{getPart(request.goals, state.rating, Goal::Time),
                       getPart(request.goals, state.rating, Goal::Memory)};
    record.evaluated.push_back(cost);
    record.front.add(cost.timePs, cost.peakBytes, moves);
    if (watcher)
      watcher(moves, state, isBest);
  };
}

/// The best plan and those of the front in words.
static std::vector<CarriedPlan> describeFront(const PreparedSearch &search, const PlanFront &front, const Found &best) {
  constexpr size_t most = 8;
  const std::vector<Goal> &goals = search.request.goals;
  std::vector<FrontEntry> entries = front.list(most);
  entries.insert(entries.begin(), {getPart(goals, best.evaluated.rating, Goal::Time),
                                   getPart(goals, best.evaluated.rating, Goal::Memory), best.moves});
  std::vector<CarriedPlan> plans;
  for (const FrontEntry &entry : entries) {
    CarriedPlan &plan = plans.emplace_back(CarriedPlan{entry.timePs, entry.peakBytes, {}});
    for (MoveId move : entry.moves)
      plan.moves.push_back(search.tactics.describe(move));
    if (!search.request.isProbe)
      plan.tactics = search.tactics.build(entry.moves);
  }
  return plans;
}

/// The carried plans as lists of this search's moves; of moves with the same words, the first.
static SearchStarts bindStarts(const PreparedSearch &search) {
  SearchStarts starts;
  if (search.request.carried.empty())
    return starts;
  std::unordered_map<std::string, MoveId> known;
  for (MoveId move : idRange<MoveId>(search.table.moves.size()))
    known.try_emplace(search.tactics.describe(move), move);
  for (const CarriedPlan &plan : search.request.carried) {
    Moves list;
    for (const std::string &words : plan.moves)
      if (auto found = known.find(words); found != known.end())
        list.push_back(found->second);
    if (!list.empty() && !llvm::is_contained(starts.carried, list))
      starts.carried.push_back(std::move(list));
  }
  return starts;
}

/// How the search went.
static void addOutcome(const PreparedSearch &search, const SearchOutcome &outcome, StateRecord record,
                       FoundTactics &found) {
  found.budget = outcome.budget;
  found.numEvaluations = outcome.numEvaluations;
  found.evaluated = std::move(record.evaluated);
  found.front = describeFront(search, record.front, *outcome.best);
  found.stopReason = outcome.stopReason;
  found.isComplete = outcome.isComplete();
  found.numOps = search.request.analysis.getGraph().ops.size();
  found.numSearchedOps = search.program.getGraph().ops.size();
  found.numGroups = search.program.groups.list.size();
  found.numMoves = search.table.moves.size();
  if (search.request.isProbe)
    return;
  SearchAnswers answers = describeAnswers(search.request, search.table.moves.size());
  answers.best = outcome.best->moves;
  answers.list = outcome.answers;
  found.answers = printAnswers(answers);
}

/// Whether two figures are within one in a hundred.
static bool isNear(int64_t a, int64_t b) { return std::abs(a - b) <= std::max(a, b) / 100; }

/// Whether the found plan, which `folded` is on the folded program, costs as much on the whole one.
static bool hasPriceOfWhole(const PreparedSearch &search, const Assignment &folded, const PlanDescription &found) {
  const PlanRequest &request = search.request;
  const Folding &folding = search.program.folding;
  if (!folding.isFolded())
    return true;
  Schedule schedule = request.given;
  llvm::append_range(schedule.tactics, found.tactics);
  auto apply = [&](const Topology &topology) -> std::optional<Assignment> {
    CellNames names(topology.getGraph());
    Assignment assignment(topology, request.axes);
    return applySchedule(schedule, names, assignment, nullptr) ? std::optional(std::move(assignment)) : std::nullopt;
  };
  std::optional<Assignment> whole = apply(request.analysis.getTopology());
  if (!whole || areLayersAlike(*whole, folded, folding))
    return true;
  const FoldedProgram &unfolded = request.analysis.getUnfolded();
  whole = apply(unfolded.topology);
  CostModel model(unfolded.topology, request.axes, request.machine, request.placement, request.cost, unfolded.liveTimes,
                  unfolded.folding.multiplicity);
  ReshardPlanner planner(request.axes);
  Cost cost = evaluateCost(model, *whole, planner);
  return isNear(cost.timePs, found.cost.timePs) && isNear(cost.peakBytes, found.cost.peakBytes);
}

/// Chooses the plan, describes it, compares it and bounds it. False if the plan does not cost on the whole program what
/// the search was told.
static bool addPlan(const PreparedSearch &search, PlanWalker &walker, const SearchOutcome &outcome,
                    FoundTactics &found) {
  const PlanRequest &request = search.request;
  Moves formulaBest = simplifyBest(request, walker, outcome);
  TimelineChoice choice = chooseByTimeline(search, walker, formulaBest, outcome);
  found.winnerStage = choice.moves == formulaBest ? outcome.winnerStage : "timeline";
  // After an interruption, return at once: a comparison takes as long as some dozen states.
  bool isCompared = outcome.stopReason != StopReason::Interrupted;
  walker.evaluate(choice.moves);
  Cost cost = walker.getCost();
  static_cast<PlanDescription &>(found) = describePlan(search, walker, choice);
  walker.evaluate(choice.moves);
  if (isCompared && !hasPriceOfWhole(search, walker.getAssignment(), found))
    return false;
  FoundBound known;
  auto bound = [&] { known = computeBound(search, outcome.bound.get(), cost); };
  std::jthread ofBound;
  if (isCompared && chooseThreads(request.search) > 1)
    ofBound = std::jthread(bound);
  else if (isCompared)
    bound();
  if (isCompared)
    static_cast<PlanComparison &>(found) = comparePlan(search, walker, choice, found, formulaBest, outcome);
  if (ofBound.joinable())
    ofBound.join();
  found.lowerBoundPs = known.lowerBoundPs;
  found.leastComputePs = known.leastComputePs;
  return true;
}

/// The same search on the whole program, behind one on the folded program that came to nothing.
static Result<FoundTactics> searchUnfolded(const PlanRequest &request, const FoundTactics &folded) {
  PlanRequest whole = request;
  whole.search.noFold = true;
  Result<FoundTactics> found = findTactics(whole);
  if (found) {
    found->answers = folded.answers + found->answers;
    found->searchSeconds += folded.searchSeconds;
  }
  return found;
}

Result<FoundTactics> findTactics(const PlanRequest &request) {
  Result<std::unique_ptr<PreparedSearch>> prepared = prepareSearch(request);
  if (!prepared)
    return prepared.error();
  const PreparedSearch &search = **prepared;
  PlanWalker walker(search.space.getProblem());
  StateEvaluatorOptions evaluatorOptions = request.evaluatorOptions;
  StateRecord record;
  SearchOptions options = request.search;
  if (Status failed = resume(search, walker, options, evaluatorOptions.answers))
    return std::move(*failed);
  evaluatorOptions.onEvaluated = makeRecorder(request, record, makeWatcher(search, options));
  auto start = std::chrono::steady_clock::now();
  SearchOutcome outcome = runSearch(search.space, options, std::move(evaluatorOptions), bindStarts(search));
  std::chrono::duration<double> searchTime = std::chrono::steady_clock::now() - start;
  if (!outcome.best)
    return Error::interrupted("the search was interrupted before it had anything to give");
  FoundTactics found;
  found.searchSeconds = searchTime.count();
  bool isRight = true;
  if (request.isProbe)
    static_cast<PlanDescription &>(found) = describeProbe(search, walker, outcome.best->moves);
  else
    isRight = addPlan(search, walker, outcome, found);
  addOutcome(search, outcome, std::move(record), found);
  return isRight ? std::move(found) : searchUnfolded(request, found);
}

} // namespace partita::search
