//===- UsageRows.cpp - the limit as a few rows of a reduced problem -------===//

#include "partita/Solve/UsageRows.h"

#include <algorithm>

namespace partita::solve {

namespace {

/// A node whose usage depends on labels.
struct VaryingNode {
  int64_t begin, end;
  UsageItem item;
  double most;
};

/// A span of time in which the same varying nodes are alive.
struct UsageSegment {
  int64_t begin;
  /// The largest usage of it that no label changes.
  double base = 0;
  /// What varying nodes that end at its begin, and that begin there, use at most.
  double ended = 0, begun = 0;
  /// What all varying nodes use at most.
  double most = 0;
};

class RowBuilder {
public:
  RowBuilder(const ChoiceProblem &problem, const ReducedProblem &reduced) : problem(problem), reduced(reduced) {}
  UsageRows build();

private:
  void collect();
  void buildSegments();
  void computeBases();
  std::vector<size_t> keepSegments() const;

  const ChoiceProblem &problem;
  const ReducedProblem &reduced;
  std::vector<VaryingNode> varying;
  /// Times and changes of the usage that labels do not change.
  std::vector<std::pair<int64_t, double>> baseChanges;
  std::vector<UsageSegment> segments;
};

} // namespace

void RowBuilder::collect() {
  std::vector<uint8_t> isDecided(problem.nodes.size(), 0);
  auto addBase = [&](const ChoiceNode &node, double usage) {
    baseChanges.push_back({node.begin, usage});
    baseChanges.push_back({node.end, -usage});
  };
  for (uint32_t variable = 0; variable < reduced.variables.size(); ++variable)
    for (const DecidedNode &decided : reduced.variables[variable].nodes) {
      isDecided[decided.node] = 1;
      const ChoiceNode &node = problem.nodes[decided.node];
      if (node.begin >= node.end)
        continue;
      UsageItem item{variable, 0, 0, {}};
      for (uint32_t strategy : decided.strategies)
        item.amounts.push_back(static_cast<double>(node.usages[strategy]));
      auto [least, most] = std::minmax_element(item.amounts.begin(), item.amounts.end());
      double base = *least, excess = *most - *least;
      addBase(node, base);
      if (excess == 0)
        continue;
      for (double &amount : item.amounts)
        amount -= base;
      varying.push_back({node.begin, node.end, std::move(item), excess});
    }
  for (size_t node = 0; node < problem.nodes.size(); ++node)
    if (!isDecided[node] && problem.nodes[node].begin < problem.nodes[node].end)
      addBase(problem.nodes[node], static_cast<double>(problem.nodes[node].usages[reduced.fixed[node]]));
}

void RowBuilder::buildSegments() {
  std::vector<int64_t> times{INT64_MIN};
  for (const VaryingNode &node : varying) {
    times.push_back(node.begin);
    times.push_back(node.end);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (int64_t time : times)
    segments.push_back({time});
  auto find = [&](int64_t time) { return std::lower_bound(times.begin(), times.end(), time) - times.begin(); };
  for (VaryingNode &node : varying) {
    node.item.first = find(node.begin);
    node.item.last = find(node.end);
    segments[node.item.first].begun += node.most;
    segments[node.item.last].ended += node.most;
  }
  double most = 0;
  for (UsageSegment &segment : segments)
    segment.most = most += segment.begun - segment.ended;
}

void RowBuilder::computeBases() {
  std::sort(baseChanges.begin(), baseChanges.end());
  double sum = 0;
  size_t change = 0;
  for (size_t index = 0; index < segments.size(); ++index) {
    auto apply = [&](int64_t time) {
      for (; change < baseChanges.size() && baseChanges[change].first == time; ++change)
        sum += baseChanges[change].second;
    };
    while (change < baseChanges.size() && baseChanges[change].first < segments[index].begin)
      apply(baseChanges[change].first);
    if (change < baseChanges.size() && baseChanges[change].first == segments[index].begin)
      apply(segments[index].begin);
    segments[index].base = sum;
    bool isLast = index + 1 == segments.size();
    while (change < baseChanges.size() && (isLast || baseChanges[change].first < segments[index + 1].begin)) {
      apply(baseChanges[change].first);
      segments[index].base = std::max(segments[index].base, sum);
    }
  }
}

/// Of two neighbours, one is left out if the other uses as much whatever the labels are.
std::vector<size_t> RowBuilder::keepSegments() const {
  struct Kept {
    size_t segment;
    /// Since the one that was kept before it.
    double ended, begun;
  };
  double limit = static_cast<double>(*problem.usageLimit);
  std::vector<Kept> kept;
  double ended = 0, begun = 0;
  for (size_t index = 0; index < segments.size(); ++index) {
    const UsageSegment &segment = segments[index];
    ended += segment.ended;
    begun += segment.begun;
    if (segment.base + segment.most <= limit)
      continue;
    while (!kept.empty() && segments[kept.back().segment].base + ended <= segment.base) {
      ended += kept.back().ended;
      begun += kept.back().begun;
      kept.pop_back();
    }
    if (!kept.empty() && segment.base + begun <= segments[kept.back().segment].base)
      continue;
    kept.push_back({index, ended, begun});
    ended = begun = 0;
  }
  std::vector<size_t> numbers;
  for (const Kept &row : kept)
    numbers.push_back(row.segment);
  return numbers;
}

UsageRows RowBuilder::build() {
  collect();
  buildSegments();
  computeBases();
  UsageRows rows;
  std::vector<size_t> kept = keepSegments();
  for (size_t segment : kept)
    rows.capacities.push_back(static_cast<double>(*problem.usageLimit) - segments[segment].base);
  rows.starts.assign(reduced.variables.size() + 1, 0);
  for (VaryingNode &node : varying) {
    UsageItem &item = node.item;
    item.first = std::lower_bound(kept.begin(), kept.end(), item.first) - kept.begin();
    item.last = std::lower_bound(kept.begin(), kept.end(), item.last) - kept.begin();
    if (item.first == item.last)
      continue;
    ++rows.starts[item.variable + 1];
    rows.items.push_back(std::move(item));
  }
  for (size_t variable = 0; variable < reduced.variables.size(); ++variable)
    rows.starts[variable + 1] += rows.starts[variable];
  return rows;
}

UsageRows buildUsageRows(const ChoiceProblem &problem, const ReducedProblem &reduced) {
  if (!problem.usageLimit)
    return {{}, {}, std::vector<uint32_t>(reduced.variables.size() + 1, 0)};
  return RowBuilder(problem, reduced).build();
}

} // namespace partita::solve
