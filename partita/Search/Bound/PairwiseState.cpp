//===- PairwiseState.cpp - a pairwise problem while it is relaxed ---------===//

#include "partita/Search/Bound/PairwiseState.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

namespace partita::search {

PairwiseState::PairwiseState(PairwiseProblem &problem) {
  addVariables(problem);
  addEdges(problem);
}

/// Adds the variables in the order of sweeps and renumbers the ends of edges.
void PairwiseState::addVariables(PairwiseProblem &problem) {
  order.reserve(problem.variables.size());
  for (uint32_t number = 0; number < problem.variables.size(); ++number)
    order.push_back(number);
  auto getKey = [&](uint32_t number) { return std::pair(problem.variables[VariableId(number)].order, number); };
  llvm::sort(order, [&](uint32_t a, uint32_t b) { return getKey(a) < getKey(b); });
  std::vector<uint32_t> positions(order.size());
  variables.reserve(order.size());
  for (uint32_t position = 0; position < order.size(); ++position) {
    positions[order[position]] = position;
    BoundVariable &given = problem.variables[VariableId(order[position])];
    VariableState variable;
    variable.segment = given.segment;
    for (uint32_t cut = 0; cut < problem.cuts.size(); ++cut)
      if (given.isLeftOutAt(problem.cuts[cut]))
        variable.cuts.push_back(cut);
    variable.costs = std::move(given.costs);
    variable.labels.resize(variable.costs.size());
    std::iota(variable.labels.begin(), variable.labels.end(), 0);
    variable.bytes = std::move(given.bytes);
    variable.ranges = std::move(given.ranges);
    variables.push_back(std::move(variable));
  }
  for (BoundEdgeId edge : idRange<BoundEdgeId>(problem.edges.size())) {
    problem.edges[edge].source = VariableId(positions[problem.edges[edge].source.get()]);
    problem.edges[edge].target = VariableId(positions[problem.edges[edge].target.get()]);
  }
}

/// Numbers the shardings in ascending order; `numbers` is scratch space.
static EdgeEnd makeEnd(VariableId variable, llvm::ArrayRef<uint32_t> shardings, std::vector<uint16_t> &numbers) {
  constexpr uint16_t unused = UINT16_MAX;
  EdgeEnd end;
  end.variable = variable.get();
  // Shardings are small numbers, except anySharding, which becomes 0.
  auto getPosition = [](uint32_t sharding) { return sharding == ReshardTimes::anySharding ? 0 : sharding + 1; };
  numbers.assign(1, unused);
  for (uint32_t sharding : shardings) {
    if (numbers.size() <= getPosition(sharding))
      numbers.resize(getPosition(sharding) + 1, unused);
    numbers[getPosition(sharding)] = 0;
  }
  auto add = [&](uint32_t sharding) {
    if (numbers[getPosition(sharding)] == unused)
      return;
    numbers[getPosition(sharding)] = static_cast<uint16_t>(end.shardings.size());
    end.shardings.push_back(sharding);
  };
  for (uint32_t sharding = 0; sharding + 1 < numbers.size(); ++sharding)
    add(sharding);
  add(ReshardTimes::anySharding);
  end.ofLabel.reserve(shardings.size());
  for (uint32_t sharding : shardings)
    end.ofLabel.push_back(numbers[getPosition(sharding)]);
  end.sent.assign(end.shardings.size(), 0);
  return end;
}

void PairwiseState::addEdges(PairwiseProblem &problem) {
  std::vector<uint16_t> numbers;
  edges.reserve(problem.edges.size());
  for (BoundEdgeId id : idRange<BoundEdgeId>(problem.edges.size())) {
    BoundEdge &given = problem.edges[id];
    if (given.source == given.target)
      continue;
    EdgeState edge;
    edge.times = given.times;
    edge.ends[0] = makeEnd(given.source, given.sourceShardings, numbers);
    edge.ends[1] = makeEnd(given.target, given.targetShardings, numbers);
    edge.whole = given.whole;
    edge.partial = given.partial;
    edge.ranges = std::move(given.ranges);
    uint32_t number = static_cast<uint32_t>(edges.size());
    for (uint8_t end : {0, 1}) {
      uint32_t own = edge.ends[end].variable, other = edge.ends[1 - end].variable;
      variables[own].edges.push_back({number, end});
      ++(other < own ? variables[own].numEarlier : variables[own].numLater);
    }
    edges.push_back(std::move(edge));
  }
}

template <typename T> static void dropFrom(std::vector<T> &values, llvm::ArrayRef<uint8_t> isDropped) {
  size_t kept = 0;
  for (size_t i = 0; i < values.size(); ++i)
    if (!isDropped[i])
      values[kept++] = values[i];
  values.resize(kept);
}

bool PairwiseState::dropShardings(EdgeEnd &end, llvm::ArrayRef<uint8_t> isDropped) {
  dropFrom(end.ofLabel, isDropped);
  std::vector<uint8_t> isUnused(end.shardings.size(), 1);
  for (uint16_t sharding : end.ofLabel)
    isUnused[sharding] = 0;
  if (llvm::none_of(isUnused, [](uint8_t unused) { return unused != 0; }))
    return false;
  std::vector<uint16_t> numbers(end.shardings.size());
  for (size_t sharding = 0, next = 0; sharding < numbers.size(); ++sharding) {
    numbers[sharding] = static_cast<uint16_t>(next);
    next += isUnused[sharding] == 0;
  }
  for (uint16_t &sharding : end.ofLabel)
    sharding = numbers[sharding];
  dropFrom(end.shardings, isUnused);
  dropFrom(end.sent, isUnused);
  if (!end.memory.empty())
    dropFrom(end.memory, isUnused);
  return true;
}

bool PairwiseState::findMatrices(llvm::function_ref<bool()> isOver) {
  for (EdgeState &edge : edges) {
    if (edge.matrix)
      continue;
    if (isOver())
      return false;
    edge.matrix = matrices.find(*edge.times, edge.ends[0].shardings, edge.ends[1].shardings);
  }
  return true;
}

bool PairwiseState::dropLabels() {
  std::vector<uint8_t> hasLess(edges.size(), 0);
  for (VariableState &variable : variables) {
    if (variable.isDropped.empty())
      continue;
    dropFrom(variable.labels, variable.isDropped);
    dropFrom(variable.costs, variable.isDropped);
    if (variable.costs.empty())
      return false;
    dropFrom(variable.unary, variable.isDropped);
    if (!variable.bytes.empty())
      dropFrom(variable.bytes, variable.isDropped);
    for (auto [number, end] : variable.edges)
      hasLess[number] |= dropShardings(edges[number].ends[end], variable.isDropped);
    variable.isDropped.clear();
  }
  for (size_t number = 0; number < edges.size(); ++number)
    if (hasLess[number])
      edges[number].matrix = nullptr;
  matrices.dropUnused();
  return true;
}

} // namespace partita::search
