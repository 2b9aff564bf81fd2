//===- PlanSearch.cpp - from a program and a machine to tactics -----------===//

#include "partita/Search/PlanSearch.h"

#include "partita/Propagate/SteppedDims.h"
#include "partita/Search/Bound.h"
#include "partita/Search/Hash.h"
#include "partita/Search/Proposals.h"
#include "partita/Search/Simplification.h"
#include "partita/Search/Summary.h"
#include "partita/Search/TacticsOfMoves.h"
#include "partita/Search/UniformStart.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <thread>
#include <unordered_map>

namespace partita {

namespace {

/// A plan that may be the found one.
struct Candidate {
  Found plan;
  /// What experts would write, or nothing at all.
  bool isExpert = false;
};

/// Everything that one search works on; parts refer to each other, so it stays where it was made.
class PlanSearch {
public:
  PlanSearch(const PlanRequest &request, const Topology &whole, const Repetition &repetition);

  Result<FoundTactics> run();
  Result<FoldingCheck> check(int64_t numLists);

private:
  /// Groups, moves, and what is given applied once, which is the only thing that can fail.
  Status prepare();
  /// The best, without what it does not need.
  Moves simplify(const SearchOutcome &outcome);
  /// Of the best, and of what comes close to it by the formula, what is best by the timeline.
  Moves chooseByTimeline(const Moves &best, const SearchOutcome &outcome);
  /// What is scheduled with it, each state once: what experts would write, if it is no more than 10% slower by the
  /// formula, then runners-up, no more than 5%.
  std::vector<Candidate> listCandidates(const Found &best, const SearchOutcome &outcome);
  /// Whether it meets the goals before time as the best does, and takes at most `share` of its time more.
  bool isNear(const Rating &rating, const Rating &best, double share) const;
  /// By the timeline, if that was asked for.
  std::optional<int64_t> findScheduledPs(uint64_t state) const;
  /// Its tactics, words and cost.
  void describe(llvm::ArrayRef<MoveId> best, FoundTactics &found);
  /// What it is held against: seeds, runners-up (the formula's best, if it is not the found one), slower links.
  void compare(const Moves &best, const Moves &formulaBest, const SearchOutcome &outcome, FoundTactics &found);
  void listAtPeak(std::vector<std::string> &list);
  /// Whether one of `others` is faster than `best` if links are slower.
  void findRival(const Found &best, llvm::ArrayRef<Found> others, FoundTactics &found) const;
  /// Tells the one who asked of every state.
  OnEvaluated makeWatcher();
  Cost price(llvm::ArrayRef<MoveId> moves);
  /// What no plan is faster than; if the found one does not fit, whatever memory it takes.
  int64_t computeBound(const Cost &cost) const;

