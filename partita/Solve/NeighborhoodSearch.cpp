//===- NeighborhoodSearch.cpp - betters choices region by region ----------===//

#include "partita/Solve/NeighborhoodSearch.h"

#include "partita/Solve/Elimination.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <thread>

namespace partita::solve {

/// Regions of a batch, and how often one is solved with other multipliers.
static constexpr unsigned batchSize = 16, maxAttempts = 12;
/// Regions with no more combinations of labels are enumerated, and how many are held against the limit.
static constexpr size_t mostCombinations = 2048, mostChecked = 64;
/// Above this a cost says that something is ruled out.
static constexpr double half = infinite / 2;

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static double getCost(const ReducedProblem &reduced, const PairEnd &end, uint32_t own, uint32_t other) {
  const PairCosts &pair = reduced.pairs[end.pair];
  size_t numSecond = reduced.variables[pair.variables[1]].costs.size();
  return end.isFirst ? pair.costs[own * numSecond + other] : pair.costs[other * numSecond + own];
}

/// Adds the change of usage from one label to another as differences between rows.
static void addChange(const UsageRows &rows, uint32_t variable, uint32_t from, uint32_t to,
                      std::vector<double> &changes) {
  for (uint32_t number = rows.starts[variable]; number < rows.starts[variable + 1]; ++number) {
    const UsageItem &item = rows.items[number];
    double change = item.amounts[to] - item.amounts[from];
    changes[item.first] += change;
    changes[item.last] -= change;
  }
}

LabeledState buildState(const ReducedProblem &reduced, const UsageRows &rows, Labels labels) {
  LabeledState state;
  state.cost = reduced.constant;
  for (size_t variable = 0; variable < labels.size(); ++variable)
    state.cost += reduced.variables[variable].costs[labels[variable]];
  for (const PairCosts &pair : reduced.pairs) {
    size_t numSecond = reduced.variables[pair.variables[1]].costs.size();
    double cost = pair.costs[labels[pair.variables[0]] * numSecond + labels[pair.variables[1]]];
    if (cost >= half)
      ++state.numForbidden;
    else
      state.cost += cost;
  }
  std::vector<double> changes(rows.size() + 1, 0);
  for (const UsageItem &item : rows.items) {
    changes[item.first] += item.amounts[labels[item.variable]];
    changes[item.last] -= item.amounts[labels[item.variable]];
  }
  double usage = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    state.usage.push_back(usage += changes[row]);
    state.excess += std::max(0.0, usage - rows.capacities[row]);
  }
  state.labels = std::move(labels);
  return state;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Chooses a region and solves it. Each has its own random numbers.
class RegionProposer {
public:
  RegionProposer(const NeighborhoodSearch &search, uint64_t number)
      : search(search), state(search.state), rows(search.rows),
        random(search.options.seed * 0x9E3779B97F4A7C15 + number), changes(search.rows.size() + 1) {}

  Proposal propose();

private:
  struct Multiplier {
    size_t row;
    double value;
  };

  uint32_t draw(size_t count) { return static_cast<uint32_t>(random() % count); }
  /// From [0, 1).
  double drawFraction() { return static_cast<double>(random() >> 11) * 0x1p-53; }
  void grow();
  void disturbCosts();
  void aimAtExceeded();
  Elimination prepare();
  /// Keeps the labels of each variable that its neighbours outside of the region allow, and the one that it has.
  void buildProblem();
  void buildTables();
  std::vector<EliminationPair> findPairs() const;
  double computeAmount(uint32_t variable, uint32_t label, size_t row) const;
  std::vector<std::vector<double>> computeCosts() const;
  /// The cost of local labels, and with what is multiplied.
  double computeCost(const std::vector<uint32_t> &local) const;
  double computePenalty(const std::vector<uint32_t> &local) const;
  /// The row that new labels exceed most, beyond what it is exceeded by now; rows.size() if there is none.
  size_t findExceeded(const std::vector<uint32_t> &local);
  std::vector<uint32_t> enumerate(double before, int64_t &work);
  void proposeLabels(const std::vector<uint32_t> &local, Proposal &proposal) const;
  bool raiseMultiplier(const std::vector<uint32_t> &local, size_t row);

