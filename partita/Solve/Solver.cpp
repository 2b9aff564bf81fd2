//===- Solver.cpp - good choices for a problem, and a lower bound ---------===//

#include "partita/Solve/Solver.h"

#include "partita/Solve/Elimination.h"
#include "partita/Solve/NeighborhoodSearch.h"

#include <chrono>
#include <cmath>
#include <thread>

namespace partita::solve {

/// Problems with no more combinations of labels are enumerated, if there are not too many rows.
static constexpr double mostEnumerated = 1 << 18, mostEnumeratedRows = 1e9;
/// Problems without rows are eliminated as a whole, if no table has more entries.
static constexpr size_t mostEliminatedVariables = 4096, mostEliminatedEntries = size_t(1) << 23;
/// Shares of the budget: iterations of the dual, dives, and regions of what these gave. What is
/// left goes to the best, up to a share, too.
static constexpr double dualShare = 0.15, diveShare = 0.4, startShare = 0.15, lastShare = 0.4;
/// A round is some iterations of the dual and what is rounded from it; the first has as many as all others.
/// Rounds end, too, after some in which nothing better was found.
static constexpr int64_t mostRounds = 40, mostIterations = 2000, patience = 20;
/// The share of variables that a dive fixes at a time, and the number of dives of a round.
static constexpr double fixedShare = 0.02;
static constexpr unsigned numDives = 2;
/// The work of a row that a label is held against, in entries of tables: on average over a dive, half are fixed.
static constexpr double rowWeight = 0.2;
/// The first temperature of the last search, as a share of the cost; how far it falls, and the share of the search that
/// is at temperature 0.
static constexpr double firstTemperature = 3e-6, cooling = 1e-3, coldShare = 0.1;

double Solution::computeGap() const {
  if (value.cost == lowerBound || value.cost == 0)
    return 0;
  return static_cast<double>(value.cost - lowerBound) / std::abs(static_cast<double>(value.cost));
}

namespace {

class Solver {
public:
  Solver(const ChoiceProblem &problem, const SolverOptions &options)
      : problem(problem), options(options), reduced(reduceProblem(problem)) {}

  Solution run();

private:
  bool isOver() const { return options.isOver && options.isOver(); }
  bool isEnumerable() const;
  void enumerate();
  /// False if the problem is too large.
  bool eliminate();
  void ascend();
  void searchRegions();
  double computeDiveWork(const DualAscent &dual) const;
  /// Rounds the dual in several ways.
  void round(const DualAscent &dual, int64_t mostWork);
  /// Betters a rounded solution in a few regions.
  void startFrom(Labels labels, const char *stage, int64_t mostWork);
  void note(const LabeledState &state, const char *stage);
  bool isOptimal() const { return hasBest && static_cast<Total>(best.cost) <= solution.lowerBound; }
  void noteBound(double bound);
  void noteOptimum();
  Solution finish();

