//===- Solver.cpp - good choices for a problem, and a lower bound ---------===//

#include "partita/Solve/Solver.h"

#include "partita/Solve/NeighborhoodSearch.h"

#include <cmath>

namespace partita::solve {

/// Problems with no more combinations of labels are enumerated.
static constexpr double mostEnumerated = 1 << 18;
/// Shares of the budget: the dual, and regions of what it was rounded to. The rest goes to the best.
static constexpr double dualShare = 0.3, startShare = 0.3;
/// Iterations of the dual before the first rounding, at most in all, and how often it is rounded.
static constexpr int64_t firstRounding = 60, mostIterations = 3000, numStarts = 60;

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
  void ascend();
  void searchRegions();
  /// Betters a rounded solution in a few regions.
  void startFrom(Labels labels, int64_t mostWork);
  void note(const LabeledState &state, const char *stage);
  bool isOptimal() const { return hasBest && static_cast<Total>(best.cost) <= solution.lowerBound; }
  void noteBound(double bound);
  Solution finish();

  const ChoiceProblem &problem;
  const SolverOptions &options;
  ReducedProblem reduced;
  UsageRows rows;
  std::vector<double> multipliers;
  LabeledState best;
  bool hasBest = false, hasBound = false;
  Solution solution;
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
  return combinations <= mostEnumerated;
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
  noteBound(best.cost);
}

//===----------------------------------------------------------------------===//
// Many labels
//===----------------------------------------------------------------------===//

void Solver::startFrom(Labels labels, int64_t mostWork) {
  LabeledState state = buildState(reduced, rows, std::move(labels));
  note(state, "dual");
  NeighborhoodOptions region;
  region.seed = options.seed * 1'000'003 + solution.iterations;
  region.numThreads = options.numThreads;
  NeighborhoodSearch search(reduced, rows, multipliers, std::move(state), region);
  while (search.getWork() < mostWork && !isOver())
    search.runBatch();
  solution.work += search.getWork();
  solution.regions += search.getNumRegions();
  note(search.getBest(), "dual");
}

void Solver::ascend() {
  DualAscent dual(reduced, rows);
  double entries = static_cast<double>(options.budget) * 1e6;
  int64_t numIterations = static_cast<int64_t>(dualShare * entries / static_cast<double>(dual.getWork() + 1));
  numIterations = std::clamp<int64_t>(numIterations, 1, mostIterations);
  int64_t between = std::max<int64_t>(1, (numIterations - firstRounding) / numStarts);
  for (int64_t iteration = 0; iteration < numIterations && !isOver() && !isOptimal(); ++iteration) {
    dual.iterate();
    ++solution.iterations;
    solution.work += dual.getWork();
    noteBound(dual.getBound());
    bool isRounded =
        iteration + 1 == numIterations || (iteration >= firstRounding && (iteration - firstRounding) % between == 0);
    if (!isRounded)
      continue;
    multipliers = dual.getMultipliers();
    bool isWithin = (iteration - firstRounding) / between % 2 == 1;
    startFrom(dual.decode(isWithin), static_cast<int64_t>(startShare * entries / numStarts));
  }
  if (multipliers.empty())
    multipliers = dual.getMultipliers();
  multipliers.resize(rows.size());
}

void Solver::searchRegions() {
  if (!hasBest)
    note(buildState(reduced, rows, Labels(reduced.variables.size(), 0)), "regions");
  NeighborhoodOptions region;
  region.seed = options.seed;
  region.numThreads = options.numThreads;
  NeighborhoodSearch search(reduced, rows, multipliers, best, region);
  int64_t left = options.budget * 1'000'000 - solution.work;
  // Regions may be so small that they count as no work.
  int64_t mostRegions = options.budget * 1000;
  while (search.getWork() < left && search.getNumRegions() < mostRegions && !isOver() && !isOptimal()) {
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
  ascend();
  if (!isOver() && !isOptimal())
    searchRegions();
  return finish();
}

Solution solveProblem(const ChoiceProblem &problem, const SolverOptions &options) {
  return Solver(problem, options).run();
}

} // namespace partita::solve
