//===- Search.cpp - from a space of partitionings to the best found -------===//

#include "partita/Search/Search.h"

#include "partita/Search/Controls.h"
#include "partita/Search/Hash.h"
#include "partita/Search/Refinement.h"
#include "partita/Search/TreeSearch.h"

#include <thread>

namespace partita {

/// How much it counts, in greedy completions, that memory is missing.
static constexpr double fitWeights[] = {2.0, 0.0, 8.0};

/// What one more move must bring in the first sweeps, so that they do not spend on moves about small things what moves
/// in parts are to be tried with.
static constexpr double leastFirstGain = 0.001;

namespace {

/// What a greedy completion came to, and whether it started from a seed.
struct Completion {
  Found found;
  bool isOfSeed = false;
};

} // namespace

/// Evaluates every move alone, which greedy completions build on: those that are proposed first, and no more than a
/// third of the budget allows.
static void evaluateAlone(Oracle &oracle, int64_t budget) {
  constexpr int64_t least = 64;
  std::vector<MoveId> order = oracle.propose({});
  llvm::erase_if(order, [&](MoveId move) { return move.get() >= oracle.getSpace().getNumMoves(); });
  std::vector<uint8_t> isListed(oracle.getSpace().getNumMoves(), 0);
  for (MoveId move : order)
    isListed[move.get()] = 1;
  for (MoveId move : idRange<MoveId>(oracle.getSpace().getNumMoves()))
    if (!isListed[move.get()])
      order.push_back(move);
  llvm::erase_if(order, [&](MoveId move) { return oracle.getSpace().getLike(move) != move; });
  order.resize(std::min<size_t>(order.size(), std::max(least, budget / 3)));
  std::vector<Moves> lists;
  lists.reserve(order.size());
  for (MoveId move : order)
    lists.push_back(Moves{move});
  oracle.evaluate(lists);
}

/// From nothing, from what must be early, and from the seed that is best under the weight. What came out is added to
/// `completed`.
static void completeByWeight(Oracle &oracle, double weight, llvm::ArrayRef<Seed> seeds,
                             std::vector<Completion> &completed) {
  auto objective = [&](const Rating &rating) { return oracle.getSpace().getBlend(rating, weight); };
  std::vector<Moves> starts{Moves()};
  if (Moves early = oracle.getSpace().getEarlyMoves(); !early.empty())
    starts.push_back(early);
  size_t numOwn = starts.size();
  if (!seeds.empty()) {
    auto isLess = [&](const Seed &a, const Seed &b) {
      return objective(a.evaluated.rating) < objective(b.evaluated.rating);
    };
    starts.push_back(std::min_element(seeds.begin(), seeds.end(), isLess)->moves);
  }
  for (size_t number = 0; number < starts.size(); ++number) {
    if (oracle.isOver())
      return;
    Found found = completeGreedily(oracle, starts[number], objective);
    // The first moves may have taken the better axis for what another could have done as well.
    std::vector<Moves> mirrors = oracle.getSpace().getMirrors(found.moves);
    llvm::append_range(mirrors, oracle.getSpace().getCopies(found.moves));
    std::vector<Evaluated> answers = oracle.evaluate(mirrors);
    double least = objective(found.evaluated.rating);
    for (size_t i = 0; i < mirrors.size(); ++i)
      if (answers[i].rating != Rating::worst() && objective(answers[i].rating) < least) {
        found = {mirrors[i], answers[i]};
        least = objective(answers[i].rating);
      }
    // What traded one goal for another is completed by the goals themselves, if there is anything left to do it with.
    Found finished = oracle.isOver() ? found : completeGreedily(oracle, found.moves);
    completed.push_back({std::move(finished), number >= numOwn});
  }
}

/// The best list with one place after the other doing something else: where each does what is best for it alone, no
/// single move leads out. What comes of it counts if it is the best.
static void completeRests(Oracle &oracle) {
  if (!oracle.getBest())
    return;
  for (const Rest &rest : oracle.getSpace().getRests(oracle.getBest()->moves))
    if (!oracle.isOver())
      completeOtherwise(oracle, rest);
}

/// Whether lists differ in less than two moves.
static bool areAlike(const Moves &a, const Moves &b) {
  auto isShared = [&](MoveId move) { return llvm::is_contained(b, move); };
  return size_t(llvm::count_if(a, isShared)) + 2 > std::max(a.size(), b.size());
}

/// The first of the lists, each unlike those before it in at least two moves.
static std::vector<Found> chooseDifferent(llvm::ArrayRef<Found> lists, size_t count) {
  std::vector<Found> chosen;
  for (const Found &found : lists) {
    auto isAlike = [&](const Found &other) { return areAlike(found.moves, other.moves); };
    if (chosen.size() < count && llvm::none_of(chosen, isAlike))
      chosen.push_back(found);
  }
  return chosen;
}

/// The best list; the best that came of nothing, as seeds may lead all others into one corner; other completions.
static std::vector<Found> chooseStarts(const Oracle &oracle, std::vector<Completion> completed) {
  llvm::sort(completed, [](const Completion &a, const Completion &b) {
    return std::tie(a.found.evaluated.rating, a.found.moves) < std::tie(b.found.evaluated.rating, b.found.moves);
  });
  std::vector<Found> starts;
  if (oracle.getBest())
    starts.push_back(*oracle.getBest());
  auto own = llvm::find_if(completed, [](const Completion &each) { return !each.isOfSeed; });
  if (own != completed.end())
    starts.push_back(own->found);
  for (const Completion &each : completed)
    starts.push_back(each.found);
  return chooseDifferent(starts, 3);
}

static void searchTree(Oracle &oracle, const MoveTable &table, const SearchOptions &options, SearchOutcome &outcome) {
  oracle.evaluate(Moves());
  int64_t budget = outcome.budget;
  if (!options.noSeeds && !oracle.isOver())
    outcome.seeds = evaluateSeeds(oracle, table, std::clamp<int64_t>(budget / 12, 64, 400));
  evaluateAlone(oracle, budget);
  auto spend = [&](double share, llvm::function_ref<void()> work) {
    oracle.setAllowance(int64_t(double(budget - oracle.getNumEvaluations()) * share));
    if (!oracle.isOver())
      work();
    oracle.liftAllowance();
  };
  std::vector<Completion> completed;
  for (double weight : fitWeights)
    spend(0.2, [&] { completeByWeight(oracle, weight, outcome.seeds, completed); });
  spend(0.3, [&] { completeRests(oracle); });
  std::vector<Found> refined;
  for (const Found &start : chooseStarts(oracle, std::move(completed)))
    spend(0.5, [&] {
      refined.push_back(refineInParts(oracle, refineBySweeps(oracle, start, SweepKind::Quick, leastFirstGain)));
    });
  TreeSearch tree(oracle);
  spend(0.3, [&] {
    for (const Found &found : oracle.getKept())
      tree.learn(found.moves, found.evaluated);
    for (const Found &found : chooseDifferent(oracle.getKept(), 4))
      tree.plant(found);
    tree.run();
  });
  // What came of each start, for all that is kept may be akin to the best; in parts, too, where single groups can still
  // do otherwise.
  std::vector<Found> second = oracle.getKept();
  size_t place = second.empty() ? 0 : 1;
  for (const Found &found : refined)
    for (const Moves &moves : {found.moves, oracle.expand(found.moves)})
      if (std::optional<Evaluated> known = oracle.findKnown(moves))
        second.insert(second.begin() + static_cast<ptrdiff_t>(place++), {moves, *known});
  for (const Found &found : chooseDifferent(second, 3))
    spend(0.3, [&] { refineBySweeps(oracle, found, SweepKind::Quick); });
  for (uint64_t round = 0; !oracle.isOver() && oracle.getBest(); ++round) {
    RefinementOptions refinement;
    refinement.seed = mixHash(options.seed + round);
    Rating before = oracle.getBest()->evaluated.rating;
    refine(oracle, *oracle.getBest(), refinement);
    spend(0.5, [&] { tree.run(); });
    if (!(oracle.getBest()->evaluated.rating < before))
      break;
  }
}

/// The more moves differ, the more there is to try. Eight for each is what llama 8B needs to be as good as it gets;
/// where moves are many, each has more others that it may go with. Small programs can have more for next to nothing.
int64_t chooseBudget(const SearchOptions &options, const Space &space) {
  if (options.budget > 0)
    return options.budget;
  constexpr int64_t statesPerMove = 8, many = 104, statesBeyond = 24, most = 6000;
  constexpr size_t smallProgram = 2000;
  int64_t least = space.getNumOps() < smallProgram ? 900 : 600;
  int64_t numDistinct = 0;
  for (MoveId move : idRange<MoveId>(space.getNumMoves()))
    numDistinct += space.getLike(move) == move;
  int64_t numBeyond = std::max<int64_t>(0, numDistinct - many);
  return std::clamp(statesPerMove * (numDistinct - numBeyond) + statesBeyond * numBeyond, least, most);
}

/// Batches have work for a few threads; each has prices and an assignment of its own in memory.
int64_t chooseThreads(const SearchOptions &options) {
  constexpr int64_t most = 8;
  return options.threads > 0 ? options.threads : std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, most);
}

SearchOutcome runSearch(const PlanSpace &space, const SearchOptions &options, OracleOptions clocks) {
  SearchOutcome outcome;
  outcome.budget = chooseBudget(options, space);
  clocks.budget = outcome.budget;
  clocks.threads = chooseThreads(options);
  Oracle oracle(space, std::move(clocks));
  if (options.method == "mcts")
    searchTree(oracle, space.getProblem().table, options, outcome);
  else if (options.method == "beam")
    searchByBeam(oracle, 8);
  else if (options.method == "random")
    searchAtRandom(oracle, options.seed, 10);
  else if (options.method == "exhaustive")
    searchExhaustively(oracle, static_cast<uint32_t>(options.depth));
  else
    oracle.evaluate(Moves());
  outcome.best = oracle.getBest();
  outcome.others = oracle.getKept();
  if (!outcome.others.empty())
    outcome.others.erase(outcome.others.begin());
  outcome.numEvaluations = oracle.getNumEvaluations();
  outcome.stopReason = oracle.getStopReason();
  return outcome;
}

} // namespace partita
