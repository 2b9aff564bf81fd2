//===- Reduction.cpp - a smaller problem with the same best choices -------===//

#include "partita/Solve/Reduction.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cmath>

namespace partita::solve {

namespace {

struct WorkPair {
  uint32_t variables[2];
  std::vector<double> costs;
  bool isGone = false;

  unsigned findEnd(uint32_t variable) const { return variables[1] == variable; }
};

struct WorkVariable {
  std::vector<double> costs;
  llvm::SmallVector<DecidedNode, 1> nodes;
  llvm::SmallVector<uint32_t, 4> pairs;
  bool isGone = false;
  bool isQueued = false;
};

/// Reduces variable after variable until none changes.
class ProblemReducer {
public:
  explicit ProblemReducer(const ChoiceProblem &problem);
  ReducedProblem run();

private:
  size_t size(uint32_t variable) const { return variables[variable].costs.size(); }
  double get(const WorkPair &pair, unsigned end, size_t own, size_t other) const {
    return end == 0 ? pair.costs[own * size(pair.variables[1]) + other]
                    : pair.costs[other * size(pair.variables[1]) + own];
  }
  void enqueue(uint32_t variable);
  void enqueueNeighbors(uint32_t variable);
  void visit(uint32_t variable);

  void keepLabels(uint32_t variable, const std::vector<uint8_t> &isKept);
  /// Drops labels that are ruled out; returns whether there are any left.
  bool dropForbidden(uint32_t variable);
  void dropDominated(uint32_t variable);
  bool isDominated(uint32_t variable, size_t label, size_t by) const;
  void fold(uint32_t variable);
  /// The lists of its ends name it until `compactPairs`.
  void removePair(uint32_t pair);
  void compactPairs(uint32_t variable);
  void mergeParallel(uint32_t variable);
  /// Takes out the part of a pair's costs that is a sum over its ends; removes the pair if nothing else is left.
  void separate(uint32_t pair);
  /// Merges neighbours whose labels and those of the variable determine each other.
  void mergeBijective(uint32_t variable);
  std::vector<uint32_t> findPartners(uint32_t pair, unsigned end) const;
  void mergeInto(uint32_t variable, uint32_t pair, const std::vector<uint32_t> &partner);
  ReducedProblem finish();

