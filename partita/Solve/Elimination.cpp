//===- Elimination.cpp - the best labels of a few variables, exactly ------===//

#include "partita/Solve/Elimination.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

namespace partita::solve {

Elimination::Elimination(const std::vector<uint32_t> &sizes, const std::vector<EliminationPair> &pairs,
                         size_t maxEntries)
    : sizes(sizes), neighbors(sizes.size()), pairsOf(sizes.size()), stepsOf(sizes.size()), isGone(sizes.size()),
      isPairUsed(pairs.size()) {
  auto connect = [&](uint32_t a, uint32_t b) {
    if (!llvm::is_contained(neighbors[a], b))
      neighbors[a].push_back(b);
  };
  for (uint32_t pair = 0; pair < pairs.size(); ++pair) {
    auto [first, second] = pairs[pair];
    connect(first, second);
    connect(second, first);
    pairsOf[first].push_back(pair);
    pairsOf[second].push_back(pair);
  }
  auto computeEntries = [&](uint32_t variable) {
    double entries = sizes[variable];
    for (uint32_t other : neighbors[variable])
      entries *= sizes[other];
    return entries;
  };
  std::vector<double> entries(sizes.size());
  for (uint32_t variable = 0; variable < sizes.size(); ++variable)
    entries[variable] = computeEntries(variable);
  auto detach = [&](uint32_t variable) {
    isGone[variable] = 1;
    for (uint32_t other : neighbors[variable])
      llvm::erase(neighbors[other], variable);
  };
  for (size_t numLeft = sizes.size(); numLeft > 0; --numLeft) {
    uint32_t next = UINT32_MAX, widest = UINT32_MAX;
    for (uint32_t variable = 0; variable < sizes.size(); ++variable) {
      if (isGone[variable])
        continue;
      if (next == UINT32_MAX || entries[variable] < entries[next])
        next = variable;
      if (widest == UINT32_MAX || neighbors[variable].size() > neighbors[widest].size())
        widest = variable;
    }
    if (entries[next] > static_cast<double>(maxEntries)) {
      leftOut.push_back(widest);
      detach(widest);
      for (uint32_t other : neighbors[widest])
        entries[other] = computeEntries(other);
      continue;
    }
    if (leftOut.empty())
      addStep(next, pairs);
    detach(next);
    for (uint32_t a : neighbors[next])
      for (uint32_t b : neighbors[next])
        if (a != b)
          connect(a, b);
    for (uint32_t other : neighbors[next])
      entries[other] = computeEntries(other);
  }
  results.resize(steps.size());
  bestLabels.resize(steps.size());
}

void Elimination::addStep(uint32_t variable, const std::vector<EliminationPair> &pairs) {
  uint32_t number = steps.size();
  Step step;
  step.variable = variable;
  step.neighbors = neighbors[variable];
  for (uint32_t other : step.neighbors)
    step.numEntries *= sizes[other];
  auto addTerm = [&](bool isPair, uint32_t source, llvm::ArrayRef<uint32_t> variables) {
    Term term{isPair, source, llvm::SmallVector<size_t, 4>(step.neighbors.size(), 0), 0};
    size_t stride = 1;
    for (uint32_t index = variables.size(); index-- > 0;) {
      if (variables[index] == variable)
        term.ownStride = stride;
      else
        term.strides[llvm::find(step.neighbors, variables[index]) - step.neighbors.begin()] = stride;
      stride *= sizes[variables[index]];
    }
    step.terms.push_back(std::move(term));
    work += static_cast<int64_t>(step.numEntries * sizes[variable]);
  };
  for (uint32_t pair : pairsOf[variable])
    if (!std::exchange(isPairUsed[pair], 1))
      addTerm(true, pair, {pairs[pair].first, pairs[pair].second});
  for (uint32_t earlier : stepsOf[variable])
    if (!std::exchange(isStepUsed[earlier], 1))
      addTerm(false, earlier, steps[earlier].neighbors);
  for (uint32_t other : step.neighbors)
    stepsOf[other].push_back(number);
  isStepUsed.push_back(0);
  work += static_cast<int64_t>(step.numEntries * sizes[variable]);
  steps.push_back(std::move(step));
}

/// Adds a table to the joint table of a step, whose own variable runs fastest.
void Elimination::add(const Step &step, const Term &term, const double *table) {
  size_t numLabels = sizes[step.variable], numNeighbors = step.neighbors.size();
  llvm::SmallVector<uint32_t, 8> index(numNeighbors, 0);
  size_t place = 0;
  double *to = joint.data();
  for (size_t entry = 0; entry < step.numEntries; ++entry, to += numLabels) {
    const double *from = table + place;
    if (term.ownStride == 1)
      for (size_t label = 0; label < numLabels; ++label)
        to[label] += from[label];
    else
      for (size_t label = 0; label < numLabels; ++label)
        to[label] += from[label * term.ownStride];
    for (size_t digit = numNeighbors; digit-- > 0;) {
      place += term.strides[digit];
      if (++index[digit] < sizes[step.neighbors[digit]])
        break;
      place -= term.strides[digit] * index[digit];
      index[digit] = 0;
    }
  }
}

std::vector<uint32_t> Elimination::solve(const std::vector<std::vector<double>> &costs,
                                         const std::vector<std::vector<double>> &tables) {
  for (size_t number = 0; number < steps.size(); ++number) {
    const Step &step = steps[number];
    const std::vector<double> &own = costs[step.variable];
    joint.resize(step.numEntries * own.size());
    for (size_t entry = 0; entry < step.numEntries; ++entry)
      std::copy(own.begin(), own.end(), joint.begin() + static_cast<ptrdiff_t>(entry * own.size()));
    for (const Term &term : step.terms)
      add(step, term, (term.isPair ? tables : results)[term.number].data());
    results[number].resize(step.numEntries);
    bestLabels[number].resize(step.numEntries);
    const double *from = joint.data();
    for (size_t entry = 0; entry < step.numEntries; ++entry, from += own.size()) {
      uint32_t best = 0;
      for (uint32_t label = 1; label < own.size(); ++label)
        if (from[label] < from[best])
          best = label;
      results[number][entry] = from[best];
      bestLabels[number][entry] = best;
    }
  }
  std::vector<uint32_t> labels(sizes.size(), 0);
  for (size_t number = steps.size(); number-- > 0;) {
    const Step &step = steps[number];
    size_t entry = 0;
    for (uint32_t other : step.neighbors)
      entry = entry * sizes[other] + labels[other];
    labels[step.variable] = bestLabels[number][entry];
  }
  return labels;
}

} // namespace partita::solve
