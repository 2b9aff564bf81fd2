//===- Search.cpp - the stages of a search --------------------------------===//

#include "partita/Search/Search.h"

#include "partita/Search/Baselines.h"
#include "partita/Search/Decoding.h"
#include "partita/Search/Refinement.h"
#include "partita/Search/SearchBudget.h"
#include "partita/Search/TreeSearch.h"
#include "partita/Support/Hash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"

#include <functional>
#include <set>

namespace partita::search {

namespace {

/// One search among several: what its stages read and leave for later ones.
struct Lane {
  Lane(EvaluationPool &pool, const PlanProblem &problem, const SearchOptions &options, const SearchStarts &starts,
       const Lane *other)
      : evaluator(pool, other ? CountedStates::New : CountedStates::All), problem(problem), options(options),
        starts(starts), other(other), tree(evaluator) {}

  /// What it may still spend in its round.
  int64_t getLeft() const { return std::max<int64_t>(0, roundEnd - evaluator.getNumEvaluations()); }

  StateEvaluator evaluator;
  const PlanProblem &problem;
  const SearchOptions &options;
  const SearchStarts &starts;
  /// The lane without seeds, whose best lists this one takes over; null if it is that lane.
  const Lane *other;
  uint32_t round = 0;
  /// The states of a round, and the count at which the current one ends.
  int64_t roundSize = 0, roundEnd = 0;
  std::vector<Seed> seeds;
  /// Lists that stages have completed greedily.
  std::vector<Found> completions;
  /// The refined list of each start.
  std::vector<Found> refined;
  /// What a step of the stage refine could not finish with its share.
  std::optional<Found> unfinished;
  /// The hashes of lists that stages have started from.
  std::set<uint64_t> started;
  TreeSearch tree;
  /// Of the stage decode.
  std::unique_ptr<BoundAscent> bound;
  /// The stage that found the best list.
  llvm::StringRef winnerStage;
};

using Step = std::function<void()>;
using Steps = std::vector<Step>;

struct Stage {
  llvm::StringRef name;
  /// The share of what is left of the round that each step may spend.
  double share;
  /// Lists the steps, in order, before the first is run. They refer to the lane.
  Steps (*list)(Lane &);
};

} // namespace

/// Lets a step spend `share` of what is left of the round; skips it if that is over.
static void spend(Lane &lane, double share, llvm::function_ref<void()> step) {
  int64_t left = lane.getLeft();
  lane.evaluator.setAllowance(share < 1 ? int64_t(double(left) * share) : left);
  if (!lane.evaluator.isOver())
    step();
  lane.evaluator.liftAllowance();
}

/// Whether the options have the stage; the first one always runs.
static bool isChosen(llvm::StringRef name, llvm::StringRef chosen) {
  llvm::SmallVector<llvm::StringRef> words;
  chosen.split(words, ',', -1, /*KeepEmpty=*/false);
  return name == "start" || words.empty() ||
         llvm::any_of(words, [&](llvm::StringRef word) { return word.trim() == name; });
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

static Steps listStart(Lane &lane) {
  return {[&lane] { lane.evaluator.evaluate(Moves()); }};
}

/// Carried lists are complete already: later stages refine them.
static void addCarried(Lane &lane) {
  std::vector<Evaluated> answers = lane.evaluator.evaluate(lane.starts.carried);
  for (auto [list, answer] : llvm::zip_equal(lane.starts.carried, answers))
    if (answer.rating != Rating::worst())
      lane.completions.push_back({list, answer});
}

static Steps listSeeds(Lane &lane) {
  if (!lane.other)
    return {};
  size_t maxSeeds = std::clamp<int64_t>(lane.roundSize / 6, 64, 400);
  return {[&lane] { addCarried(lane); },
          [&lane, maxSeeds] { lane.seeds = evaluateSeeds(lane.evaluator, lane.problem.table, maxSeeds); }};
}

/// Evaluates every move alone, which greedy completions build on: one of those that do the same; proposed ones first;
/// with at most a third of the round.
static Steps listAlone(Lane &lane) {
  return {[&evaluator = lane.evaluator, roundSize = lane.roundSize] {
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
    order.resize(std::min<size_t>(order.size(), std::max(least, roundSize / 3)));
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

/// Whether a stage starts from the list for the first time.
static bool isNewStart(Lane &lane, llvm::StringRef stage, double weight, llvm::ArrayRef<MoveId> moves) {
  uint64_t key = mixHash(hashMoves(moves) ^ mixHash(llvm::xxh3_64bits(stage) + llvm::bit_cast<uint64_t>(weight)));
  return lane.started.insert(key).second;
}

/// The list, or the better of its mirrors and copies: the first moves may use the better axis for what another could do
/// as well.
static Found takeBestMirror(StateEvaluator &evaluator, Found found, Objective objective) {
  const Space &space = evaluator.getSpace();
  std::vector<Moves> mirrors = space.getMirrors(found.moves);
  llvm::append_range(mirrors, space.getCopies(found.moves));
  std::vector<Evaluated> answers = evaluator.evaluate(mirrors);
  double least = objective(found.evaluated.rating);
  for (size_t i = 0; i < mirrors.size(); ++i)
    if (answers[i].rating != Rating::worst() && objective(answers[i].rating) < least) {
      found = {mirrors[i], answers[i]};
      least = objective(answers[i].rating);
    }
  return found;
}

/// The lists that greedy completions start from: the best seeds under the weight, one more in each round; without
/// seeds, the empty list and the early moves.
static std::vector<Moves> listStarts(const Lane &lane, Objective objective) {
  if (!lane.other) {
    std::vector<Moves> starts{Moves()};
    if (Moves early = lane.evaluator.getSpace().getEarlyMoves(); !early.empty())
      starts.push_back(early);
    return starts;
  }
  std::vector<std::pair<double, size_t>> order;
  for (auto [number, seed] : llvm::enumerate(lane.seeds))
    order.emplace_back(objective(seed.evaluated.rating), number);
  llvm::sort(order);
  order.resize(std::min<size_t>(order.size(), lane.round + 1));
  std::vector<Moves> starts;
  for (auto [value, number] : order)
    starts.push_back(lane.seeds[number].moves);
  return starts;
}

static void completeByWeight(Lane &lane, double weight) {
  StateEvaluator &evaluator = lane.evaluator;
  auto objective = [&](const Rating &rating) { return evaluator.getSpace().getBlend(rating, weight); };
  for (const Moves &start : listStarts(lane, objective)) {
    if (evaluator.isOver() || !isNewStart(lane, "greedy", weight, start))
      continue;
    Found found = takeBestMirror(evaluator, completeGreedily(evaluator, start, objective), objective);
    // The weight traded one goal for another, so complete the list by the goals themselves if there is budget left.
    Found finished = evaluator.isOver() ? found : completeGreedily(evaluator, found.moves);
    lane.completions.push_back(std::move(finished));
  }
}

static Steps listGreedy(Lane &lane) {
  Steps steps;
  for (double weight : {2.0, 0.0, 8.0})
    steps.push_back([&lane, weight] { completeByWeight(lane, weight); });
  return steps;
}

/// The known plan and the limit, for the bound of a lane.
static BoundOptions makeBoundOptions(const Lane &lane) {
  const std::vector<Goal> &goals = lane.problem.goals;
  BoundOptions options;
  options.isLimited = llvm::is_contained(goals, Goal::Fit);
  options.isOver = [&pool = lane.evaluator.getPool()] { return pool.askClocks().has_value(); };
  const std::optional<Found> &best = lane.evaluator.getBest();
  if (best && (!options.isLimited || getPart(goals, best->evaluated.rating, Goal::Fit) == 0))
    options.knownPs = getPart(goals, best->evaluated.rating, Goal::Time);
  return options;
}

/// What the relaxed problem of the bound decides, as moves: rounded several times while it is solved, since one
/// rounding may be far from another that is just as good.
static std::vector<Moves> decodeRelaxedPlans(Lane &lane) {
  BoundOptions options = makeBoundOptions(lane);
  int64_t work = options.work;
  lane.bound = std::make_unique<BoundAscent>(lane.problem.model);
  std::vector<Moves> lists;
  for (double share : {0.25, 0.5, 0.75}) {
    options.work = static_cast<int64_t>(double(work) * share);
    lane.bound->ascend(options);
    std::optional<RelaxedPlan> plan = lane.bound->round();
    if (!plan)
      break;
    if (Moves list = decodeRelaxedPlan(lane.problem, *plan); !list.empty() && !llvm::is_contained(lists, list))
      lists.push_back(std::move(list));
  }
  return lists;
}

/// The best of the relaxed plans, completed greedily.
static Steps listDecode(Lane &lane) {
  if (!lane.other || lane.round > 0)
    return {};
  return {[&lane] {
    constexpr double weight = 2;
    StateEvaluator &evaluator = lane.evaluator;
    auto objective = [&](const Rating &rating) { return evaluator.getSpace().getBlend(rating, weight); };
    std::optional<Found> best;
    for (const Moves &list : decodeRelaxedPlans(lane)) {
      Found found = takeBestMirror(evaluator, {list, evaluator.evaluate(list)}, objective);
      if (!best || objective(found.evaluated.rating) < objective(best->evaluated.rating))
        best = std::move(found);
    }
    if (best)
      lane.completions.push_back(evaluator.isOver() ? *best : completeGreedily(evaluator, best->moves));
  }};
}

/// Drops one axis of the best list and completes the partial plan by other moves: if each axis does what is best for it
/// alone, no single move improves the plan. A completion counts if it becomes the best list.
static Steps listPartial(Lane &lane) {
  return {[&lane] {
    StateEvaluator &evaluator = lane.evaluator;
    if (!evaluator.getBest() || !isNewStart(lane, "partial", 0, evaluator.getBest()->moves))
      return;
    for (const PartialPlan &rest : evaluator.getSpace().getPartialPlans(evaluator.getBest()->moves))
      if (!evaluator.isOver())
        completeOtherwise(evaluator, rest);
  }};
}

//===----------------------------------------------------------------------===//
// refine, tree, second, final
//===----------------------------------------------------------------------===//

/// Sweeps in parts come first: groups of parameters hardly depend on each other, so a few states find what each of them
/// should do. If the step before was cut short, goes on with its list instead of the next start.
static void refineStart(Lane &lane, const Found &start) {
  // The least gain of one more move, so that these sweeps come to an end.
  constexpr double leastFirstGain = 0.001;
  Found found = lane.unfinished.value_or(start);
  lane.started.insert(hashMoves(found.moves));
  found = refineInParts(lane.evaluator, std::move(found));
  if (!lane.evaluator.isOver())
    found = refineBySweeps(lane.evaluator, std::move(found), SweepKind::Quick, leastFirstGain);
  lane.unfinished = lane.evaluator.isOver() ? std::optional(found) : std::nullopt;
  lane.refined.push_back(std::move(found));
}

/// The starts are the best list, the completions, and what else was kept; none twice.
static Steps listRefine(Lane &lane) {
  std::vector<Found> completions = lane.completions, starts;
  llvm::sort(completions, [](const Found &a, const Found &b) {
    return std::tie(a.evaluated.rating, a.moves) < std::tie(b.evaluated.rating, b.moves);
  });
  if (lane.evaluator.getBest())
    starts.push_back(*lane.evaluator.getBest());
  llvm::append_range(starts, completions);
  llvm::append_range(starts, lane.evaluator.getKept());
  llvm::erase_if(starts, [&](const Found &found) { return lane.started.contains(hashMoves(found.moves)); });
  lane.unfinished.reset();
  Steps steps;
  for (const Found &start : chooseDifferent(starts, 3))
    steps.push_back([&lane, start] { refineStart(lane, start); });
  return steps;
}

static Steps listTree(Lane &lane) {
  return {[&lane] {
    for (const Found &found : lane.evaluator.getKept())
      lane.tree.learn(found.moves, found.evaluated);
    for (const Found &found : chooseDifferent(lane.evaluator.getKept(), 4))
      lane.tree.insertPath(found);
    lane.tree.run();
  }};
}

/// The best list; then the refined list of each start, as it is and in parts, where single groups can still change,
/// since the other kept lists may all be close to the best; then the other kept lists.
static Steps listSecond(Lane &lane) {
  std::vector<Found> lists = lane.evaluator.getKept();
  size_t position = lists.empty() ? 0 : 1;
  for (const Found &found : lane.refined)
    for (const Moves &moves : {found.moves, lane.evaluator.expand(found.moves)})
      if (std::optional<Evaluated> known = lane.evaluator.findKnown(moves))
        lists.insert(lists.begin() + static_cast<ptrdiff_t>(position++), {moves, *known});
  Steps steps;
  for (const Found &found : chooseDifferent(lists, 3))
    steps.push_back([&lane, found] { refineBySweeps(lane.evaluator, found, SweepKind::Quick); });
  return steps;
}

/// Each turn that finds nothing better makes the next one start from another good list.
static Steps listFinal(Lane &lane) {
  return {[&lane] {
    constexpr uint32_t maxFailed = 3;
    StateEvaluator &evaluator = lane.evaluator;
    uint32_t numFailed = 0;
    for (uint64_t turn = 0; numFailed < maxFailed && !evaluator.isOver() && evaluator.getBest(); ++turn) {
      RefinementOptions refinement;
      refinement.seed = mixHash(lane.options.seed + turn + (uint64_t(lane.round) << 32));
      Rating before = evaluator.getBest()->evaluated.rating;
      std::vector<Found> starts = chooseDifferent(evaluator.getKept(), numFailed + 1);
      Found refined = refine(evaluator, starts.back(), refinement);
      if (isNewStart(lane, "parts", 0, refined.moves))
        refineInParts(evaluator, std::move(refined));
      if (isChosen("tree", lane.options.stages))
        spend(lane, 0.5, [&] { lane.tree.run(); });
      numFailed = evaluator.getBest()->evaluated.rating < before ? 0 : numFailed + 1;
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
    {"decode", 0.2, listDecode},   // What the bound's relaxed problem decides.
    {"greedy", 0.2, listGreedy},   // For each weight of the missing bytes.
    {"refine", 0.5, listRefine},   // For each of three starts.
    {"partial", 0.3, listPartial}, // The best list without one axis.
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

/// Takes over the best lists of the other lane. They cost nothing: that one has paid for them.
static void takeOver(Lane &lane) {
  if (!lane.other)
    return;
  for (const Found &found : chooseDifferent(lane.other->evaluator.getKept(), 4))
    lane.evaluator.evaluate(found.moves);
}

/// Runs the stages that the options choose, once.
static void runStages(Lane &lane) {
  for (const Stage &stage : stages) {
    if (!isChosen(stage.name, lane.options.stages))
      continue;
    std::optional<Found> before = lane.evaluator.getBest();
    takeOver(lane);
    for (const Step &step : stage.list(lane))
      spend(lane, stage.share, step);
    const std::optional<Found> &after = lane.evaluator.getBest();
    if (after && (!before || after->evaluated.rating < before->evaluated.rating))
      lane.winnerStage = stage.name;
  }
}

/// Runs rounds of twice the size each, until one evaluates hardly anything new or the whole search is over. A program
/// of few ops has few plans: rounds that meet known ones again would go on until the last of them is found.
static void runRounds(Lane &lane, int64_t firstSize) {
  constexpr int64_t mostStates = int64_t(1) << 60, leastShare = 16;
  lane.roundSize = firstSize;
  for (; !lane.evaluator.isOver(); ++lane.round, lane.roundSize = std::min(2 * lane.roundSize, mostStates)) {
    int64_t before = lane.evaluator.getNumEvaluations();
    lane.roundEnd = before + lane.roundSize;
    runStages(lane);
    if (lane.evaluator.getNumEvaluations() - before <= lane.roundSize / leastShare)
      return;
  }
}

/// Runs a lane without seeds, and one with seeds that takes over what the first finds.
static void runLanes(EvaluationPool &pool, const PlanProblem &problem, const SearchOptions &options,
                     const SearchStarts &starts, int64_t firstSize, SearchOutcome &outcome) {
  Lane plain(pool, problem, options, starts, nullptr);
  Lane seeded(pool, problem, options, starts, &plain);
  llvm::SmallVector<Lane *, 2> lanes;
  if (options.noSeeds || !starts.isFollowUp())
    lanes.push_back(&plain);
  if (!options.noSeeds)
    lanes.push_back(&seeded);
  pool.runLanes(uint32_t(lanes.size()), [&](uint32_t number) { runRounds(*lanes[number], firstSize); });
  outcome.seeds = std::move(seeded.seeds);
  outcome.bound = std::move(seeded.bound);
  for (const Lane *lane : lanes) {
    // A lane may have ended before another one was cut short.
    outcome.stopReason = std::max(outcome.stopReason, lane->evaluator.getStopReason());
    const std::optional<Found> &best = lane->evaluator.getBest();
    if (best && outcome.winnerStage.empty() && best->evaluated.rating == pool.getKept().getBest()->evaluated.rating)
      outcome.winnerStage = lane->winnerStage.str();
  }
}

static void runBaseline(StateEvaluator &evaluator, const SearchOptions &options) {
  if (options.method == "beam")
    searchByBeam(evaluator, 8);
  else if (options.method == "random")
    searchAtRandom(evaluator, options.seed, 10);
  else if (options.method == "exhaustive")
    searchExhaustively(evaluator, static_cast<uint32_t>(options.depth));
  else
    evaluator.evaluate(Moves());
}

SearchOutcome runSearch(const PlanSpace &space, const SearchOptions &options, StateEvaluatorOptions evaluatorOptions,
                        const SearchStarts &starts) {
  SearchOutcome outcome;
  outcome.budget = chooseBudget(options, space);
  evaluatorOptions.budget = outcome.budget;
  evaluatorOptions.threads = chooseThreads(options);
  EvaluationPool pool(space, std::move(evaluatorOptions));
  if (options.method == "mcts") {
    // Both lanes together spend the budget of the program in the first round, whatever the budget of the search is: a
    // longer search begins as a shorter one.
    int64_t firstSize = starts.isFollowUp() ? outcome.budget : chooseBudget({}, space) / 2;
    runLanes(pool, space.getProblem(), options, starts, firstSize, outcome);
  } else {
    StateEvaluator evaluator(pool, CountedStates::All);
    runBaseline(evaluator, options);
    outcome.stopReason = evaluator.getStopReason();
  }
  outcome.best = pool.getKept().getBest();
  outcome.others = pool.getKept().list();
  if (!outcome.others.empty())
    outcome.others.erase(outcome.others.begin());
  outcome.numEvaluations = pool.getNumStates();
  outcome.answers = pool.listAnswers();
  return outcome;
}

} // namespace partita::search