  const ChoiceProblem &problem;
  std::vector<WorkVariable> variables;
  std::vector<WorkPair> pairs;
  std::vector<uint32_t> queue;
  Choices fixed;
  double constant = 0;
  int64_t work = 0;
  bool isInfeasible = false;
};

} // namespace

/// Reduction stops after so many entries of pairs, so that no problem keeps it busy for long.
static constexpr int64_t mostWork = 10'000'000'000;
/// Labels of more than so many are not held against each other.
static constexpr size_t mostCompared = 4096;

static bool isInfinite(double cost) { return cost >= infinite / 2; }
static double addCosts(double a, double b) { return isInfinite(a) || isInfinite(b) ? infinite : a + b; }
static double toCost(int64_t cost) { return cost >= forbidden ? infinite : static_cast<double>(cost); }

ProblemReducer::ProblemReducer(const ChoiceProblem &problem)
    : problem(problem), variables(problem.nodes.size()), fixed(problem.nodes.size()) {
  for (uint32_t node = 0; node < variables.size(); ++node) {
    WorkVariable &variable = variables[node];
    DecidedNode decided{node, {}};
    for (uint32_t strategy = 0; strategy < problem.nodes[node].costs.size(); ++strategy) {
      variable.costs.push_back(toCost(problem.nodes[node].costs[strategy]));
      decided.strategies.push_back(strategy);
    }
    variable.nodes.push_back(std::move(decided));
  }
  for (const ChoiceEdge &edge : problem.edges) {
    if (edge.source == edge.target) {
      WorkVariable &variable = variables[edge.source];
      for (size_t label = 0; label < variable.costs.size(); ++label)
        variable.costs[label] =
            addCosts(variable.costs[label], toCost(edge.costs[label * variable.costs.size() + label]));
      continue;
    }
    WorkPair pair{{edge.source, edge.target}, std::vector<double>(edge.costs.size())};
    std::transform(edge.costs.begin(), edge.costs.end(), pair.costs.begin(), toCost);
    variables[edge.source].pairs.push_back(pairs.size());
    variables[edge.target].pairs.push_back(pairs.size());
    pairs.push_back(std::move(pair));
  }
}

void ProblemReducer::enqueue(uint32_t variable) {
  if (variables[variable].isQueued || variables[variable].isGone)
    return;
  variables[variable].isQueued = true;
  queue.push_back(variable);
}

void ProblemReducer::enqueueNeighbors(uint32_t variable) {
  for (uint32_t pair : variables[variable].pairs)
    if (!pairs[pair].isGone)
      enqueue(pairs[pair].variables[1 - pairs[pair].findEnd(variable)]);
}

void ProblemReducer::removePair(uint32_t pair) {
  pairs[pair].isGone = true;
  pairs[pair].costs = {};
}

void ProblemReducer::compactPairs(uint32_t variable) {
  llvm::erase_if(variables[variable].pairs, [&](uint32_t pair) { return pairs[pair].isGone; });
}

void ProblemReducer::keepLabels(uint32_t variable, const std::vector<uint8_t> &isKept) {
  WorkVariable &own = variables[variable];
  compactPairs(variable);
  for (uint32_t pair : own.pairs) {
    WorkPair &work = pairs[pair];
    unsigned end = work.findEnd(variable);
    size_t numTargets = size(work.variables[1]), to = 0;
    for (size_t from = 0; from < work.costs.size(); ++from)
      if (isKept[end == 0 ? from / numTargets : from % numTargets])
        work.costs[to++] = work.costs[from];
    work.costs.resize(to);
  }
  auto keep = [&](auto &list) {
    size_t to = 0;
    for (size_t from = 0; from < list.size(); ++from)
      if (isKept[from])
        list[to++] = list[from];
    list.resize(to);
  };
  keep(own.costs);
  for (DecidedNode &node : own.nodes)
    keep(node.strategies);
  enqueue(variable);
  enqueueNeighbors(variable);
}

bool ProblemReducer::dropForbidden(uint32_t variable) {
  const WorkVariable &own = variables[variable];
  std::vector<uint8_t> isKept(own.costs.size(), 1);
  for (size_t label = 0; label < isKept.size(); ++label)
    isKept[label] = !isInfinite(own.costs[label]);
  for (uint32_t pair : own.pairs) {
    const WorkPair &work = pairs[pair];
    unsigned end = work.findEnd(variable);
    size_t numOthers = size(work.variables[1 - end]);
    for (size_t label = 0; label < isKept.size(); ++label) {
      bool hasPartner = false;
      for (size_t other = 0; other < numOthers && !hasPartner; ++other)
        hasPartner = !isInfinite(get(work, end, label, other));
      isKept[label] &= hasPartner;
    }
  }
  size_t numKept = std::count(isKept.begin(), isKept.end(), 1);
  if (numKept < isKept.size() && numKept > 0)
    keepLabels(variable, isKept);
  return numKept > 0;
}

/// Whether `by` can replace `label` wherever it is chosen.
bool ProblemReducer::isDominated(uint32_t variable, size_t label, size_t by) const {
  const WorkVariable &own = variables[variable];
  if (problem.usageLimit)
    for (const DecidedNode &decided : own.nodes) {
      const ChoiceNode &node = problem.nodes[decided.node];
      if (node.begin < node.end && node.usages[decided.strategies[by]] > node.usages[decided.strategies[label]])
        return false;
    }
  double excess = own.costs[by] - own.costs[label];
  for (uint32_t pair : own.pairs) {
    const WorkPair &work = pairs[pair];
    unsigned end = work.findEnd(variable);
    size_t numOthers = size(work.variables[1 - end]);
    size_t numTargets = size(work.variables[1]);
    const double *costs = work.costs.data();
    size_t stride = end == 0 ? 1 : numTargets, row = end == 0 ? numTargets : 1;
    double worst = -infinite;
    for (size_t other = 0; other < numOthers; ++other) {
      double ofLabel = costs[label * row + other * stride], ofOther = costs[by * row + other * stride];
      if (isInfinite(ofLabel))
        continue;
      if (isInfinite(ofOther))
        return false;
      worst = std::max(worst, ofOther - ofLabel);
    }
    excess += worst;
    // Rows of pairs have a least cost of 0 (separate), so that each pair adds 0 or more.
    if (excess > 0)
      return false;
  }
  return excess < 0 || (excess == 0 && (by < label || own.pairs.empty()));
}

void ProblemReducer::dropDominated(uint32_t variable) {
  const WorkVariable &own = variables[variable];
  size_t numLabels = own.costs.size();
  if (numLabels > mostCompared)
    return;
  std::vector<uint8_t> isKept(numLabels, 1);
  bool drops = false;
  for (size_t label = 0; label < numLabels; ++label)
    for (size_t by = 0; by < numLabels && isKept[label]; ++by)
      if (by != label && isKept[by] && isDominated(variable, label, by)) {
        isKept[label] = 0;
        drops = true;
      }
  if (drops)
    keepLabels(variable, isKept);
}

void ProblemReducer::fold(uint32_t variable) {
  WorkVariable &own = variables[variable];
  constant += own.costs[0];
  for (const DecidedNode &decided : own.nodes)
    fixed[decided.node] = decided.strategies[0];
  for (uint32_t pair : own.pairs) {
    const WorkPair &work = pairs[pair];
    unsigned end = work.findEnd(variable);
    uint32_t other = work.variables[1 - end];
    for (size_t label = 0; label < size(other); ++label)
      variables[other].costs[label] = addCosts(variables[other].costs[label], get(work, end, 0, label));
    removePair(pair);
    enqueue(other);
  }
  own.pairs.clear();
  own.isGone = true;
}

void ProblemReducer::mergeParallel(uint32_t variable) {
  llvm::SmallDenseMap<uint32_t, uint32_t, 8> first;
  llvm::SmallVector<uint32_t, 8> list(variables[variable].pairs.begin(), variables[variable].pairs.end());
  for (uint32_t pair : list) {
    unsigned end = pairs[pair].findEnd(variable);
    uint32_t other = pairs[pair].variables[1 - end];
    if (pairs[pair].isGone)
      continue;
    auto [it, isNew] = first.try_emplace(other, pair);
    if (isNew)
      continue;
    WorkPair &kept = pairs[it->second];
    unsigned keptEnd = kept.findEnd(variable);
    size_t numTargets = size(kept.variables[1]);
    for (size_t own = 0; own < size(variable); ++own)
      for (size_t label = 0; label < size(other); ++label) {
        double &cost = kept.costs[keptEnd == 0 ? own * numTargets + label : label * numTargets + own];
        cost = addCosts(cost, get(pairs[pair], end, own, label));
      }
    removePair(pair);
    enqueue(other);
    enqueue(variable);
  }
  compactPairs(variable);
}

void ProblemReducer::separate(uint32_t pair) {
  WorkPair &work = pairs[pair];
  WorkVariable &source = variables[work.variables[0]], &target = variables[work.variables[1]];
  size_t numSources = source.costs.size(), numTargets = target.costs.size();
  auto shift = [&](WorkVariable &variable, size_t label, double *first, size_t count, size_t stride) {
    double least = infinite;
    for (size_t other = 0; other < count; ++other)
      least = std::min(least, first[other * stride]);
    if (least == 0 || isInfinite(least))
      return;
    variable.costs[label] = addCosts(variable.costs[label], least);
    for (size_t other = 0; other < count; ++other)
      if (!isInfinite(first[other * stride]))
        first[other * stride] -= least;
  };
  for (size_t label = 0; label < numSources; ++label)
    shift(source, label, &work.costs[label * numTargets], numTargets, 1);
  for (size_t label = 0; label < numTargets; ++label)
    shift(target, label, &work.costs[label], numSources, numTargets);
  if (std::all_of(work.costs.begin(), work.costs.end(), [](double cost) { return cost == 0; })) {
    enqueue(work.variables[0]);
    enqueue(work.variables[1]);
    removePair(pair);
  }
}

void ProblemReducer::mergeInto(uint32_t variable, uint32_t pair, const std::vector<uint32_t> &partner) {
  WorkVariable &own = variables[variable];
  unsigned end = pairs[pair].findEnd(variable);
  uint32_t mergedId = pairs[pair].variables[1 - end];
  WorkVariable &merged = variables[mergedId];
  for (size_t label = 0; label < partner.size(); ++label)
    own.costs[label] = addCosts(own.costs[label],
                                addCosts(get(pairs[pair], end, label, partner[label]), merged.costs[partner[label]]));
  for (DecidedNode &decided : merged.nodes) {
    DecidedNode moved{decided.node, {}};
    for (uint32_t label : partner)
      moved.strategies.push_back(decided.strategies[label]);
    own.nodes.push_back(std::move(moved));
  }
  removePair(pair);
  compactPairs(mergedId);
  for (uint32_t moved : merged.pairs) {
    WorkPair &work = pairs[moved];
    unsigned movedEnd = work.findEnd(mergedId);
    if (work.variables[1 - movedEnd] == variable) {
      for (size_t label = 0; label < partner.size(); ++label)
        own.costs[label] = addCosts(own.costs[label], get(work, movedEnd, partner[label], label));
      removePair(moved);
      continue;
    }
    size_t numOthers = size(work.variables[1 - movedEnd]);
    std::vector<double> costs(work.costs.size());
    for (size_t label = 0; label < partner.size(); ++label)
      for (size_t other = 0; other < numOthers; ++other)
        costs[movedEnd == 0 ? label * numOthers + other : other * partner.size() + label] =
            get(work, movedEnd, partner[label], other);
    work.costs = std::move(costs);
    work.variables[movedEnd] = variable;
    own.pairs.push_back(moved);
    enqueue(work.variables[1 - movedEnd]);
  }
  merged.pairs.clear();
  merged.isGone = true;
  enqueue(variable);
}

/// If each label of either end has one partner: the partner of each label of end `end`; otherwise empty.
std::vector<uint32_t> ProblemReducer::findPartners(uint32_t pair, unsigned end) const {
  const WorkPair &work = pairs[pair];
  size_t numLabels = size(work.variables[end]);
  std::vector<uint32_t> partner(numLabels, UINT32_MAX);
  if (size(work.variables[1 - end]) != numLabels)
    return {};
  std::vector<uint8_t> isTaken(numLabels, 0);
  for (size_t label = 0; label < numLabels; ++label)
    for (size_t other = 0; other < numLabels; ++other)
      if (!isInfinite(get(work, end, label, other))) {
        if (partner[label] != UINT32_MAX || isTaken[other])
          return {};
        partner[label] = other;
        isTaken[other] = 1;
      }
  return llvm::is_contained(partner, UINT32_MAX) ? std::vector<uint32_t>() : partner;
}

/// The variable with fewer pairs is merged into the other, so that a pair is moved a few times only.
void ProblemReducer::mergeBijective(uint32_t variable) {
  llvm::SmallVector<uint32_t, 8> list(variables[variable].pairs.begin(), variables[variable].pairs.end());
  for (uint32_t pair : list) {
    if (pairs[pair].isGone)
      continue;
    const uint32_t *ends = pairs[pair].variables;
    unsigned kept = variables[ends[0]].pairs.size() >= variables[ends[1]].pairs.size() ? 0 : 1;
    std::vector<uint32_t> partner = findPartners(pair, kept);
    if (partner.empty())
      continue;
    mergeInto(ends[kept], pair, partner);
    if (variables[variable].isGone)
      return;
  }
}

void ProblemReducer::visit(uint32_t variable) {
  if (variables[variable].isGone)
    return;
  compactPairs(variable);
  for (uint32_t pair : variables[variable].pairs)
    work += static_cast<int64_t>(pairs[pair].costs.size());
  if (!dropForbidden(variable)) {
    isInfeasible = true;
    return;
  }
  if (size(variable) == 1)
    return fold(variable);
  mergeParallel(variable);
  llvm::SmallVector<uint32_t, 8> list(variables[variable].pairs.begin(), variables[variable].pairs.end());
  for (uint32_t pair : list)
    separate(pair);
  mergeBijective(variable);
  // What was merged changes the variable's pairs, which have to be separated anew.
  if (!variables[variable].isGone && !variables[variable].isQueued)
    dropDominated(variable);
}

ReducedProblem ProblemReducer::run() {
  for (uint32_t variable = 0; variable < variables.size(); ++variable)
    enqueue(variable);
  // In rounds, so that a variable with many neighbours is visited once after all of them have changed.
  while (!queue.empty() && !isInfeasible && work < mostWork)
    for (uint32_t variable : std::exchange(queue, {})) {
      variables[variable].isQueued = false;
      visit(variable);
    }
  return finish();
}

ReducedProblem ProblemReducer::finish() {
  ReducedProblem reduced;
  reduced.fixed = std::move(fixed);
  reduced.constant = constant;
  reduced.isInfeasible = isInfeasible;
  std::vector<uint32_t> numbers(variables.size());
  for (size_t variable = 0; variable < variables.size(); ++variable) {
    if (variables[variable].isGone)
      continue;
    numbers[variable] = reduced.variables.size();
    reduced.variables.push_back({std::move(variables[variable].costs), std::move(variables[variable].nodes)});
  }
  for (WorkPair &pair : pairs)
    if (!pair.isGone)
      reduced.pairs.push_back({{numbers[pair.variables[0]], numbers[pair.variables[1]]}, std::move(pair.costs)});
  return reduced;
}

ReducedProblem reduceProblem(const ChoiceProblem &problem) { return ProblemReducer(problem).run(); }

std::vector<std::vector<PairEnd>> ReducedProblem::buildPairEnds() const {
  std::vector<std::vector<PairEnd>> ends(variables.size());
  for (uint32_t pair = 0; pair < pairs.size(); ++pair) {
    auto [first, second] = pairs[pair].variables;
    ends[first].push_back({pair, second, true});
    ends[second].push_back({pair, first, false});
  }
  return ends;
}

Choices ReducedProblem::expand(const std::vector<uint32_t> &labels) const {
  Choices choices = fixed;
  for (size_t variable = 0; variable < variables.size(); ++variable)
    for (const DecidedNode &decided : variables[variable].nodes)
      choices[decided.node] = decided.strategies[labels[variable]];
  return choices;
}

} // namespace partita::solve
