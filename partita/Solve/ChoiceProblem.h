//===- ChoiceProblem.h - choose a strategy for each node, within a limit --===//
//
// Nodes n with strategies s_n, edges e = (n, m), points of time t. Choose a
// strategy for each node so that
//
//   sum over n of cost_n(s_n) + sum over e of cost_e(s_n, s_m)
//
// is least while, at each time t, the usages of the nodes that are alive then
// add up to no more than the limit. A cost of `forbidden` or more rules a
// strategy or a pair out.
//
// This is the problem of the contest on intra-operator parallelism of ASPLOS
// and EuroSys 2025 (IOPDDL), whose files ProblemReader.h reads.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SOLVE_CHOICEPROBLEM_H
#define PARTITA_SOLVE_CHOICEPROBLEM_H

#include "partita/Solve/Rooms.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::solve {

/// Costs from here on are infinite.
inline constexpr int64_t forbidden = 1'000'000'000'000'000'000;

/// A sum of 64-bit numbers, which may need more bits.
using Total = __int128;

struct ChoiceNode {
  /// It is alive at times [begin, end); never if end <= begin.
  int64_t begin = 0, end = 0;
  /// One of each for each strategy.
  std::vector<int64_t> costs, usages;
};

struct ChoiceEdge {
  uint32_t source = 0, target = 0;
  /// The costs of all pairs; the target's strategy runs fastest.
  std::vector<int64_t> costs;
};

struct ChoiceProblem {
  std::string name;
  std::vector<ChoiceNode> nodes;
  std::vector<ChoiceEdge> edges;
  std::optional<int64_t> usageLimit;
};

/// The number of a strategy for each node.
using Choices = std::vector<uint32_t>;

/// What choices cost and use.
struct ChoiceValue {
  Total cost = 0;
  /// The largest sum of usages at any time.
  Total peakUsage = 0;
  /// No strategy or pair is ruled out, and the peak is within the limit.
  bool isFeasible = false;
};

/// Computes both sums from nothing, by the definition above.
ChoiceValue evaluateChoices(const ChoiceProblem &problem, const Choices &choices);

} // namespace partita::solve

#endif