  const PlanRequest &request;
  Folding folding;
  ArgumentGroups wholeGroups;
  Topology topology;
  CellNames names;
  LiveTimes liveTimes;
  CostModel model;
  IdVector<DimId, uint8_t> steppedDims;
  ArgumentGroups groups;
  MoveTable table;
  SharedPrices shared;
  std::optional<MoveMemory> memory;
  std::optional<PlanSpace> space;
  std::optional<PlanWalker> walker;
  /// Times by the timeline, of states.
  std::unordered_map<uint64_t, int64_t> scheduled;
};

} // namespace

/// Programs of which most would stay are not folded; nor are those in which given tactics or shardings tell layers
/// apart.
static Folding fold(const PlanRequest &request, const Topology &whole, const Repetition &repetition) {
  if (request.search.noFold)
    return buildPlainFolding(request.graph);
  Folding folding = buildFolding(whole, repetition);
  bool isSmaller = folding.graph.ops.size() * 4 <= request.graph.ops.size() * 3;
  bool isGiven = !request.given.tactics.empty() || !request.graph.shardings.empty();
  if (!isSmaller || (isGiven && !isUniformStart(whole, folding, request.axes, request.given)))
    return buildPlainFolding(request.graph);
  return folding;
}

/// Groups whose members stand for the same thing in different layers. Where nothing was folded, members merely look
/// alike, as the matrices of a gate do in a loop over layers, and may be split differently: each is a group of its own.
static ArgumentGroups findGroups(const Topology &whole, const Repetition &repetition, bool isFolded) {
  ArgumentGroups found = findArgumentGroups(whole, repetition);
  if (isFolded)
    return found;
  ArgumentGroups groups;
  groups.ofCell.resize(found.ofCell.size());
  IdVector<GroupId, std::vector<GroupId>> parts(found.list.size());
  for (GroupId id : idRange<GroupId>(found.list.size())) {
    const ArgumentGroup &group = found.list[id];
    bool isWhole = group.kind == GroupKind::Inner;
    for (CellId cell : llvm::ArrayRef(group.members).take_front(isWhole ? 1 : group.members.size())) {
      ArgumentGroup part = group;
      if (!isWhole) {
        part.members = {cell};
        part.bytes = group.bytes / int64_t(group.members.size());
      }
      for (CellId member : part.members)
        groups.ofCell[member] = GroupId(static_cast<uint32_t>(groups.list.size()));
      parts[id].push_back(groups.list.push_back(std::move(part)));
    }
  }
  // Members of optimizer state and of parameters are in the same order.
  for (GroupId id : idRange<GroupId>(found.list.size()))
    for (size_t i = 0; i < parts[id].size(); ++i) {
      GroupId &parameter = groups.list[parts[id][i]].parameter;
      if (parameter.isValid())
        parameter = i < parts[parameter].size() ? parts[parameter][i] : GroupId();
    }
  return groups;
}

PlanSearch::PlanSearch(const PlanRequest &request, const Topology &whole, const Repetition &repetition)
    : request(request), folding(fold(request, whole, repetition)),
      wholeGroups(findGroups(whole, repetition, folding.isFolded())), topology(folding.graph), names(folding.graph),
      liveTimes(topology, folding, whole),
      model(topology, request.axes, request.machine, request.placement, request.cost, liveTimes, folding.weights),
      steppedDims(findSteppedDims(topology)),
      groups(folding.isFolded() ? foldGroups(wholeGroups, folding) : wholeGroups) {}

/// Ops of one chain of layers are of one kind, which is the number of the first of them; others are their own. What
/// layers that stay do otherwise than those that are folded would not be priced as it is.
static IdVector<OpId, uint32_t> findOpKinds(const Folding &folding) {
  IdVector<OpId, uint32_t> kinds;
  std::unordered_map<uint32_t, uint32_t> firstOfChain;
  for (OpId op : idRange<OpId>(folding.graph.ops.size())) {
    bool isInChain = folding.isFolded() && folding.opPositions[op].isValid();
    kinds.push_back(isInChain ? firstOfChain.try_emplace(folding.opChains[op].begin, op.get()).first->second
                              : op.get());
  }
  return kinds;
}

Status PlanSearch::prepare() {
  Assignment base(topology, request.axes);
  Result<ScheduleOutcome> outcome = applySchedule(request.given, names, base, nullptr);
  if (!outcome)
    return outcome.error();
  ProposalOptions options;
  options.axes = request.searchedAxes;
  options.opKinds = findOpKinds(folding);
  memory.emplace(topology, request.axes);
  table = buildMoves(groups, base, steppedDims, options, &*memory);
  space.emplace(PlanProblem{model, names, request.given, table, steppedDims, request.goals, shared, *memory});
  walker.emplace(space->getProblem());
  return std::nullopt;
}

Cost PlanSearch::price(llvm::ArrayRef<MoveId> moves) {
  walker->evaluate(moves);
  return walker->getCost();
}

int64_t PlanSearch::computeBound(const Cost &cost) const {
  BoundOptions options;
  options.isLimited = llvm::is_contained(request.goals, Goal::Fit) && cost.peakBytes <= model.getMemoryLimit();
  options.knownPs = cost.timePs;
  // A deadline is for the search; whoever set one waits a little longer for the bound, but not long.
  options.isOver = [&clocks = request.clocks] {
    constexpr std::chrono::milliseconds grace(500);
    return (clocks.isInterrupted && clocks.isInterrupted()) ||
           (clocks.deadline && std::chrono::steady_clock::now() > *clocks.deadline + grace);
  };
  return computeLowerBoundPs(model, options);
}

OnEvaluated PlanSearch::makeWatcher() {
  if (!request.onState)
    return nullptr;
  TacticsOfMoves tactics(request.graph, wholeGroups, folding, table);
  std::vector<std::string> words;
  for (MoveId move : idRange<MoveId>(table.moves.size()))
    words.push_back(tactics.describe(move));
  int64_t budget = chooseBudget(request.search, *space);
  return [this, budget, words = std::move(words),
          number = int64_t(0)](llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated, bool isBest) mutable {
    LookedAt state{++number, budget, {}, evaluated.rating, isBest};
    if (isBest || request.watchesAll)
      for (MoveId move : moves)
        state.words.push_back(words[move.get()]);
    request.onState(state);
  };
}

/// Plans that have a timeline take with slower links as much longer as the formula says.
void PlanSearch::findRival(const Found &best, llvm::ArrayRef<Found> others, FoundTactics &found) const {
  Machine slower = request.machine;
  for (Level &level : slower.levels)
    level.bytesPerSecond.value = std::max<int64_t>(1, level.bytesPerSecond.value * 7 / 10);
  CostModel slowerModel(topology, request.axes, slower, request.placement, request.cost, liveTimes, folding.weights);
  SharedPrices slowerPrices;
  PlanProblem problem{slowerModel, names,         request.given, table,
                      steppedDims, request.goals, slowerPrices,  space->getProblem().memory};
  PlanWalker slowerWalker(problem);
  auto evaluate = [&](const Found &plan) {
    Rating rating = slowerWalker.evaluate(plan.moves).rating;
    if (std::optional<int64_t> scheduledPs = findScheduledPs(plan.evaluated.state)) {
      int64_t formulaPs = std::max<int64_t>(1, getPart(request.goals, plan.evaluated.rating, Goal::Time));
      int64_t &timePs = rating.parts[llvm::find(request.goals, Goal::Time) - request.goals.begin()];
      timePs = static_cast<int64_t>(static_cast<__int128>(timePs) * *scheduledPs / formulaPs);
    }
    return rating;
  };
  Rating least = evaluate(best);
  double timePs = double(getPart(request.goals, least, Goal::Time));
  for (size_t i = 0; i < others.size(); ++i) {
    Rating rating = evaluate(others[i]);
    if (!(rating < least))
      continue;
    least = rating;
    found.isRobust = false;
    found.rival = i;
    found.rivalGain = 1 - double(getPart(request.goals, rating, Goal::Time)) / std::max(1.0, timePs);
  }
}

/// Of what the walker evaluated last.
void PlanSearch::listAtPeak(std::vector<std::string> &list) {
  constexpr size_t maxNames = 4;
  for (const AliveCell &alive : walker->getTracker().listAtPeak())
    if (std::string name = names.getName(alive.cell); list.size() < maxNames && !llvm::is_contained(list, name))
      list.push_back(std::move(name));
}

Moves PlanSearch::simplify(const SearchOutcome &outcome) {
  Allowance allowance;
  allowance.part = request.goals.size() - 1;
  // What was interrupted was told of already, and is no worse than that.
  if (outcome.stopReason == StopReason::Interrupted)
    allowance.share = 0;
  for (const Seed &seed : outcome.seeds)
    allowance.ceiling = std::min(allowance.ceiling, seed.evaluated.rating);
  return simplifyMoves(*walker, dropIneffective(outcome.best->moves, outcome.best->evaluated), allowance);
}

std::optional<int64_t> PlanSearch::findScheduledPs(uint64_t state) const {
  auto known = scheduled.find(state);
  return known == scheduled.end() ? std::nullopt : std::optional(known->second);
}

bool PlanSearch::isNear(const Rating &rating, const Rating &best, double share) const {
  size_t time = llvm::find(request.goals, Goal::Time) - request.goals.begin();
  return std::equal(best.parts.begin(), best.parts.begin() + time, rating.parts.begin()) &&
         double(rating.parts[time]) <= double(best.parts[time]) * (1 + share);
}

/// The best first.
static std::vector<Seed> sortSeeds(std::vector<Seed> seeds) {
  llvm::sort(seeds, [](const Seed &a, const Seed &b) {
    return std::tie(a.evaluated.rating, a.name) < std::tie(b.evaluated.rating, b.name);
  });
  constexpr size_t maxSeeds = 16;
  seeds.resize(std::min(seeds.size(), maxSeeds));
  return seeds;
}

std::vector<Candidate> PlanSearch::listCandidates(const Found &best, const SearchOutcome &outcome) {
  constexpr size_t maxExperts = 8, maxOthers = 3;
  std::vector<Candidate> candidates;
  auto isKnown = [&](const Evaluated &evaluated) {
    auto isSame = [&](const Candidate &known) { return known.plan.evaluated.state == evaluated.state; };
    return evaluated.state == best.evaluated.state || llvm::any_of(candidates, isSame);
  };
  auto add = [&](const Found &plan, bool isExpert) {
    if (!isNear(plan.evaluated.rating, best.evaluated.rating, isExpert ? 0.1 : 0.05) || isKnown(plan.evaluated))
      return;
    candidates.push_back({{dropIneffective(plan.moves, plan.evaluated), plan.evaluated}, isExpert});
  };
  for (const Seed &seed : sortSeeds(outcome.seeds))
    if (candidates.size() < maxExperts)
      add({seed.moves, seed.evaluated}, /*isExpert=*/true);
  add({Moves(), walker->evaluate(Moves())}, /*isExpert=*/true);
  size_t numExperts = candidates.size();
  for (const Found &other : outcome.others) {
    // What takes the same time and memory is hardly another plan.
    auto isAlike = [&](const Found &known) { return known.evaluated.rating == other.evaluated.rating; };
    bool isNew = !isAlike(best) && llvm::none_of(llvm::ArrayRef(candidates).drop_front(numExperts),
                                                 [&](const Candidate &known) { return isAlike(known.plan); });
    if (isNew && candidates.size() < numExperts + maxOthers)
      add(other, /*isExpert=*/false);
  }
  return candidates;
}

/// Whether time is the first goal that can always be bettered.
static bool isForTime(llvm::ArrayRef<Goal> goals) {
  const Goal *first = llvm::find_if(goals, [](Goal goal) { return goal != Goal::Fit; });
  return first != goals.end() && *first == Goal::Time;
}

Moves PlanSearch::chooseByTimeline(const Moves &best, const SearchOutcome &outcome) {
  // A timeline of the whole program takes some microseconds for each op, in all no more than a part of the search.
  constexpr size_t maxScheduledOps = 40'000;
  if (!request.schedulePs || outcome.stopReason == StopReason::Interrupted || !isForTime(request.goals) ||
      request.graph.ops.size() * 2 > maxScheduledOps)
    return best;
  Candidate chosen{{best, walker->evaluate(best)}, false};
  std::vector<Candidate> candidates = listCandidates(chosen.plan, outcome);
  if (candidates.empty() || request.graph.ops.size() * (candidates.size() + 1) > maxScheduledOps)
    return best;
  TacticsOfMoves tactics(request.graph, wholeGroups, folding, table);
  auto schedule = [&](const Candidate &candidate) {
    if (std::optional<int64_t> timePs = request.schedulePs(tactics.build(candidate.plan.moves)))
      scheduled[candidate.plan.evaluated.state] = *timePs;
  };
  schedule(chosen);
  for (const Candidate &candidate : candidates) {
    if (request.clocks.isInterrupted && request.clocks.isInterrupted())
      break;
    schedule(candidate);
  }
  // All or none, so that times of one kind stand beside each other.
  if (scheduled.size() != candidates.size() + 1) {
    scheduled.clear();
    return best;
  }
  auto getPs = [&](const Candidate &candidate) { return scheduled[candidate.plan.evaluated.state]; };
  // Runners-up have moves that are worth next to nothing, which the best has no more.
  for (const Candidate &candidate : candidates)
    if (!candidate.isExpert && double(getPs(candidate)) < double(getPs(chosen)) * (1 - Allowance().share))
      chosen = candidate;
  for (const Candidate &candidate : candidates)
    if (candidate.isExpert && getPs(candidate) < getPs(chosen))
      chosen = candidate;
  return chosen.plan.moves;
}

void PlanSearch::describe(llvm::ArrayRef<MoveId> best, FoundTactics &found) {
  TacticsOfMoves tactics(request.graph, wholeGroups, folding, table);
  found.tactics = tactics.build(best);
  for (MoveId move : best)
    found.words.push_back(tactics.describe(move));
  const Cost &start = space->getStartCost();
  found.start = {"nothing split", start.timePs, start.peakBytes, findScheduledPs(walker->evaluate(Moves()).state)};
  found.scheduledPs = findScheduledPs(walker->evaluate(best).state);
  found.cost = walker->getCost();
  Repetition repetition = findRepetition(topology);
  Colours colours = findColours(topology, repetition, groups);
  found.summary = summarizeAssignment(walker->getAssignment(), folding.weights, groups, colours);
  if (found.cost.peakBytes > found.limitBytes)
    listAtPeak(found.atPeak);
}

/// `without A; with B`: what another list has in place of what the best has.
static std::string describeDifference(const Moves &best, const Moves &other, const TacticsOfMoves &tactics) {
  std::vector<std::string> words;
  auto add = [&](const Moves &some, const Moves &known, llvm::StringRef word) {
    for (MoveId move : some)
      if (!llvm::is_contained(known, move))
        words.push_back(word.str() + tactics.describe(move));
  };
  add(best, other, "without ");
  add(other, best, "with ");
  return words.empty() ? "the same in another order" : llvm::join(words, "; ");
}

void PlanSearch::compare(const Moves &best, const Moves &formulaBest, const SearchOutcome &outcome,
                         FoundTactics &found) {
  constexpr size_t maxOthers = 3;
  TacticsOfMoves tactics(request.graph, wholeGroups, folding, table);
  auto makeStrategy = [&](std::string name, const Evaluated &evaluated) {
    return Strategy{std::move(name), getPart(request.goals, evaluated.rating, Goal::Time),
                    getPart(request.goals, evaluated.rating, Goal::Memory), findScheduledPs(evaluated.state)};
  };
  std::vector<Seed> seeds = sortSeeds(outcome.seeds);
  std::vector<Found> others = outcome.others, listed;
  others.insert(others.begin(), {formulaBest, walker->evaluate(formulaBest)});
  if (found.scheduledPs) {
    auto getKey = [&](const auto &plan) {
      const Evaluated &evaluated = plan.evaluated;
      return std::tuple(findScheduledPs(evaluated.state).value_or(INT64_MAX), evaluated.rating, plan.moves);
    };
    llvm::sort(seeds, [&](const Seed &a, const Seed &b) { return getKey(a) < getKey(b); });
    llvm::sort(others, [&](const Found &a, const Found &b) { return getKey(a) < getKey(b); });
  }
  for (const Seed &seed : seeds)
    found.seeds.push_back(makeStrategy(seed.name, seed.evaluated));
  for (const Found &other : others) {
    if (found.others.size() == maxOthers)
      break;
    Strategy strategy = makeStrategy("", other.evaluated);
    // What is better by next to nothing was left out of the best.
    bool isClose = found.scheduledPs ? strategy.scheduledPs && *strategy.scheduledPs >= *found.scheduledPs
                                     : strategy.timePs >= found.cost.timePs &&
                                           strategy.timePs <= found.cost.timePs + found.cost.timePs / 20;
    auto isSame = [&](const auto &known) {
      return known.timePs == strategy.timePs && known.peakBytes == strategy.peakBytes;
    };
    bool isShort = strategy.peakBytes > found.limitBytes && found.cost.peakBytes <= found.limitBytes;
    if (!isClose || isShort || isSame(found.cost) || llvm::any_of(found.others, isSame))
      continue;
    strategy.name = describeDifference(best, dropIneffective(other.moves, other.evaluated), tactics);
    found.others.push_back(std::move(strategy));
    listed.push_back(other);
  }
  findRival({best, walker->evaluate(best)}, listed, found);
}

Result<FoundTactics> PlanSearch::run() {
  if (Status error = prepare())
    return std::move(*error);
  FoundTactics found;
  found.numOps = request.graph.ops.size();
  found.numSearchedOps = folding.graph.ops.size();
  found.numGroups = groups.list.size();
  found.numMoves = table.moves.size();
  found.limitBytes = model.getMemoryLimit();
  OracleOptions clocks = request.clocks;
  clocks.onEvaluated = makeWatcher();
  auto start = std::chrono::steady_clock::now();
  SearchOutcome outcome = runSearch(*space, request.search, std::move(clocks));
  found.searchSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!outcome.best) {
    Error error = Error::internal("the search was interrupted before it had anything to give");
    error.code = ExitCode::Interrupted;
    return error;
  }
  Moves formulaBest = simplify(outcome);
  Moves best = chooseByTimeline(formulaBest, outcome);
  // Whoever interrupts wants the plan now: what it is compared with takes as long as some dozen states.
  bool isCompared = outcome.stopReason != StopReason::Interrupted;
  std::jthread ofBound;
  auto bound = [&, cost = price(best)] { found.lowerBoundPs = computeBound(cost); };
  if (isCompared && chooseThreads(request.search) > 1)
    ofBound = std::jthread(bound);
  else if (isCompared)
    bound();
  describe(best, found);
  found.budget = outcome.budget;
  found.numEvaluations = outcome.numEvaluations;
  found.stopReason = outcome.stopReason;
  found.isComplete = outcome.isComplete();
  if (isCompared)
    compare(best, formulaBest, outcome, found);
  if (ofBound.joinable())
    ofBound.join();
  return found;
}

