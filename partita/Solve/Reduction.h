//===- Reduction.h - a smaller problem with the same best choices ---------===//
//
// Before anything is optimised, a problem is reduced:
//
//   - strategies and pairs that are ruled out are dropped, with all that has
//     no partner left (arc consistency);
//   - a node with one strategy is folded into its neighbours;
//   - edges between the same two nodes are added up, and an edge whose cost is
//     a sum of a part for each end becomes costs of the ends;
//   - two nodes whose strategies determine each other become one variable;
//   - a strategy that is never better than another, neither in cost nor in
//     usage, is dropped (dominance).
//
// None of these loses the best choices within the limit: at least one of them
// is left. What is left are variables with labels.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SOLVE_REDUCTION_H
#define PARTITA_SOLVE_REDUCTION_H

#include "partita/Solve/ChoiceProblem.h"

#include "llvm/ADT/SmallVector.h"

namespace partita::solve {

/// The cost of what is ruled out.
inline constexpr double infinite = 1e30;

/// Costs of pairs of labels of two variables.
struct PairCosts {
  uint32_t variables[2] = {0, 0};
  /// The second variable's label runs fastest.
  std::vector<double> costs;
};

/// A pair as one of its variables sees it.
struct PairEnd {
  uint32_t pair = 0, other = 0;
  /// Whether the variable is the pair's first.
  bool isFirst = false;
};

/// A node that a variable decides: the strategy for each label.
struct DecidedNode {
  uint32_t node = 0;
  std::vector<uint32_t> strategies;
};

struct ChoiceVariable {
  std::vector<double> costs;
  llvm::SmallVector<DecidedNode, 1> nodes;
};

struct ReducedProblem {
  std::vector<ChoiceVariable> variables;
  std::vector<PairCosts> pairs;
  /// Strategies of nodes that have only one; the others are decided by variables.
  Choices fixed;
  double constant = 0;
  /// No choices exist, whatever the limit.
  bool isInfeasible = false;

  /// The pairs of each variable.
  std::vector<std::vector<PairEnd>> buildPairEnds() const;
  /// The choices that labels of all variables stand for.
  Choices expand(const std::vector<uint32_t> &labels) const;
};

ReducedProblem reduceProblem(const ChoiceProblem &problem);

} // namespace partita::solve

#endif