  const NeighborhoodSearch &search;
  const LabeledState &state;
  const UsageRows &rows;
  std::mt19937_64 random;
  std::vector<double> changes;
  /// The region's variables, the labels of each that are looked at, and their costs.
  std::vector<uint32_t> variables;
  llvm::DenseMap<uint32_t, uint32_t> numbers;
  std::vector<std::vector<uint32_t>> labels;
  std::vector<std::vector<double>> costs;
  std::vector<uint32_t> current;
  std::vector<std::vector<double>> tables;
  std::vector<EliminationPair> pairs;
  std::vector<std::vector<double>> disturbed;
  double share = 0;
  bool isRepairing = false;
  std::vector<Multiplier> multipliers;
};

/// From a few variables outwards along pairs, in random order.
void RegionProposer::grow() {
  uint32_t numVariables = search.reduced.variables.size();
  // A small region can be enumerated, so that a limit that is nearly reached is used to the full.
  uint32_t wanted = draw(4) == 0 ? 2 + draw(4) : 2 + draw(search.options.maxVariables - 1);
  unsigned numSeeds = 1 + draw(4);
  std::vector<uint32_t> frontier;
  auto add = [&](uint32_t variable) {
    if (!numbers.try_emplace(variable, variables.size()).second)
      return;
    variables.push_back(variable);
    for (const PairEnd &end : search.ends[variable])
      if (!numbers.count(end.other))
        frontier.push_back(end.other);
  };
  bool isByUsage = !search.usingVariables.empty() && draw(2);
  for (unsigned seed = 0; seed < numSeeds; ++seed)
    add(isByUsage ? search.usingVariables[draw(search.usingVariables.size())] : draw(numVariables));
  while (variables.size() < wanted && !frontier.empty()) {
    uint32_t place = draw(frontier.size());
    std::swap(frontier[place], frontier.back());
    uint32_t next = frontier.back();
    frontier.pop_back();
    add(next);
  }
}

void RegionProposer::buildProblem() {
  labels.clear();
  costs.clear();
  current.clear();
  std::vector<double> own;
  for (uint32_t variable : variables) {
    own = search.reduced.variables[variable].costs;
    for (const PairEnd &end : search.ends[variable])
      if (!numbers.count(end.other))
        for (uint32_t label = 0; label < own.size(); ++label)
          own[label] += getCost(search.reduced, end, label, state.labels[end.other]);
    std::vector<uint32_t> allowed;
    for (uint32_t label = 0; label < own.size(); ++label)
      if (own[label] < half || label == state.labels[variable])
        allowed.push_back(label);
    std::vector<double> allowedCosts;
    for (uint32_t label : allowed)
      allowedCosts.push_back(own[label]);
    current.push_back(llvm::find(allowed, state.labels[variable]) - allowed.begin());
    labels.push_back(std::move(allowed));
    costs.push_back(std::move(allowedCosts));
  }
  pairs = findPairs();
}

std::vector<EliminationPair> RegionProposer::findPairs() const {
  std::vector<EliminationPair> found;
  for (uint32_t number = 0; number < variables.size(); ++number)
    for (const PairEnd &end : search.ends[variables[number]])
      if (auto it = numbers.find(end.other); end.isFirst && it != numbers.end())
        found.push_back({number, it->second});
  return found;
}

double RegionProposer::computeAmount(uint32_t variable, uint32_t label, size_t row) const {
  double amount = 0;
  for (uint32_t number = rows.starts[variable]; number < rows.starts[variable + 1]; ++number) {
    const UsageItem &item = rows.items[number];
    if (item.first <= row && row < item.last)
      amount += item.amounts[label];
  }
  return amount;
}

void RegionProposer::disturbCosts() {
  disturbed = costs;
  if (search.temperature <= 0)
    return;
  for (std::vector<double> &own : disturbed)
    for (double &cost : own)
      cost += search.temperature * std::log(-std::log1p(-drawFraction()) + 1e-12);
}

/// Where rows are exceeded now, the worst of a few of them weighs more than costs do.
void RegionProposer::aimAtExceeded() {
  isRepairing = state.excess > 0 || state.numForbidden > 0;
  if (state.excess <= 0)
    return;
  size_t worst = 0;
  double beyond = -infinite;
  size_t block = draw(4), first = rows.size() * block / 4, last = rows.size() * (block + 1) / 4;
  if (draw(2))
    first = 0, last = rows.size();
  for (size_t row = first; row < last; ++row)
    if (state.usage[row] - rows.capacities[row] > beyond) {
      beyond = state.usage[row] - rows.capacities[row];
      worst = row;
    }
  if (beyond > 0)
    multipliers.push_back({worst, std::pow(10.0, draw(5)) * (std::abs(state.cost) + 1) / (state.usage[worst] + 1)});
}

std::vector<std::vector<double>> RegionProposer::computeCosts() const {
  std::vector<std::vector<double>> sums = disturbed;
  for (size_t number = 0; number < variables.size(); ++number) {
    uint32_t variable = variables[number];
    for (size_t label = 0; label < sums[number].size(); ++label) {
      if (share > 0)
        sums[number][label] += share * search.weighed[variable][labels[number][label]];
      for (const Multiplier &multiplier : multipliers)
        sums[number][label] += multiplier.value * computeAmount(variable, labels[number][label], multiplier.row);
    }
  }
  return sums;
}

double RegionProposer::computeCost(const std::vector<uint32_t> &local) const {
  double cost = 0;
  for (size_t number = 0; number < local.size(); ++number)
    cost += costs[number][local[number]];
  for (size_t pair = 0; pair < pairs.size(); ++pair)
    cost += tables[pair][local[pairs[pair].first] * labels[pairs[pair].second].size() + local[pairs[pair].second]];
  return cost;
}

double RegionProposer::computePenalty(const std::vector<uint32_t> &local) const {
  double sum = 0;
  for (size_t number = 0; number < local.size(); ++number) {
    uint32_t label = labels[number][local[number]];
    if (share > 0)
      sum += share * search.weighed[variables[number]][label];
    for (const Multiplier &multiplier : multipliers)
      sum += multiplier.value * computeAmount(variables[number], label, multiplier.row);
  }
  return sum;
}

size_t RegionProposer::findExceeded(const std::vector<uint32_t> &local) {
  std::fill(changes.begin(), changes.end(), 0);
  for (size_t number = 0; number < local.size(); ++number)
    if (local[number] != current[number])
      addChange(rows, variables[number], labels[number][current[number]], labels[number][local[number]], changes);
  double change = 0, worst = 0;
  size_t worstRow = rows.size();
  for (size_t row = 0; row < rows.size(); ++row) {
    change += changes[row];
    if (change <= 0)
      continue;
    double beyond = state.usage[row] + change - rows.capacities[row];
    if (beyond > worst) {
      worst = beyond;
      worstRow = row;
    }
  }
  return worstRow;
}

bool RegionProposer::raiseMultiplier(const std::vector<uint32_t> &local, size_t row) {
  auto it = llvm::find_if(multipliers, [&](const Multiplier &multiplier) { return multiplier.row == row; });
  double before = it == multipliers.end() ? 0 : it->value;
  if (it != multipliers.end())
    it->value = 0;
  double gain = computeCost(current) + computePenalty(current) - computeCost(local) - computePenalty(local);
  double more = 0;
  for (size_t number = 0; number < local.size(); ++number)
    if (local[number] != current[number])
      more += computeAmount(variables[number], labels[number][local[number]], row) -
              computeAmount(variables[number], labels[number][current[number]], row);
  if (more <= 0)
    return false;
  double value = std::max(gain / more, before * 1.2);
  if (value <= 0)
    value = 1e-9;
  if (it != multipliers.end())
    it->value = value;
  else
    multipliers.push_back({row, value});
  return true;
}

/// Builds the region's problem; variables whose tables would be too large leave the region.
Elimination RegionProposer::prepare() {
  while (true) {
    buildProblem();
    std::vector<uint32_t> sizes;
    size_t mostEntries = search.options.maxEntries;
    for (const auto &list : labels) {
      sizes.push_back(list.size());
      mostEntries = std::max(mostEntries, list.size());
    }
    Elimination elimination(sizes, pairs, mostEntries);
    if (elimination.getLeftOut().empty())
      return elimination;
    std::vector<uint32_t> left;
    for (uint32_t number = 0; number < variables.size(); ++number)
      if (!llvm::is_contained(elimination.getLeftOut(), number))
        left.push_back(variables[number]);
    variables = std::move(left);
    numbers.clear();
    for (uint32_t number = 0; number < variables.size(); ++number)
      numbers[variables[number]] = number;
  }
}

void RegionProposer::buildTables() {
  for (uint32_t variable : variables)
    for (const PairEnd &end : search.ends[variable])
      if (end.isFirst && numbers.count(end.other)) {
        const EliminationPair &pair = pairs[tables.size()];
        std::vector<double> &table = tables.emplace_back();
        table.reserve(labels[pair.first].size() * labels[pair.second].size());
        for (uint32_t first : labels[pair.first])
          for (uint32_t second : labels[pair.second])
            table.push_back(getCost(search.reduced, end, first, second));
      }
}

Proposal RegionProposer::propose() {
  Proposal proposal;
  grow();
  Elimination elimination = prepare();
  buildTables();
  proposal.patience = -std::log1p(-drawFraction());
  disturbCosts();
  aimAtExceeded();
  double before = computeCost(current);
  share = draw(2) ? 0 : 0.25 * (1 + draw(6));
  for (unsigned attempt = 0; attempt < maxAttempts; ++attempt) {
    std::vector<uint32_t> local = elimination.solve(computeCosts(), tables);
    proposal.work += elimination.getWork() + static_cast<int64_t>(rows.size());
    if (local == current)
      break;
    size_t row = findExceeded(local);
    if (row < rows.size()) {
      if (!raiseMultiplier(local, row))
        break;
      continue;
    }
    if (computeCost(local) <= before + search.temperature * proposal.patience || isRepairing) {
      proposeLabels(local, proposal);
      break;
    }
    // The dual's multipliers may have kept it from something better.
    if (share == 0)
      break;
    share = 0;
    multipliers.clear();
  }
  if (proposal.labels.empty() && !isRepairing)
    if (std::vector<uint32_t> local = enumerate(before, proposal.work); !local.empty())
      proposeLabels(local, proposal);
  return proposal;
}

/// The cheapest labels within the limit that cost less than `before`; empty if there are none, or too many labels.
std::vector<uint32_t> RegionProposer::enumerate(double before, int64_t &work) {
  size_t numCombinations = 1;
  for (const auto &list : labels) {
    numCombinations *= list.size();
    if (numCombinations > mostCombinations)
      return {};
  }
  work += static_cast<int64_t>(numCombinations);
  std::vector<std::pair<double, std::vector<uint32_t>>> better;
  std::vector<uint32_t> local(labels.size(), 0);
  for (size_t combination = 0; combination < numCombinations; ++combination) {
    double cost = computeCost(local);
    if (cost < before)
      better.push_back({cost, local});
    for (size_t number = 0; number < local.size() && ++local[number] == labels[number].size(); ++number)
      local[number] = 0;
  }
  llvm::sort(better);
  for (size_t number = 0; number < std::min<size_t>(better.size(), mostChecked); ++number)
    if (findExceeded(better[number].second) == rows.size())
      return better[number].second;
  return {};
}

void RegionProposer::proposeLabels(const std::vector<uint32_t> &local, Proposal &proposal) const {
  for (size_t number = 0; number < local.size(); ++number)
    if (local[number] != current[number])
      proposal.labels.push_back({variables[number], labels[number][local[number]]});
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

NeighborhoodSearch::NeighborhoodSearch(const ReducedProblem &reduced, const UsageRows &rows,
                                       const std::vector<double> &multipliers, LabeledState state,
                                       const NeighborhoodOptions &options)
    : reduced(reduced), rows(rows), options(options), ends(reduced.buildPairEnds()), state(state),
      best(std::move(state)) {
  std::vector<double> sums(rows.size() + 1, 0);
  for (size_t row = 0; row < rows.size(); ++row)
    sums[row + 1] = sums[row] + multipliers[row];
  for (uint32_t variable = 0; variable < ends.size(); ++variable) {
    std::vector<double> &own = weighed.emplace_back(reduced.variables[variable].costs.size(), 0);
    for (uint32_t number = rows.starts[variable]; number < rows.starts[variable + 1]; ++number) {
      const UsageItem &item = rows.items[number];
      for (size_t label = 0; label < own.size(); ++label)
        own[label] += (sums[item.last] - sums[item.first]) * item.amounts[label];
    }
    if (rows.starts[variable] < rows.starts[variable + 1])
      usingVariables.push_back(variable);
  }
}

void NeighborhoodSearch::runBatch() {
  if (ends.empty())
    return;
  std::vector<Proposal> proposals(batchSize);
  std::atomic<unsigned> next = 0;
  auto work = [&] {
    for (unsigned number = next++; number < batchSize; number = next++)
      proposals[number] = RegionProposer(*this, numRegions + number).propose();
  };
  std::vector<std::thread> helpers;
  for (unsigned thread = 1; thread < options.numThreads; ++thread)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  for (const Proposal &proposal : proposals) {
    this->work += proposal.work;
    numTaken += take(proposal, temperature * proposal.patience);
    if (state.getKey() < best.getKey())
      best = state;
  }
  numRegions += batchSize;
}

std::pair<double, int> NeighborhoodSearch::computeChange(const Proposal &proposal) const {
  llvm::DenseMap<uint32_t, uint32_t> fresh;
  for (auto [variable, label] : proposal.labels)
    fresh[variable] = label;
  double change = 0;
  int forbiddenChange = 0;
  for (auto [variable, label] : proposal.labels) {
    uint32_t was = state.labels[variable];
    change += reduced.variables[variable].costs[label] - reduced.variables[variable].costs[was];
    for (const PairEnd &end : ends[variable]) {
      auto it = fresh.find(end.other);
      // A pair of two that change counts once.
      if (it != fresh.end() && !end.isFirst)
        continue;
      uint32_t otherWas = state.labels[end.other], otherIs = it == fresh.end() ? otherWas : it->second;
      double costWas = getCost(reduced, end, was, otherWas), costIs = getCost(reduced, end, label, otherIs);
      forbiddenChange += (costIs >= half) - (costWas >= half);
      change += (costIs >= half ? 0 : costIs) - (costWas >= half ? 0 : costWas);
    }
  }
  return {change, forbiddenChange};
}

/// Others of the batch may have changed what the proposal relied on, so all is computed again.
bool NeighborhoodSearch::take(const Proposal &proposal, double allowance) {
  if (proposal.labels.empty())
    return false;
  auto [change, forbiddenChange] = computeChange(proposal);
  std::vector<double> changes(rows.size() + 1, 0);
  for (auto [variable, label] : proposal.labels)
    addChange(rows, variable, state.labels[variable], label, changes);
  double sum = 0, excess = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    sum += changes[row];
    excess += std::max(0.0, state.usage[row] + sum - rows.capacities[row]);
  }
  auto oldKey = state.getKey();
  auto newKey = std::make_tuple(state.numForbidden + forbiddenChange, excess, state.cost + change);
  if (newKey > std::make_tuple(state.numForbidden, state.excess, state.cost + allowance))
    return false;
  for (auto [variable, label] : proposal.labels)
    state.labels[variable] = label;
  sum = 0;
  for (size_t row = 0; row < rows.size(); ++row)
    state.usage[row] += sum += changes[row];
  std::tie(state.numForbidden, state.excess, state.cost) = newKey;
  return newKey < oldKey;
}

} // namespace partita::solve