  const ChoiceProblem &problem;
  const SolverOptions &options;
  ReducedProblem reduced;
  UsageRows rows;
  std::vector<double> multipliers;
  LabeledState best;
  bool hasBest = false, hasBound = false;
  Solution solution;
  uint64_t numStarts = 0;
};

} // namespace

/// Costs are integers. What doubles may have lost is taken off before the bound is rounded up.
void Solver::noteBound(double bound) {
  double safe = std::ceil(bound - 1e-9 * std::abs(bound) - 1e-6);
  if (std::abs(safe) >= infinite / 2)
    return;
  Total rounded = static_cast<Total>(safe);
  if (!hasBound || rounded > solution.lowerBound)
    solution.lowerBound = rounded;
  hasBound = true;
}

/// The best is an optimum of doubles; of integers, too, if no sum can have been rounded.
void Solver::noteOptimum() {
  constexpr double mostExact = 0x1p53;
  double most = std::abs(reduced.constant);
  auto add = [&](const std::vector<double> &costs) {
    double largest = 0;
    for (double cost : costs)
      if (cost < infinite / 2)
        largest = std::max(largest, std::abs(cost));
    most += largest;
  };
  for (const ChoiceVariable &variable : reduced.variables)
    add(variable.costs);
  for (const PairCosts &pair : reduced.pairs)
    add(pair.costs);
  if (most >= mostExact)
    return noteBound(best.cost);
  solution.lowerBound = evaluateChoices(problem, reduced.expand(best.labels)).cost;
  hasBound = true;
}

void Solver::note(const LabeledState &state, const char *stage) {
  if (hasBest && state.getKey() >= best.getKey())
    return;
  best = state;
  hasBest = true;
  solution.stage = stage;
}

//===----------------------------------------------------------------------===//
// Few labels
//===----------------------------------------------------------------------===//

bool Solver::isEnumerable() const {
  double combinations = 1;
  for (const ChoiceVariable &variable : reduced.variables)
    combinations *= static_cast<double>(variable.costs.size());
  return combinations <= mostEnumerated && combinations * static_cast<double>(rows.size()) <= mostEnumeratedRows;
}

void Solver::enumerate() {
  size_t numVariables = reduced.variables.size();
  std::vector<std::vector<PairEnd>> ends = reduced.buildPairEnds();
  Labels labels(numVariables, 0), bestLabels;
  double bestCost = infinite;
  std::vector<double> usage(rows.size(), 0);
  auto change = [&](size_t variable, double sign) {
    for (uint32_t item = rows.starts[variable]; item < rows.starts[variable + 1]; ++item)
      for (size_t row = rows.items[item].first; row < rows.items[item].last; ++row)
        usage[row] += sign * rows.items[item].amounts[labels[variable]];
  };
  auto fits = [&] {
    for (size_t row = 0; row < rows.size(); ++row)
      if (usage[row] > rows.capacities[row])
        return false;
    return true;
  };
  auto descend = [&](auto &self, size_t variable, double cost) -> void {
    if (variable == numVariables) {
      if (cost < bestCost) {
        bestCost = cost;
        bestLabels = labels;
      }
      return;
    }
    for (labels[variable] = 0; labels[variable] < reduced.variables[variable].costs.size(); ++labels[variable]) {
      double sum = cost + reduced.variables[variable].costs[labels[variable]];
      for (const PairEnd &end : ends[variable])
        if (end.other < variable) {
          const PairCosts &pair = reduced.pairs[end.pair];
          size_t numSecond = reduced.variables[pair.variables[1]].costs.size();
          sum += pair.costs[labels[pair.variables[0]] * numSecond + labels[pair.variables[1]]];
        }
      ++solution.work;
      if (sum >= infinite / 2)
        continue;
      change(variable, 1);
      if (fits())
        self(self, variable + 1, sum);
      change(variable, -1);
    }
  };
  if (fits())
    descend(descend, 0, 0);
  solution.isInfeasible = bestCost >= infinite / 2;
  if (solution.isInfeasible)
    return;
  note(buildState(reduced, rows, bestLabels), "enumerate");
  noteOptimum();
}

/// Where memory limits nothing.
bool Solver::eliminate() {
  if (rows.size() > 0 || reduced.variables.size() > mostEliminatedVariables)
    return false;
  std::vector<uint32_t> sizes;
  std::vector<std::vector<double>> costs, tables;
  for (const ChoiceVariable &variable : reduced.variables) {
    sizes.push_back(static_cast<uint32_t>(variable.costs.size()));
    costs.push_back(variable.costs);
  }
  std::vector<EliminationPair> pairs;
  for (const PairCosts &pair : reduced.pairs) {
    pairs.push_back({pair.variables[0], pair.variables[1]});
    tables.push_back(pair.costs);
  }
  Elimination elimination(sizes, pairs, mostEliminatedEntries);
  if (!elimination.getLeftOut().empty() || elimination.getWork() / 1'000'000 >= options.budget)
    return false;
  LabeledState state = buildState(reduced, rows, elimination.solve(costs, tables));
  solution.work += elimination.getWork();
  solution.isInfeasible = state.cost >= infinite / 2;
  if (!solution.isInfeasible) {
    note(state, "eliminate");
    noteOptimum();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Many labels
//===----------------------------------------------------------------------===//

void Solver::startFrom(Labels labels, const char *stage, int64_t mostWork) {
  LabeledState state = buildState(reduced, rows, std::move(labels));
  note(state, stage);
  NeighborhoodOptions region;
  region.seed = options.getSeed() * 1'000'003 + ++numStarts;
  region.numThreads = static_cast<unsigned>(options.numThreads);
  NeighborhoodSearch search(reduced, rows, multipliers, std::move(state), region);
  while (search.getWork() < mostWork && search.getNumRegions() < mostWork / 1000 && !isOver() && !isOptimal())
    search.runBatch();
  solution.work += search.getWork();
  solution.regions += search.getNumRegions();
  note(search.getBest(), stage);
}

void Solver::round(const DualAscent &dual, int64_t mostWork) {
  multipliers = dual.getMultipliers();
  std::vector<std::optional<Labels>> dived(numDives);
  std::vector<int64_t> iterations(numDives, 0);
  auto dive = [&](unsigned number) {
    DualAscent own = dual;
    dived[number] = own.dive(options.getSeed() * 1'000'003 + 1'000 * (numStarts + number), fixedShare, options.isOver);
    iterations[number] = own.getNumIterations() - dual.getNumIterations();
  };
  std::vector<std::thread> helpers;
  for (unsigned number = 0; number < numDives; ++number)
    if (options.numThreads > 1 && number > 0)
      helpers.emplace_back(dive, number);
    else
      dive(number);
  for (std::thread &helper : helpers)
    helper.join();
  for (unsigned number = 0; number < numDives; ++number) {
    solution.iterations += iterations[number];
    solution.work += static_cast<int64_t>(computeDiveWork(dual));
    if (dived[number])
      startFrom(std::move(*dived[number]), "dive", mostWork / 4);
  }
  startFrom(dual.decode(false), "dual", mostWork / 4);
  startFrom(dual.decode(true), "dual", mostWork / 4);
}

/// The work of a dive: iterations, and labels of variables that are not fixed, held against the rows.
double Solver::computeDiveWork(const DualAscent &dual) const {
  double numSteps = 0, checked = 0;
  for (size_t open = reduced.variables.size(); open > 0; ++numSteps)
    open -= std::min(open, 1 + static_cast<size_t>(fixedShare * static_cast<double>(open)));
  for (size_t variable = 0; variable < reduced.variables.size(); ++variable) {
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t item = rows.starts[variable]; item < rows.starts[variable + 1]; ++item) {
      first = std::min(first, rows.items[item].first);
      last = std::max(last, rows.items[item].last);
    }
    if (first < last)
      checked += static_cast<double>(reduced.variables[variable].costs.size()) * (last - first);
  }
  return numSteps * (DualAscent::diveIterations * static_cast<double>(dual.getWork()) + rowWeight * checked);
}

void Solver::ascend() {
  DualAscent dual(reduced, rows);
  double entries = static_cast<double>(options.budget) * 1e6, ofIteration = static_cast<double>(dual.getWork() + 1);
  double ofDives = numDives * computeDiveWork(dual) + 1;
  auto toCount = [](double count, int64_t most) {
    return static_cast<int64_t>(std::clamp(count, 1.0, static_cast<double>(most)));
  };
  int64_t numRounds = toCount(diveShare * entries / ofDives, mostRounds);
  int64_t numIterations = toCount(dualShare * entries / ofIteration, mostIterations);
  int64_t mostWork = static_cast<int64_t>(startShare * entries / static_cast<double>(numRounds));
  int64_t bettered = 0;
  for (int64_t number = 0; number < std::min(numRounds, bettered + patience) && !isOver() && !isOptimal(); ++number) {
    auto before = best.getKey();
    int64_t ofRound = number == 0 ? 1 + numIterations / 2 : 1 + numIterations / (2 * numRounds);
    for (int64_t iteration = 0; iteration < ofRound && !isOver() && !isOptimal(); ++iteration) {
      dual.iterate();
      ++solution.iterations;
      solution.work += dual.getWork();
      noteBound(dual.getBound());
    }
    if (!isOver() || !hasBest)
      round(dual, mostWork);
    if (best.getKey() != before)
      bettered = number;
  }
}

void Solver::searchRegions() {
  NeighborhoodOptions region;
  region.seed = options.getSeed();
  region.numThreads = static_cast<unsigned>(options.numThreads);
  NeighborhoodSearch search(reduced, rows, multipliers, best, region);
  int64_t left = std::min<int64_t>(options.budget * 1'000'000 - solution.work,
                                   static_cast<int64_t>(lastShare * 1e6 * static_cast<double>(options.budget)));
  // Regions may be so small that they count as no work.
  int64_t mostRegions = options.budget * 1000;
  while (search.getWork() < left && search.getNumRegions() < mostRegions && !isOver() && !isOptimal()) {
    double done = static_cast<double>(search.getWork()) / static_cast<double>(left) / (1 - coldShare);
    search.setTemperature(done < 1 ? firstTemperature * std::abs(best.cost) * std::pow(cooling, done) : 0);
    search.runBatch();
    note(search.getBest(), "regions");
  }
  solution.work += search.getWork();
  solution.regions += search.getNumRegions();
}

Solution Solver::finish() {
  if (hasBest && best.isFeasible()) {
    Choices choices = reduced.expand(best.labels);
    ChoiceValue value = evaluateChoices(problem, choices);
    // Doubles may have rounded usages that are close to the limit.
    if (value.isFeasible) {
      solution.choices = std::move(choices);
      solution.value = value;
      solution.lowerBound = std::min(solution.lowerBound, value.cost);
    }
  }
  if (solution.isInfeasible)
    solution.stopped = "infeasible";
  else if (!solution.choices.empty() && solution.value.cost == solution.lowerBound)
    solution.stopped = "optimal";
  else
    solution.stopped = isOver() ? "over" : "budget";
  return std::move(solution);
}

Solution Solver::run() {
  if (reduced.isInfeasible) {
    solution.isInfeasible = true;
    return finish();
  }
  rows = buildUsageRows(problem, reduced);
  solution.numVariables = reduced.variables.size();
  solution.numRows = rows.size();
  if (std::any_of(rows.capacities.begin(), rows.capacities.end(), [](double capacity) { return capacity < 0; })) {
    solution.isInfeasible = true;
    return finish();
  }
  if (isEnumerable()) {
    enumerate();
    return finish();
  }
  if (eliminate())
    return finish();
  ascend();
  if (!isOver() && !isOptimal())
    searchRegions();
  return finish();
}

Solution solveProblem(const ChoiceProblem &problem, const SolverOptions &options) {
  SolverOptions timed = options;
  auto begin = std::chrono::steady_clock::now();
  if (options.deadlineMs > 0)
    timed.isOver = [&options, begin] {
      auto passed = std::chrono::steady_clock::now() - begin;
      return passed >= std::chrono::milliseconds(options.deadlineMs) || (options.isOver && options.isOver());
    };
  return Solver(problem, timed).run();
}

} // namespace partita::solve
