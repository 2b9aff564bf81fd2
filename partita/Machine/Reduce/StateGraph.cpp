//===- StateGraph.cpp - the states that steps lead to ---------------------===//

#include "partita/Machine/Reduce/StateGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace partita::machine {

/// The kinds of steps that programs of a collective may have.
static std::vector<StepKind> listKinds(StepKind goal) {
  if (goal == StepKind::AllToAll || goal == StepKind::AllGather)
    return {goal};
  return {StepKind::AllReduce, StepKind::ReduceScatter, StepKind::AllGather, StepKind::Slice};
}

/// Over all nonempty sets of factors, the whole set first.
static std::vector<ReductionStep> listSteps(StepKind goal, size_t numFactors) {
  std::vector<ReductionStep> steps;
  for (uint32_t set = (uint32_t(1) << numFactors) - 1; set > 0; --set)
    for (StepKind kind : listKinds(goal)) {
      ReductionStep &step = steps.emplace_back(ReductionStep{kind, {}});
      for (uint32_t factor = 0; factor < numFactors; ++factor)
        if (set >> factor & 1)
          step.factors.push_back(factor);
    }
  return steps;
}

static uint32_t updateSplit(uint32_t split, const ReductionStep &step) {
  uint32_t set = 0;
  for (uint32_t factor : step.factors)
    set |= uint32_t(1) << factor;
  if (step.kind == StepKind::AllGather)
    return split & ~set;
  return step.kind == StepKind::ReduceScatter || step.kind == StepKind::Slice ? split | set : split;
}

/// Distances to goals, by passes over all edges.
static void computeDistances(std::vector<StateGraph::Node> &nodes, size_t mostSteps) {
  for (StateGraph::Node &node : nodes)
    if (node.isGoal)
      node.distance = 0;
  for (size_t pass = 0; pass < mostSteps; ++pass)
    for (StateGraph::Node &node : nodes)
      for (const StateGraph::Edge &edge : node.edges)
        if (size_t next = nodes[edge.target].distance; next < mostSteps)
          node.distance = std::min(node.distance, next + 1);
}

StateGraph::StateGraph(StepKind goal, size_t numFactors, size_t mostSteps) {
  static constexpr int64_t primes[] = {2, 3, 5};
  assert(numFactors <= std::size(primes));
  llvm::ArrayRef<int64_t> sizes = llvm::ArrayRef(primes).take_front(numFactors);
  std::vector<ReductionStep> steps = listSteps(goal, numFactors);
  std::map<std::pair<State, uint32_t>, size_t> known;
  std::vector<const State *> states;
  auto add = [&](State state, uint32_t split) {
    auto [entry, isNew] = known.try_emplace({std::move(state), split}, nodes.size());
    if (isNew) {
      Node &node = nodes.emplace_back();
      node.split = split;
      node.isGoal = isGoal(goal, entry->first.first, sizes, node.isReordered);
      states.push_back(&entry->first.first);
    }
    return entry->second;
  };
  uint32_t all = (uint32_t(1) << numFactors) - 1;
  add(makeStart(goal, sizes), goal == StepKind::AllGather ? all : 0);
  for (size_t depth = 0, first = 0; depth < mostSteps; ++depth) {
    size_t last = nodes.size();
    for (size_t index = first; index < last; ++index)
      for (const ReductionStep &step : nodes[index].isGoal ? llvm::ArrayRef<ReductionStep>() : llvm::ArrayRef(steps)) {
        std::optional<State> next = apply(step, *states[index], sizes);
        if (!next || *next == *states[index])
          continue;
        size_t target = add(std::move(*next), updateSplit(nodes[index].split, step));
        nodes[index].edges.push_back({step, target});
      }
    first = last;
  }
  computeDistances(nodes, mostSteps);
}

} // namespace partita::machine
