//===- Search.cpp - the stages of a search --------------------------------===//

#include "partita/Search/Search.h"

#include "partita/Search/Baselines.h"
#include "partita/Search/Refinement.h"
#include "partita/Search/TreeSearch.h"
#include "partita/Support/Hash.h"

#include "llvm/ADT/StringExtras.h"

#include <functional>
#include <thread>

namespace partita::search {

namespace {

/// The result of a greedy completion, and whether it started from a seed.
struct Completion {
  Found found;
  bool isOfSeed = false;
};

/// What stages read and leave for later ones.
struct SearchState {
  SearchState(StateEvaluator &evaluator, const MoveTable &table, const SearchOptions &options, int64_t budget)
      : evaluator(evaluator), table(table), options(options), budget(budget), tree(evaluator) {}

  StateEvaluator &evaluator;
  const MoveTable &table;
  const SearchOptions &options;
  int64_t budget;
  std::vector<Seed> seeds;
  std::vector<Completion> completions;
  /// The refined list of each start.
  std::vector<Found> refined;
  TreeSearch tree;
};

using Step = std::function<void()>;
using Steps = std::vector<Step>;

struct Stage {
  llvm::StringRef name;
  /// The share of the remaining evaluations that each step may spend.
  double share;
  /// Lists the steps, in order, before the first is run. They refer to the state.
  Steps (*list)(SearchState &);
};

} // namespace

/// Lets a step spend `share` of the remaining evaluations; skips it if the search is over.
static void spend(SearchState &state, double share, llvm::function_ref<void()> step) {
  int64_t left = state.budget - state.evaluator.getNumEvaluations();
  state.evaluator.setAllowance(share < 1 ? int64_t(double(left) * share) : left);
  if (!state.evaluator.isOver())
    step();
  state.evaluator.liftAllowance();
}

/// Whether lists differ in fewer than two moves.
static bool areAlike(const Moves &a, const Moves &b) {
  auto isShared = [&](MoveId move) { return llvm::is_contained(b, move); };
  return size_t(llvm::count_if(a, isShared)) + 2 > std::max(a.size(), b.size());
}

/// The first `count` lists that differ from each other in at least two moves.
static std::vector<Found> chooseDifferent(llvm::ArrayRef<Found> lists, size_t count) {
  std::vector<Found> chosen;
  for (const Found &found : lists) {
    auto isAlike = [&](const Found &other) { return areAlike(found.moves, other.moves); };
    if (chosen.size() < count && llvm::none_of(chosen, isAlike))
      chosen.push_back(found);
  }
  return chosen;
}

//===----------------------------------------------------------------------===//
// start, seeds, alone
//===----------------------------------------------------------------------===//

static Steps listStart(SearchState &state) {
  return {[&state] { state.evaluator.evaluate(Moves()); }};
}

static Steps listSeeds(SearchState &state) {
  if (state.options.noSeeds)
    return {};
  size_t maxSeeds = std::clamp<int64_t>(state.budget / 12, 64, 400);
  return {[&state, maxSeeds] { state.seeds = evaluateSeeds(state.evaluator, state.table, maxSeeds); }};
}

/// Evaluates every move alone, which greedy completions build on: one of those that do the same; proposed ones first;
/// with at most a third of the budget.
static Steps listAlone(SearchState &state) {
  return {[&evaluator = state.evaluator, budget = state.budget] {
    constexpr int64_t least = 64;
    const Space &space = evaluator.getSpace();
    std::vector<MoveId> order = evaluator.propose({});
    llvm::erase_if(order, [&](MoveId move) { return move.get() >= space.getNumMoves(); });
    std::vector<uint8_t> isListed(space.getNumMoves(), 0);
    for (MoveId move : order)
      isListed[move.get()] = 1;
    for (MoveId move : idRange<MoveId>(space.getNumMoves()))
      if (!isListed[move.get()])
        order.push_back(move);
    llvm::erase_if(order, [&](MoveId move) { return space.getRepresentative(move) != move; });
    order.resize(std::min<size_t>(order.size(), std::max(least, budget / 3)));
    std::vector<Moves> lists;
    lists.reserve(order.size());
    for (MoveId move : order)
      lists.push_back(Moves{move});
    evaluator.evaluate(lists);
  }};
}

//===----------------------------------------------------------------------===//
// greedy, partial
//===----------------------------------------------------------------------===//

/// Completes the empty list, the early moves, and the seed that is best under the weight.
static void completeByWeight(SearchState &state, double weight) {
  StateEvaluator &evaluator = state.evaluator;
  const Space &space = evaluator.getSpace();
  auto objective = [&](const Rating &rating) { return space.getBlend(rating, weight); };
  std::vector<Moves> starts{Moves()};
  if (Moves early = space.getEarlyMoves(); !early.empty())
    starts.push_back(early);
  size_t numOwn = starts.size();
  if (!state.seeds.empty()) {
    auto isLess = [&](const Seed &a, const Seed &b) {
      return objective(a.evaluated.rating) < objective(b.evaluated.rating);
    };
    starts.push_back(std::min_element(state.seeds.begin(), state.seeds.end(), isLess)->moves);
  }
  for (size_t number = 0; number < starts.size() && !evaluator.isOver(); ++number) {
    Found found = completeGreedily(evaluator, starts[number], objective);
    // The first moves may use the better axis for what another could do as well.
    std::vector<Moves> mirrors = space.getMirrors(found.moves);
    llvm::append_range(mirrors, space.getCopies(found.moves));
    std::vector<Evaluated> answers = evaluator.evaluate(mirrors);
    double least = objective(found.evaluated.rating);
    for (size_t i = 0; i < mirrors.size(); ++i)
      if (answers[i].rating != Rating::worst() && objective(answers[i].rating) < least) {
        found = {mirrors[i], answers[i]};
        least = objective(answers[i].rating);
      }
    // The weight traded one goal for another, so complete the list by the goals themselves if there is budget left.
    Found finished = evaluator.isOver() ? found : completeGreedily(evaluator, found.moves);
    state.completions.push_back({std::move(finished), number >= numOwn});
  }
}

static Steps listGreedy(SearchState &state) {
  Steps steps;
  for (double weight : {2.0, 0.0, 8.0})
    steps.push_back([&state, weight] { completeByWeight(state, weight); });
  return steps;
}

/// Drops one axis of the best list and completes the partial plan by other moves: if each axis does what is best for it
/// alone, no single move improves the plan. A completion counts if it becomes the best list.
static Steps listPartial(SearchState &state) {
  return {[&evaluator = state.evaluator] {
    if (!evaluator.getBest())
      return;
    for (const PartialPlan &rest : evaluator.getSpace().getPartialPlans(evaluator.getBest()->moves))
      if (!evaluator.isOver())
        completeOtherwise(evaluator, rest);
  }};
}

//===----------------------------------------------------------------------===//
// refine, tree, second, final
//===----------------------------------------------------------------------===//

/// The starts are the best list, the best completion that did not start from a seed (seeds may lead all others to one
/// local optimum), and other completions.
static Steps listRefine(SearchState &state) {
  // The least gain of one more move, so that these sweeps leave budget for the sweeps in parts.
  constexpr double leastFirstGain = 0.001;
  std::vector<Completion> completions = state.completions;
  llvm::sort(completions, [](const Completion &a, const Completion &b) {
    return std::tie(a.found.evaluated.rating, a.found.moves) < std::tie(b.found.evaluated.rating, b.found.moves);
  });
  std::vector<Found> starts;
  if (state.evaluator.getBest())
    starts.push_back(*state.evaluator.getBest());
  auto own = llvm::find_if(completions, [](const Completion &each) { return !each.isOfSeed; });
  if (own != completions.end())
    starts.push_back(own->found);
  for (const Completion &each : completions)
    starts.push_back(each.found);
  Steps steps;
  for (const Found &start : chooseDifferent(starts, 3))
    steps.push_back([&state, start] {
      Found swept = refineBySweeps(state.evaluator, start, SweepKind::Quick, leastFirstGain);
      state.refined.push_back(refineInParts(state.evaluator, std::move(swept)));
    });
  return steps;
}

static Steps listTree(SearchState &state) {
  return {[&state] {
    for (const Found &found : state.evaluator.getKept())
      state.tree.learn(found.moves, found.evaluated);
    for (const Found &found : chooseDifferent(state.evaluator.getKept(), 4))
      state.tree.insertPath(found);
    state.tree.run();
  }};
}

/// The best list; then the refined list of each start, as it is and in parts, where single groups can still change,
/// since the other kept lists may all be close to the best; then the other kept lists.
static Steps listSecond(SearchState &state) {
  std::vector<Found> lists = state.evaluator.getKept();
  size_t position = lists.empty() ? 0 : 1;
  for (const Found &found : state.refined)
    for (const Moves &moves : {found.moves, state.evaluator.expand(found.moves)})
      if (std::optional<Evaluated> known = state.evaluator.findKnown(moves))
        lists.insert(lists.begin() + static_cast<ptrdiff_t>(position++), {moves, *known});
  Steps steps;
  for (const Found &found : chooseDifferent(lists, 3))
    steps.push_back([&state, found] { refineBySweeps(state.evaluator, found, SweepKind::Quick); });
  return steps;
}

static Steps listFinal(SearchState &state) {
  return {[&state] {
    StateEvaluator &evaluator = state.evaluator;
    for (uint64_t round = 0; !evaluator.isOver() && evaluator.getBest(); ++round) {
      RefinementOptions refinement;
      refinement.seed = mixHash(state.options.seed + round);
      Rating before = evaluator.getBest()->evaluated.rating;
      refine(evaluator, *evaluator.getBest(), refinement);
      spend(state, 0.5, [&] { state.tree.run(); });
      if (!(evaluator.getBest()->evaluated.rating < before))
        return;
    }
  }};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr Stage stages[] = {
    {"start", 1, listStart},       // The empty list.
    {"seeds", 1, listSeeds},       // Strategies of experts.
    {"alone", 1, listAlone},       // Every move alone.
    {"greedy", 0.2, listGreedy},   // For each weight of the missing bytes.
    {"partial", 0.3, listPartial}, // The best list without one axis.
    {"refine", 0.5, listRefine},   // For each of three starts.
    {"tree", 0.3, listTree},       // Grown from the root and the best lists.
    {"second", 0.3, listSecond},   // For each of three lists.
    {"final", 1, listFinal},       // Rounds until nothing is better.
};

Status checkStages(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words, names;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  for (const Stage &stage : stages)
    names.push_back(stage.name);
  for (llvm::StringRef word : words)
    if (!llvm::is_contained(names, word.trim()))
      return Error::usage("'" + word.str() + "' is no stage of the search")
          .withRemedy("stages are " + llvm::join(names, ", "));
  return std::nullopt;
}

/// Whether the options have the stage; the first one always runs.
static bool isChosen(const Stage &stage, llvm::StringRef chosen) {
  llvm::SmallVector<llvm::StringRef> words;
  chosen.split(words, ',', -1, /*KeepEmpty=*/false);
  return &stage == stages || words.empty() ||
         llvm::any_of(words, [&](llvm::StringRef word) { return word.trim() == stage.name; });
}

/// Runs the stages that the options choose.
static void runStages(StateEvaluator &evaluator, const MoveTable &table, const SearchOptions &options,
                      SearchOutcome &outcome) {
  SearchState state(evaluator, table, options, outcome.budget);
  Rating best = Rating::worst();
  for (const Stage &stage : stages) {
    if (!isChosen(stage, options.stages))
      continue;
    for (const Step &step : stage.list(state))
      spend(state, stage.share, step);
    if (evaluator.getBest() && evaluator.getBest()->evaluated.rating < best) {
      best = evaluator.getBest()->evaluated.rating;
      outcome.winnerStage = stage.name.str();
    }
  }
  outcome.seeds = std::move(state.seeds);
}

/// More distinct moves need a larger budget. Eight states for each move are what llama 8B needs to reach its best plan;
/// with many moves, each can be combined with more others. Small programs are cheap to evaluate and get more.
int64_t chooseBudget(const SearchOptions &options, const Space &space) {
  if (options.budget > 0)
    return options.budget;
  constexpr int64_t statesPerMove = 8, many = 104, statesBeyond = 24, most = 6000;
  constexpr size_t smallProgram = 2000;
  int64_t least = space.getNumOps() < smallProgram ? 900 : 600;
  int64_t numDistinct = 0;
  for (MoveId move : idRange<MoveId>(space.getNumMoves()))
    numDistinct += space.getRepresentative(move) == move;
  int64_t numBeyond = std::max<int64_t>(0, numDistinct - many);
  return std::clamp(statesPerMove * (numDistinct - numBeyond) + statesBeyond * numBeyond, least, most);
}

/// Batches have work for a few threads only, and each thread keeps its own prices and assignment in memory.
int64_t chooseThreads(const SearchOptions &options) {
  constexpr int64_t most = 8;
  return options.threads > 0 ? options.threads : std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, most);
}

SearchOutcome runSearch(const PlanSpace &space, const SearchOptions &options, StateEvaluatorOptions evaluatorOptions) {
  SearchOutcome outcome;
  outcome.budget = chooseBudget(options, space);
  evaluatorOptions.budget = outcome.budget;
  evaluatorOptions.threads = chooseThreads(options);
  StateEvaluator evaluator(space, std::move(evaluatorOptions));
  if (options.method == "mcts")
    runStages(evaluator, space.getProblem().table, options, outcome);
  else if (options.method == "beam")
    searchByBeam(evaluator, 8);
  else if (options.method == "random")
    searchAtRandom(evaluator, options.seed, 10);
  else if (options.method == "exhaustive")
    searchExhaustively(evaluator, static_cast<uint32_t>(options.depth));
  else
    evaluator.evaluate(Moves());
  outcome.best = evaluator.getBest();
  outcome.others = evaluator.getKept();
  if (!outcome.others.empty())
    outcome.others.erase(outcome.others.begin());
  outcome.numEvaluations = evaluator.getNumEvaluations();
  outcome.stopReason = evaluator.getStopReason();
  return outcome;
}

} // namespace partita::search
