//===- UsageRows.h - the limit as a few rows of a reduced problem ---------===//
//
// The limit holds at each point of time. Most points say nothing: all that can
// be alive then fits, or another point has the same alive and more. The points
// that are left are rows r, and the limit is
//
//   sum over items i of row r of amount_i(label)  <=  capacity_r
//
// An item is a node that a variable decides, alive in rows [first, last). Its
// least usage and the usage of nodes that are fixed are taken off the limit:
// amounts are what labels use beyond the least.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SOLVE_USAGEROWS_H
#define PARTITA_SOLVE_USAGEROWS_H

#include "partita/Solve/Reduction.h"

namespace partita::solve {

struct UsageItem {
  uint32_t variable = 0;
  uint32_t first = 0, last = 0;
  /// One for each label of the variable.
  std::vector<double> amounts;
};

struct UsageRows {
  /// Negative if not even the least usages fit.
  std::vector<double> capacities;
  std::vector<UsageItem> items;
  /// The items of variable v are [starts[v], starts[v + 1]).
  std::vector<uint32_t> starts;

  size_t size() const { return capacities.size(); }
};

UsageRows buildUsageRows(const ChoiceProblem &problem, const ReducedProblem &reduced);

} // namespace partita::solve

#endif
