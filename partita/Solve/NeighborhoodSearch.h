//===- NeighborhoodSearch.h - betters choices region by region ------------===//
//
// Large-neighbourhood search. A region is a set of variables; all others keep
// their labels. Elimination (Elimination.h) finds the region's best labels for
// multipliers of rows. Multipliers begin at 0, or at a share of those of the
// dual. Where the result exceeds a row r, its multiplier becomes that for which
// the result is no better than what is there:
//
//   mu_r = (L(old) - L(new)) / (usage_r(new) - usage_r(old))
//
// L being the cost plus all other multiplied usages; and the region is solved
// again, a few times at most.
//
// Regions are proposed in batches, each against the same labels, by one thread
// or several; proposals are then taken in their order if they still better the
// cost. So the result does not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SOLVE_NEIGHBORHOODSEARCH_H
#define PARTITA_SOLVE_NEIGHBORHOODSEARCH_H

#include "partita/Solve/DualAscent.h"

#include <tuple>

namespace partita::solve {

/// Labels with what they cost and use.
struct LabeledState {
  Labels labels;
  /// Of pairs that are not ruled out.
  double cost = 0;
  /// The number of pairs that are.
  uint32_t numForbidden = 0;
  /// Usage by row, and how far it is beyond capacities in all.
  std::vector<double> usage;
  double excess = 0;

  bool isFeasible() const { return numForbidden == 0 && excess <= 0; }
  /// Less is better.
  auto getKey() const { return std::make_tuple(numForbidden, excess, cost); }
};

LabeledState buildState(const ReducedProblem &reduced, const UsageRows &rows, Labels labels);

struct NeighborhoodOptions {
  uint64_t seed = 0;
  unsigned numThreads = 2;
  /// The most entries of a table.
  size_t maxEntries = size_t(1) << 14;
  /// The most variables of a region.
  uint32_t maxVariables = 64;
};

/// New labels of some variables.
struct Proposal {
  std::vector<std::pair<uint32_t, uint32_t>> labels;
  /// A random number from an exponential distribution of mean 1, which decides whether a worse state is taken.
  double patience = 0;
  int64_t work = 0;
};

class NeighborhoodSearch {
public:
  NeighborhoodSearch(const ReducedProblem &reduced, const UsageRows &rows, const std::vector<double> &multipliers,
                     LabeledState state, const NeighborhoodOptions &options);

  /// Proposes a batch of regions and takes those that better the cost.
  void runBatch();

  /// The best labels so far.
  const LabeledState &getBest() const { return best; }
  /// Goes on from the best labels.
  void restart() { state = best; }
  /// Costs are disturbed by about this much, and labels that are worse by about this much are taken, too.
  void setTemperature(double value) { temperature = value; }
  int64_t getWork() const { return work; }
  int64_t getNumRegions() const { return numRegions; }
  int64_t getNumTaken() const { return numTaken; }

private:
  /// Takes a proposal unless it is worse by more than `allowance`; returns whether it is better.
  bool take(const Proposal &proposal, double allowance);
  /// How a proposal changes the cost of pairs that are not ruled out, and the number of those that are.
  std::pair<double, int> computeChange(const Proposal &proposal) const;

  friend class RegionProposer;
  const ReducedProblem &reduced;
  const UsageRows &rows;
  NeighborhoodOptions options;
  std::vector<std::vector<PairEnd>> ends;
  /// The usage of each label of each variable, weighed with the dual's multipliers.
  std::vector<std::vector<double>> weighed;
  std::vector<uint32_t> usingVariables;
  LabeledState state, best;
  double temperature = 0;
  int64_t work = 0, numRegions = 0, numTaken = 0;
};

} // namespace partita::solve

#endif
