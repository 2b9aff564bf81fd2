//===- DualAscent.h - a lower bound by messages and multipliers -----------===//
//
// For multipliers lambda_r >= 0 of the rows r of the limit (UsageRows.h), no
// choice of labels x within the limit costs less than
//
//   min over x of  sum_v u_v(x_v) + sum_e c_e(x_v, x_w)  -  sum_r lambda_r capacity_r
//
//   u_v = cost_v + sum over items i of v of amount_i sum_{r of i} lambda_r     computeUnary
//
// That minimum is bounded in turn by messages along the pairs e, sent in sweeps
// forwards and backwards along the variables (sequential tree-reweighted message
// passing, Kolmogorov 2006). A sweep backwards gives a bound for any messages
// that it starts from, so the multipliers may change between sweeps. They
// ascend along the supergradient: how much the relaxed minimum uses of each row
// beyond its capacity. Only rows that were the most exceeded once take part.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SOLVE_DUALASCENT_H
#define PARTITA_SOLVE_DUALASCENT_H

#include "partita/Solve/UsageRows.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>

namespace partita::solve {

/// Labels of all variables.
using Labels = std::vector<uint32_t>;

class RowRemainder;

class DualAscent {
public:
  DualAscent(const ReducedProblem &reduced, const UsageRows &rows);

  /// A sweep forwards, one backwards, and a step of the multipliers.
  void iterate();
  /// The best bound so far.
  double getBound() const { return best; }
  /// Rounds the relaxed minimum of the last sweep: each variable takes its best label given those before it.
  /// If `isWithin`, only labels for which all rows can still be met are taken, where there are any.
  Labels decode(bool isWithin = false) const;
  /// From now on the variable has this label only. Labels of others that it rules out are blocked.
  void fix(uint32_t variable, uint32_t label);
  /// Fixes a share of the variables after every few iterations, those first that lose most by another label, and
  /// returns the labels. Losses are disturbed by random factors. Consumes the dual. May stop early if `isOver`; nothing
  /// then, or where labels ran out.
  std::optional<Labels> dive(uint64_t seed, double share, const std::function<bool()> &isOver);
  const std::vector<double> &getMultipliers() const { return bestLambdas; }
  int64_t getNumIterations() const { return numIterations; }
  /// Iterations between decisions of a dive.
  static constexpr unsigned diveIterations = 5;
  /// The work of an iteration: pairs of labels looked at.
  int64_t getWork() const { return work; }

private:
  void computeUnary();
  double sweepForwards();
  double sweepBackwards();
  /// Sends a message from the variable at one end of a pair; returns its least entry, which is taken off.
  double send(uint32_t pair, bool fromFirst, double share);
  void blockOversized(uint32_t variable, RowRemainder &remainder);
  std::vector<uint32_t> chooseNext(const std::vector<uint32_t> &open, size_t count, uint64_t seed);
  double collect(uint32_t variable, std::vector<double> &values) const;
  void note(uint32_t variable);
  void activate(const std::vector<double> &excess);
  void adjustLevel(double bound);
  void ascend(double bound);

  const ReducedProblem &reduced;
  const UsageRows &rows;
  std::vector<std::vector<PairEnd>> ends;
  std::vector<uint32_t> numEarlier, numLater;
  /// Where the messages to the first and to the second variable of a pair begin.
  std::vector<std::array<size_t, 2>> places;
  std::vector<double> messages, bestMessages;
  /// The costs of all pairs, rounded down, so that the bound holds; half as large as the exact ones. Copies share them.
  std::shared_ptr<const std::vector<float>> rounded;
  std::vector<size_t> roundedPlaces;
  std::vector<std::vector<double>> unary;
  /// Labels that are ruled out, while variables are fixed.
  std::vector<std::vector<uint8_t>> isBlocked;
  std::vector<double> lambdas, bestLambdas;
  std::vector<uint8_t> isActive;
  /// The differences of usage from row to row at the relaxed minimum.
  std::vector<double> profile, direction;
  std::vector<double> values, sent;
  double best = -infinite;
  /// Steps aim at `base + level`.
  double base = 0, level = 0;
  unsigned stalled = 0, numIterations = 0;
  static constexpr unsigned numWarmup = 20;
  int64_t work = 0;
};

} // namespace partita::solve

#endif
