//===- PairwiseBound.h - a bound on sums of pairwise costs under limits ---===//
//
// Variables s with labels x_s, edges e = (s, t), segments k, points p. The
// problem is to choose labels so that
//
//   time = sum over k of ( C_k + X_k + max(0, O_k - r C_k) )
//
// is least while, at each point p, memory M_p is at most the limit L:
//
//   C_k   sum over variables of segment k of c_s(x_s)
//   X_k   sum over edges of T_e(f_s, f_t) times their weight       exposed
//   O_k   the same of edges that may hide behind compute           overlapped
//   M_p   sum over variables of n_sp b(x_s), over edges of n_ep min(b(f_s), b(f_t)),
//         where f_s is not partial
//
// An edge sees of a label only the form f that it gives to the edge's value. For
// any theta_k in [0, 1] and lambda_p >= 0, no choice within the limit takes less than
//
//   min over x of  sum_s u_s(x_s) + sum_e w_e(f_s, f_t)  -  sum_p lambda_p L
//
//   u_s = (1 - theta_k r) c_s + sum_p lambda_p n_sp b            computeUnary
//   w_e = (1 or theta_k) T_e + sum_p lambda_p n_ep min(b, b)     computeWeights
//
// for max(0, O - r C) >= theta (O - r C), and lambda_p (M_p - L) <= 0. That minimum
// is bounded in turn: whatever numbers m_es(f), m_et(f) are sent along the edges,
//
//   sum_s min_x ( u_s + sum_e m_es ) + sum_e min_fg ( w_e - m_es - m_et )
//
// is no more, since what is added at variables is taken away at edges. Numbers are
// sent in sweeps forwards and backwards along the variables (sequential
// tree-reweighted message sumCarriers); theta and lambda hillClimb as the supergradient
// says, each by steps of its own. What is sent are integers, terms rounded down and
// lambda L up, so that each number found on the way is a bound; the best one counts.
//
// If a choice within the limit is known that takes U, then no better one has a
// label x with bound - min u'_s + u'_s(x) >= U, where u' is u with what was sent to
// the variable when a sweep comes to it: shares of u' are what each of the chains
// that sweeps follow takes at least with x. Such labels are dropped, and min(U,
// bound of the rest) is a bound of the whole.                        markLabels
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_PAIRWISEBOUND_H
#define PARTITA_SEARCH_BOUND_PAIRWISEBOUND_H

#include "partita/Search/Rooms.h"
#include "partita/Support/Id.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace partita::search {

using VariableId = Id<struct VariableTag>;
using EdgeId = Id<struct BoundEdgeTag>;

/// `count` copies are alive at points [first, last].
struct BoundRange {
  uint32_t first = 0, last = 0;
  int64_t count = 1;
};

struct BoundVariable {
  /// Its place in the order of sweeps.
  uint64_t order = 0;
  /// Whose compute its costs are; how many labels it has: as many as `costs`.
  uint32_t segment = 0;
  /// Time of each label, all executions together.
  std::vector<int64_t> costs;
  /// Of a label's memory; empty if it has none.
  std::vector<int64_t> bytes;
  llvm::SmallVector<BoundRange, 1> ranges;
};

/// How often time is spent, as a multiple of 2^-10. If it may overlap with compute, theta of the segment counts, or of
/// the other one, whichever is less.
struct EdgeWeight {
  int64_t mantissa = 0;
  bool isOverlapped = false;
  uint32_t segment = 0, otherSegment = 0;

  static constexpr int64_t unit = int64_t(1) << 10, most = int64_t(1) << 20;
};

/// Times between forms, as whoever builds the problem has them.
class ReshardTimes {
public:
  virtual ~ReshardTimes() = default;
  /// Of all forms to go to; at most 2^42, or noWay.
  virtual const int64_t *getTimes(uint32_t from) = 0;
  virtual int64_t getBytes(uint32_t form) const = 0;
  /// Which of an edge's two weights counts.
  virtual bool isPartial(uint32_t form) const = 0;
  static constexpr int64_t noWay = int64_t(1) << 43;
  /// A label that says nothing of the form: no time, no memory.
  static constexpr uint32_t anyForm = UINT32_MAX;
};

struct BoundEdge {
  VariableId source, target;
  ReshardTimes *forms = nullptr;
  /// Of each label of the two variables.
  std::vector<uint32_t> sourceForms, targetForms;
  /// Of the reshard, if what it starts from is whole, and if it is partial.
  EdgeWeight whole, partial;
  llvm::SmallVector<BoundRange, 1> ranges;
};

struct PairwiseProblem {
  IdVector<VariableId, BoundVariable> variables;
  IdVector<EdgeId, BoundEdge> edges;
  uint32_t numSegments = 0, numPoints = 0;
  /// Share of compute that hides communication, in millionths.
  int64_t overlapPpm = 0;
  /// Negative: none.
  int64_t limitBytes = -1;
};

struct PairwiseOptions {
  /// The time of a known choice within the limit, or as much as can be.
  int64_t knownPs = INT64_MAX;
  /// Pairs of forms that may be looked at.
  int64_t work = 100'000'000;
  /// It is near enough to what is known: stop there.
  int64_t gapPpm = 10'000;
  /// Asked now and then; what is known by then is the bound. May be null.
  std::function<bool()> isOver;
};

struct PairwiseBound {
  int64_t timePs = 0;
  int64_t work = 0;
  uint32_t numSweeps = 0;
};

/// The problem is used up.
PairwiseBound computePairwiseBound(PairwiseProblem problem, const PairwiseOptions &options);

} // namespace partita::search

#endif