Result<FoldingCheck> PlanSearch::check(int64_t numLists) {
  if (Status error = prepare())
    return std::move(*error);
  Topology whole(request.graph);
  LiveTimes wholeTimes(whole);
  CostModel wholeModel(whole, request.axes, request.machine, request.placement, request.cost, wholeTimes);
  CellNames wholeNames(request.graph);
  ReshardPlanner planner(request.axes);
  TacticsOfMoves tactics(request.graph, wholeGroups, folding, table);
  FoldingCheck found{request.graph.ops.size(), folding.graph.ops.size(), 0, 0, "", {}, {}};
  for (uint64_t number = 0; number < uint64_t(numLists) && !table.moves.empty(); ++number) {
    Moves moves;
    for (uint64_t i = 0, size = 1 + mixHash(number) % 6; i < size; ++i)
      moves.push_back(MoveId(static_cast<uint32_t>(mixHash(mixHash(number) ^ (i + 1)) % table.moves.size())));
    Cost cost = price(moves);
    Schedule schedule = request.given;
    llvm::append_range(schedule.tactics, tactics.build(moves));
    Assignment assignment(whole, request.axes);
    Result<ScheduleOutcome> outcome = applySchedule(schedule, wholeNames, assignment, nullptr);
    if (!outcome)
      return outcome.error();
    Cost wholeCost = evaluateCost(wholeModel, assignment, planner);
    ++found.numLists;
    if (cost == wholeCost || found.numDifferent++ > 0)
      continue;
    for (MoveId move : moves)
      found.words += (found.words.empty() ? "" : "; ") + tactics.describe(move);
    found.folded = cost;
    found.whole = wholeCost;
  }
  return found;
}

Result<FoldingCheck> checkFolding(const PlanRequest &request, int64_t numLists) {
  Topology whole(request.graph);
  Repetition repetition = findRepetition(whole);
  return PlanSearch(request, whole, repetition).check(numLists);
}

Result<FoundTactics> findTactics(const PlanRequest &request) {
  Topology whole(request.graph);
  Repetition repetition = findRepetition(whole);
  return PlanSearch(request, whole, repetition).run();
}

} // namespace partita
