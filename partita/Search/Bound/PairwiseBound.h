//===- PairwiseBound.h - bounds sums of pairwise costs under limits -------===//
//
// Variables s with labels x_s, edges e = (s, t), segments k, points p. The
// problem is to choose labels so that
//
//   time = T_0,  T_k = max( C_k + X_k + sum of T_j,  (1 - r) C_k + X_k + O_k + sum of U_j )
//
// over the segments j inside of k, where U_k is the second of the two, is least
// while, at each point p, memory M_p is at most the limit L:
//
//   C_k   sum over variables of segment k of c_s(x_s)
//   X_k   sum over edges of T_e(f_s, f_t) times their weight       exposed
//   O_k   the same of edges that may hide behind compute           overlapped
//   M_p   sum over variables of n_sp b(x_s), over edges of n_ep min(b(f_s), b(f_t)),
//         where f_s is not partial
//
// Some costs have a place, a number that grows along the segment. At a cut q, a place
// in front of which there is no inner segment, compute waits for the network:
//
//   T_k >= C_k from q on + X_k + O_k up to q + sum of T_j                front
//
// Likewise at a cut p, behind which there is none, the network may wait for compute:
// C_k up to p and O_k from p on (back); and at both, if q is not behind p.
//
// Of a label, an edge sees only the sharding f that it gives to the edge's
// value. For any theta_k in [0, 1], none less than that of the segment around,
// and lambda_p >= 0, no choice within the limit takes less than
//
//   min over x of  sum_s u_s(x_s) + sum_e w_e(f_s, f_t)  -  sum_p lambda_p L
//
//   u_s = (1 - theta_k r - mu) c_s + sum_p lambda_p n_sp b            computeUnary
//   w_e = (1 or theta_k + mu) T_e + sum_p lambda_p n_ep min(b, b)     computeWeights
//
// because max(a, b) >= (1 - theta) a + theta b, and lambda_p (M_p - L) <= 0. Each cut
// has a mu_q >= 0 of its own; those in front, like those at the back, are together at
// most 1 - theta_k. mu is the sum of those at which c_s is left out or T_e counts. That
// minimum is bounded in turn: for any messages m_es(f), m_et(f) along the
// edges,
//
//   sum_s min_x ( u_s + sum_e m_es ) + sum_e min_fg ( w_e - m_es - m_et )
//
// is no more, since what is added at variables is subtracted at edges. Messages
// are sent in sweeps forwards and backwards along the variables (sequential
// tree-reweighted message passing). theta and lambda ascend along the
// supergradient, each with its own step size. Messages are integers, terms are
// rounded down and lambda L up, so that each intermediate result is a bound;
// the best one counts.
//
// If a known choice within the limit takes U, then no better one has a label x
// with bound - min u'_s + u'_s(x) >= U, where u' is u plus the messages to the
// variable when a sweep reaches it: with x, each of the monotonic paths of a
// sweep takes at least its share of u'. Such labels are dropped (markLabels),
// and min(U, bound of the rest) is a bound of the whole.
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
using BoundEdgeId = Id<struct BoundEdgeTag>;

/// `count` copies are alive at points [first, last].
struct BoundRange {
  uint32_t first = 0, last = 0;
  int64_t count = 1;
};

/// A place in a segment at which the longest path may change between the network and compute.
struct PathCut {
  uint32_t segment = 0;
  bool isBack = false;
  uint32_t place = 0;

  auto operator<=>(const PathCut &) const = default;
};

struct BoundVariable {
  /// Its position in the order of sweeps.
  uint64_t order = 0;
  /// The segment to whose compute its costs belong, and the first and the last place at which they may be.
  uint32_t segment = 0;
  uint32_t firstPlace = 0, lastPlace = UINT32_MAX;
  /// The time of each label, over all executions; one for each label.
  std::vector<int64_t> costs;
  /// The memory of each label; empty if it has none.
  std::vector<int64_t> bytes;
  llvm::SmallVector<BoundRange, 1> ranges;

  /// Whether its costs are left out at the cut.
  bool isLeftOutAt(const PathCut &cut) const {
    return segment == cut.segment && (cut.isBack ? lastPlace > cut.place : firstPlace < cut.place);
  }
};

/// How often an edge's time counts, as a multiple of 2^-10. If it may overlap with compute, it is multiplied by the
/// smaller theta of the two segments.
struct EdgeWeight {
  int64_t mantissa = 0;
  bool isOverlapped = false;
  uint32_t segment = 0, otherSegment = 0;
  /// The last place at which compute may wait for it, if it is early; the first at which it may begin, if it is late.
  uint32_t noLater = UINT32_MAX, noEarlier = 0;

  /// Whether all of it counts at the cut.
  bool countsAt(const PathCut &cut) const {
    return isOverlapped && segment == cut.segment && otherSegment == cut.segment &&
           (cut.isBack ? noEarlier >= cut.place : noLater <= cut.place);
  }

  static constexpr int64_t unit = int64_t(1) << 10, most = int64_t(1) << 20;
};

/// Times between shardings, given by the builder of the problem.
class ReshardTimes {
public:
  virtual ~ReshardTimes() = default;
  /// The times from `from` to all shardings; at most 2^42, or noWay.
  virtual const int64_t *getTimes(uint32_t from) = 0;
  virtual int64_t getBytes(uint32_t sharding) const = 0;
  /// Decides which of an edge's two weights counts.
  virtual bool isPartial(uint32_t sharding) const = 0;
  static constexpr int64_t noWay = int64_t(1) << 43;
  /// A label without a sharding: no time, no memory.
  static constexpr uint32_t anySharding = UINT32_MAX;
};

struct BoundEdge {
  VariableId source, target;
  ReshardTimes *times = nullptr;
  /// The sharding of each label of the two variables.
  std::vector<uint32_t> sourceShardings, targetShardings;
  /// The weight if the source sharding is not partial, and if it is.
  EdgeWeight whole, partial;
  llvm::SmallVector<BoundRange, 1> ranges;
};

struct PairwiseProblem {
  IdVector<VariableId, BoundVariable> variables;
  IdVector<BoundEdgeId, BoundEdge> edges;
  /// For each segment the one around it, which comes before it; the first is its own.
  std::vector<uint32_t> outerSegments;
  /// In ascending order. Places are above 0, and no front cut is behind a back cut of its segment.
  std::vector<PathCut> cuts;
  uint32_t numPoints = 0;
  /// The share of compute that hides communication, in millionths.
  int64_t overlapPpm = 0;
  /// Negative: no limit.
  int64_t limitBytes = -1;
};

struct PairwiseOptions {
  /// The time of a known choice within the limit; INT64_MAX if none is known.
  int64_t knownPs = INT64_MAX;
  /// The number of pairs of shardings that may be evaluated.
  int64_t work = 100'000'000;
  /// Stop when the bound is this close to the known time.
  int64_t gapPpm = 10'000;
  /// Called now and then; if true, the best bound so far is returned. May be empty.
  std::function<bool()> isOver;
};

/// The bound of the problem, which it consumes, by one ascent (PairwiseAscent.h).
int64_t computePairwiseBoundPs(PairwiseProblem problem, const PairwiseOptions &options);

} // namespace partita::search

#endif
