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

namespace partita {

namespace {

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
  /// Its tactics, words and cost.
  void describe(llvm::ArrayRef<MoveId> best, FoundTactics &found);
  /// What it is held against: seeds, runners-up, slower links.
  void compare(const Moves &best, const SearchOutcome &outcome, FoundTactics &found);
  void listAtPeak(std::vector<std::string> &list);
  /// Whether one of `others` is faster than `best` if links are slower.
  void findRival(const Moves &best, llvm::ArrayRef<Moves> others, FoundTactics &found) const;
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
  IdVector<GroupId, std::vector<GroupId>> parts;
  parts.reserve(found.list.size());
  for (GroupId id : idRange<GroupId>(found.list.size())) {
    const ArgumentGroup &group = found.list[id];
    parts.push_back({});
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

Status PlanSearch::prepare() {
  Assignment base(topology, request.axes);
  Result<ScheduleOutcome> outcome = applySchedule(request.given, names, base, nullptr);
  if (!outcome)
    return outcome.error();
  ProposalOptions options;
  options.axes = request.searchedAxes;
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

void PlanSearch::findRival(const Moves &best, llvm::ArrayRef<Moves> others, FoundTactics &found) const {
  Machine slower = request.machine;
  for (Level &level : slower.levels)
    level.bytesPerSecond.value = std::max<int64_t>(1, level.bytesPerSecond.value * 7 / 10);
  CostModel slowerModel(topology, request.axes, slower, request.placement, request.cost, liveTimes, folding.weights);
  SharedPrices slowerPrices;
  PlanProblem problem{slowerModel, names,         request.given, table,
                      steppedDims, request.goals, slowerPrices,  space->getProblem().memory};
  PlanWalker slowerWalker(problem);
  Rating least = slowerWalker.evaluate(best).rating;
  double timePs = double(slowerWalker.getCost().timePs);
  for (size_t i = 0; i < others.size(); ++i) {
    Rating rating = slowerWalker.evaluate(others[i]).rating;
    if (!(rating < least))
      continue;
    least = rating;
    found.isRobust = false;
    found.rival = i;
    found.rivalGain = 1 - double(slowerWalker.getCost().timePs) / std::max(1.0, timePs);
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

void PlanSearch::describe(llvm::ArrayRef<MoveId> best, FoundTactics &found) {
  TacticsOfMoves tactics(request.graph, wholeGroups, folding, table);
  found.tactics = tactics.build(best);
  for (MoveId move : best)
    found.words.push_back(tactics.describe(move));
  found.start = space->getStartCost();
  found.cost = price(best);
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

void PlanSearch::compare(const Moves &best, const SearchOutcome &outcome, FoundTactics &found) {
  constexpr size_t maxOthers = 3, maxSeeds = 16;
  TacticsOfMoves tactics(request.graph, wholeGroups, folding, table);
  std::vector<Seed> seeds = outcome.seeds;
  llvm::sort(seeds, [](const Seed &a, const Seed &b) {
    return std::tie(a.evaluated.rating, a.name) < std::tie(b.evaluated.rating, b.name);
  });
  seeds.resize(std::min(seeds.size(), maxSeeds));
  auto makeStrategy = [&](std::string name, const Rating &rating) {
    return Strategy{std::move(name), getPart(request.goals, rating, Goal::Time),
                    getPart(request.goals, rating, Goal::Memory)};
  };
  for (const Seed &seed : seeds)
    found.seeds.push_back(makeStrategy(seed.name, seed.evaluated.rating));
  std::vector<Moves> others;
  for (const Found &other : outcome.others) {
    if (found.others.size() == maxOthers)
      break;
    Strategy strategy = makeStrategy("", other.evaluated.rating);
    // What is better by next to nothing was left out of the best.
    bool isClose =
        strategy.timePs >= found.cost.timePs && strategy.timePs <= found.cost.timePs + found.cost.timePs / 20;
    auto isSame = [&](const auto &known) {
      return known.timePs == strategy.timePs && known.peakBytes == strategy.peakBytes;
    };
    bool isShort = strategy.peakBytes > found.limitBytes && found.cost.peakBytes <= found.limitBytes;
    if (!isClose || isShort || isSame(found.cost) || llvm::any_of(found.others, isSame))
      continue;
    strategy.name = describeDifference(best, dropIneffective(other.moves, other.evaluated), tactics);
    found.others.push_back(std::move(strategy));
    others.push_back(other.moves);
  }
  findRival(best, others, found);
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
  Moves best = simplify(outcome);
  describe(best, found);
  found.budget = outcome.budget;
  found.numEvaluations = outcome.numEvaluations;
  found.stopReason = outcome.stopReason;
  found.isComplete = outcome.isComplete();
  // Whoever interrupts wants the plan now: what it is compared with takes as long as some dozen states.
  if (found.stopReason != StopReason::Interrupted) {
    compare(best, outcome, found);
    found.lowerBoundPs = computeBound(found.cost);
  }
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
