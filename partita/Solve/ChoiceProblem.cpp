//===- ChoiceProblem.cpp - choose a strategy for each node, within a limit ===//

#include "partita/Solve/ChoiceProblem.h"

#include <algorithm>
#include <cassert>

namespace partita::solve {

/// The largest sum of the usages that are alive at one time.
static Total computePeak(const ChoiceProblem &problem, const Choices &choices) {
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (size_t node = 0; node < problem.nodes.size(); ++node) {
    const ChoiceNode &alive = problem.nodes[node];
    int64_t usage = alive.usages[choices[node]];
    if (alive.begin < alive.end && usage != 0) {
      changes.push_back({alive.begin, usage});
      changes.push_back({alive.end, -usage});
    }
  }
  std::sort(changes.begin(), changes.end());
  Total peak = 0, sum = 0;
  for (size_t index = 0; index < changes.size(); ++index) {
    sum += changes[index].second;
    bool isLastOfTime = index + 1 == changes.size() || changes[index + 1].first != changes[index].first;
    if (isLastOfTime)
      peak = std::max(peak, sum);
  }
  return peak;
}

ChoiceValue evaluateChoices(const ChoiceProblem &problem, const Choices &choices) {
  assert(choices.size() == problem.nodes.size() && "one choice for each node");
  ChoiceValue value{0, computePeak(problem, choices), true};
  auto add = [&](int64_t cost) {
    value.cost += cost;
    value.isFeasible &= cost < forbidden;
  };
  for (size_t node = 0; node < problem.nodes.size(); ++node)
    add(problem.nodes[node].costs[choices[node]]);
  for (const ChoiceEdge &edge : problem.edges) {
    size_t numTargets = problem.nodes[edge.target].costs.size();
    add(edge.costs[choices[edge.source] * numTargets + choices[edge.target]]);
  }
  if (problem.usageLimit && value.peakUsage > *problem.usageLimit)
    value.isFeasible = false;
  return value;
}

} // namespace partita::solve
