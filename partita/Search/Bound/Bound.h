//===- Bound.h - a lower bound of the time of all plans -------------------===//
//
// Bounds the time, communication included, of all plans within the memory
// limit. The node states of ops and the shardings of values are the labels of a
// problem of pairwise costs (BoundProblem.h). That problem is relaxed until it
// can be solved (PairwiseBound.h). A plan may be any assignment: the bound
// holds for all tactics, pins, factors of single ops and groups of uses,
// whether the search evaluates them or not.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_BOUND_H
#define PARTITA_SEARCH_BOUND_BOUND_H

#include "partita/Cost/Price.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

struct BoundOptions {
  /// Whether plans have to fit; otherwise memory is ignored.
  bool isLimited = true;
  /// The time of a known plan, which is within the limit if there is one.
  int64_t knownPs = INT64_MAX;
  /// The number of pairs of shardings that may be evaluated, by all calls together.
  int64_t work = 6'000'000;
  /// Called now and then; if true, the best bound so far is returned.
  std::function<bool()> isOver;
};

/// What an op splits: for each axis the factor, sumFactor or noFactor.
using BoundState = llvm::SmallVector<uint8_t, 4>;

/// What the relaxed problem would decide: for each op and axis the factor that it splits, or noFactor.
struct RelaxedPlan {
  /// For each op, one factor for each axis; empty if nothing is known of it.
  IdVector<OpId, BoundState> factors;
  /// The most time that each op may take.
  IdVector<OpId, int64_t> times;
};

/// Solves the relaxed problem of a model's program. A later call continues what an earlier one began, with the faster
/// plan that is known by then. What comes out depends on the model and on the options of all calls.
class BoundAscent {
public:
  explicit BoundAscent(const CostModel &model);
  ~BoundAscent();

  /// No plan of the model's program takes less time; 0 if isOver() stopped it too early. A known time holds for later
  /// calls, too.
  int64_t ascend(const BoundOptions &options = {});
  /// What all ops take together, each in its fastest state; 0 before the first call of ascend(). No plan takes less
  /// time, whatever becomes of its collectives: programs of steps, pieces beside products, other iterations of loops.
  int64_t getLeastComputePs() const;
  /// Rounds the relaxed problem to a decision for each op. Nullopt if it was stopped too early, or if no plan is faster
  /// than the known one.
  std::optional<RelaxedPlan> round();

private:
  struct Problem;

  const CostModel &model;
  /// Null before the first call, and if that was stopped too early.
  std::unique_ptr<Problem> problem;
};

/// The bound of a single ascent.
int64_t computeLowerBoundPs(const CostModel &model, const BoundOptions &options = {});

/// What getLeastComputePs() says.
int64_t computeLeastComputePs(const CostModel &model);

/// Of all plans of a priced program; of those within the memory limit, if the priced plan is.
int64_t computeLowerBoundPs(const Price &price);

} // namespace partita::search

#endif
