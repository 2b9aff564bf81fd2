//===- Evaluation.h - what an assignment costs, at once and step by step --===//
//
//   Cost cost = evaluateCost(model, assignment, planner);
//
//   CostTracker tracker(model, assignment, planner);     // the search's way
//   size_t mark = assignment.mark();
//   propagation.run(...);                                // changes the assignment
//   if (tracker.update().timePs > best) {                // prices what changed
//     tracker.rollback(mark);                            // priced by the next update
//     assignment.rollback(mark);
//   }
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_EVALUATION_H
#define PARTITA_COST_EVALUATION_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/Reshards.h"
#include "partita/Cost/Rooms.h"

#include <memory>

namespace partita::cost {

class SharedPriceCache;

struct Cost {
  int64_t timePs = 0;
  /// Of all ops; of all collectives; of those collectives that compute does not hide.
  int64_t computePs = 0, communicationPs = 0, exposedPs = 0;
  int64_t peakBytes = 0;
  bool operator==(const Cost &) const = default;
};

/// Of the whole program, from nothing but the assignment.
Cost evaluateCost(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner);

/// Evaluates one assignment in full, again and again: prices that have been found are kept.
class CostEvaluator {
public:
  /// All three are referred to.
  CostEvaluator(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner);
  ~CostEvaluator();
  CostEvaluator(CostEvaluator &&);
  CostEvaluator &operator=(CostEvaluator &&) = delete;

  Cost evaluate();

private:
  struct State;
  std::unique_ptr<State> state;
};

/// A value that is alive at the peak: a cell as its definition gives it, or what a reshard made of it.
struct AliveCell {
  CellId cell;
  int64_t bytes = 0;
  /// Made by a reshard.
  bool isResharded = false;
  bool operator==(const AliveCell &) const = default;
};

/// An op that stands alone, or the last op of a kernel with the whole kernel's time (FusionPlan.h).
struct OpTime {
  OpId op;
  /// All its executions together. Those of all ops are Cost::computePs.
  int64_t timePs = 0;
  bool operator==(const OpTime &) const = default;
};

struct ReshardTime {
  CellId cell;
  /// The op that it stands behind or before; invalid behind arguments, loops and branches.
  OpId op;
  ReshardPlanId plan;
  /// All its executions together.
  int64_t timePs = 0;
  /// May hide behind compute.
  bool isOverlapped = false;
  bool operator==(const ReshardTime &) const = default;
};

/// Follows one assignment and prices what changes. Nothing is priced before an update asks for it: what was undone and
/// done again in the meantime, as most is when a search tries one move after another, costs next to nothing.
///
/// Steps grow along the assignment's trail: no change is of an earlier step than one before it. What changed is told by
/// rows, and a row says in which order its node took its axes, but not whether that was before or after a pin of a cell
/// beside it, which orders the axes of a dim, too. With growing steps, what is above a pin on the trail came after it.
class CostTracker {
public:
  /// Prices the assignment as it is; all are referred to. Prices that were found are kept; when there are more than
  /// `maxEntries`, all are forgotten but the present ones. What trackers of one model find, they tell each other by
  /// `shared`, if it is there.
  CostTracker(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner,
              size_t maxEntries = size_t(1) << 21, SharedPriceCache *shared = nullptr);
  ~CostTracker();
  CostTracker(CostTracker &&);
  CostTracker &operator=(CostTracker &&) = delete;

  /// The cost at the last update.
  const Cost &getCost() const;
  /// Prices what the assignment's trail says changed since the last update. Equals evaluateCost.
  const Cost &update();
  /// The assignment is about to be rolled back to this mark of its own.
  void rollback(size_t mark);

  // For proposals; as of the last update.

  /// Bytes that are alive at the (first) peak, and time of all executions, of units by the node that they belong to.
  /// From prices that are kept, so they cost little; nodes may come several times, and none with nothing.
  std::vector<std::pair<NodeId, int64_t>> listNodesAtPeak() const;
  std::vector<std::pair<NodeId, int64_t>> listNodeTimes(bool withCompute) const;

  // As of the last update. Each costs as much as a full evaluation.

  /// What is alive at the (first) peak, largest first; of equal ones, the first cell first.
  std::vector<AliveCell> listAtPeak() const;
  /// Bytes that are alive at each point; of a plain program, each op is one.
  std::vector<int64_t> listLiveBytes() const;
  /// Ops that take time, and reshards, longest first.
  std::vector<OpTime> listOps() const;
  std::vector<ReshardTime> listReshards() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace partita::cost

#endif
