//===- PlanDescription.cpp - a found plan in words and in comparison ------===//

#include "partita/Search/PlanDescription.h"

#include "partita/Search/AxisNames.h"
#include "partita/Search/SeedWords.h"
#include "partita/Search/Summary.h"
#include "partita/Search/Telling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::search {

//===----------------------------------------------------------------------===//
// Description
//===----------------------------------------------------------------------===//

static std::vector<std::string> nameAxes(const PreparedSearch &search, const PlanWalker &walker, const Colors &colors) {
  const FoldedProgram &program = search.program;
  AxisUses uses = findAxisUses(walker.getAssignment(), program.folding.multiplicity, program.groups, colors);
  const Tactic *pipeline = findPipelineTactic(search.request.given);
  return chooseAxisNames(uses, search.request.axes, colors, pipeline ? llvm::StringRef(pipeline->axis) : "");
}

PlanDescription describeProbe(const PreparedSearch &search, PlanWalker &walker, const Moves &best) {
  PlanDescription plan;
  plan.limitBytes = search.model.getMemoryLimit();
  walker.evaluate(best);
  plan.cost = walker.getCost();
  plan.axisNames = nameAxes(search, walker, search.program.computeColors());
  return plan;
}

PlanDescription describePlan(const PreparedSearch &search, PlanWalker &walker, const TimelineChoice &choice) {
  constexpr size_t maxNames = 4;
  PlanDescription plan;
  plan.limitBytes = search.model.getMemoryLimit();
  plan.tactics = search.tactics.build(choice.moves);
  const Cost &start = search.space.getStartCost();
  plan.start = {"nothing split", start.timePs, start.peakBytes, choice.times.find(walker.evaluate(Moves()).state)};
  plan.simulatedPs = choice.times.find(walker.evaluate(choice.moves).state);
  plan.cost = walker.getCost();
  const FoldedProgram &program = search.program;
  const Colors &colors = program.computeColors();
  plan.words = tellMoves(choice.moves, search.table, program.topology, colors, search.names);
  plan.summary = summarizeAssignment(walker.getAssignment(), program.folding.multiplicity, program.groups, colors);
  plan.axisNames = nameAxes(search, walker, colors);
  if (plan.cost.peakBytes <= plan.limitBytes)
    return plan;
  for (const AliveCell &alive : walker.getTracker().listAtPeak())
    if (std::string name = search.names.getName(alive.cell);
        plan.atPeak.size() < maxNames && !llvm::is_contained(plan.atPeak, name))
      plan.atPeak.push_back(std::move(name));
  return plan;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// `without A; with B`: how another list differs from the best.
static std::string describeDifference(const Moves &best, const Moves &other, const PreparedSearch &search,
                                      const Colors &colors) {
  std::vector<std::string> words;
  auto add = [&](const Moves &some, const Moves &known, llvm::StringRef word) {
    Moves different;
    llvm::copy_if(some, std::back_inserter(different), [&](MoveId move) { return !llvm::is_contained(known, move); });
    for (const std::string &line : tellMoves(different, search.table, search.program.topology, colors, search.names))
      words.push_back(word.str() + line);
  };
  add(best, other, "without ");
  add(other, best, "with ");
  return words.empty() ? sameInAnotherOrder.str() : llvm::join(words, "; ");
}

namespace {

/// One of the other plans that is better, and its gain as a share of the best plan's time.
struct Rival {
  size_t number = 0;
  double gain = 0;
};

} // namespace

/// The plan that is better than `best` if links have 0.7 of their rate. Scales simulated times by the slowdown of the
/// formula.
static std::optional<Rival> findRival(const PreparedSearch &search, const SimulatedTimes &times, const Found &best,
                                      llvm::ArrayRef<Found> others) {
  const PlanRequest &request = search.request;
  const FoldedProgram &program = search.program;
  Machine slower = request.machine;
  for (Level &level : slower.levels)
    level.bytesPerSecond.value = std::max<int64_t>(1, level.bytesPerSecond.value * 7 / 10);
  CostModel slowerModel(program.topology, request.axes, slower, request.placement, request.cost, program.liveTimes,
                        program.folding.multiplicity);
  SharedPrices slowerPrices;
  PlanProblem problem{slowerModel,         search.names,  request.given, search.table,
                      program.steppedDims, request.goals, slowerPrices,  search.memory};
  PlanWalker slowerWalker(problem);
  auto evaluate = [&](const Found &plan) {
    Rating rating = slowerWalker.evaluate(plan.moves).rating;
    if (std::optional<int64_t> simulated = times.find(plan.evaluated.state)) {
      int64_t formulaPs = std::max<int64_t>(1, getPart(request.goals, plan.evaluated.rating, Goal::Time));
      int64_t &timePs = rating.parts[llvm::find(request.goals, Goal::Time) - request.goals.begin()];
      timePs = static_cast<int64_t>(static_cast<__int128>(timePs) * *simulated / formulaPs);
    }
    return rating;
  };
  Rating least = evaluate(best);
  double timePs = double(getPart(request.goals, least, Goal::Time));
  std::optional<Rival> rival;
  for (size_t i = 0; i < others.size(); ++i) {
    Rating rating = evaluate(others[i]);
    if (!(rating < least))
      continue;
    least = rating;
    rival = {i, 1 - double(getPart(request.goals, rating, Goal::Time)) / std::max(1.0, timePs)};
  }
  return rival;
}

PlanComparison comparePlan(const PreparedSearch &search, PlanWalker &walker, const TimelineChoice &choice,
                           const PlanDescription &description, const Moves &formulaBest, const SearchOutcome &outcome) {
  constexpr size_t maxOthers = 3;
  const std::vector<Goal> &goals = search.request.goals;
  const Cost &cost = description.cost;
  auto makeStrategy = [&](std::string name, const Evaluated &evaluated) {
    return Strategy{std::move(name), getPart(goals, evaluated.rating, Goal::Time),
                    getPart(goals, evaluated.rating, Goal::Memory), choice.times.find(evaluated.state)};
  };
  std::vector<Seed> seeds = listBestSeeds(outcome.seeds);
  std::vector<Found> others = outcome.others, listed;
  others.insert(others.begin(), {formulaBest, walker.evaluate(formulaBest)});
  Colors colors = search.program.computeColors();
  PlanComparison found;
  for (const Seed &seed : seeds)
    found.seeds.push_back(makeStrategy(seed.name, seed.evaluated));
  for (const Found &other : others) {
    if (found.others.size() == maxOthers)
      break;
    Strategy strategy = makeStrategy("", other.evaluated);
    // Simplification gave up tiny gains, so another plan may be slightly better.
    bool isBehind = description.simulatedPs && strategy.simulatedPs ? *strategy.simulatedPs >= *description.simulatedPs
                                                                    : strategy.timePs >= cost.timePs;
    bool isClose = isBehind && strategy.timePs <= cost.timePs + cost.timePs / 20;
    auto isSame = [&](const auto &known) {
      return known.timePs == strategy.timePs && known.peakBytes == strategy.peakBytes;
    };
    bool isShort = strategy.peakBytes > description.limitBytes && cost.peakBytes <= description.limitBytes;
    if (!isClose || isShort || isSame(cost) || llvm::any_of(found.others, isSame))
      continue;
    strategy.name = describeDifference(choice.moves, dropIneffective(other.moves, other.evaluated), search, colors);
    found.others.push_back(std::move(strategy));
    listed.push_back(other);
  }
  Found best{choice.moves, walker.evaluate(choice.moves)};
  if (std::optional<Rival> rival = findRival(search, choice.times, best, listed)) {
    found.isRobust = false;
    found.rival = rival->number;
    found.rivalGain = rival->gain;
  }
  return found;
}

} // namespace partita::search
