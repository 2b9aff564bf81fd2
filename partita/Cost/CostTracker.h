//===- CostTracker.h - an assignment's cost, in full or by change ---------===//
//
//   Cost cost = evaluateCost(model, assignment, planner);
//
//   CostTracker tracker(model, assignment, planner);     // incremental, for the search
//   size_t mark = assignment.mark();
//   propagation.run(...);                                // changes the assignment
//   if (tracker.update().timePs > best) {                // prices what changed
//     tracker.rollback(mark);                            // priced by the next update
//     assignment.rollback(mark);
//   }
//
// Both give the same cost for the same assignment.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COSTTRACKER_H
#define PARTITA_COST_COSTTRACKER_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/Reshards.h"
#include "partita/Cost/Rooms.h"

#include <memory>

namespace partita::cost {

class PiecePrices;

class SharedPriceCache;

struct Cost {
  int64_t timePs = 0;
  /// The time of all ops; of all collectives; the part of the latter that compute does not hide.
  int64_t computePs = 0, communicationPs = 0, exposedPs = 0;
  int64_t peakBytes = 0;
  bool operator==(const Cost &) const = default;
};

/// Evaluates the whole program from scratch.
Cost evaluateCost(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner);

/// Evaluates one assignment in full, repeatedly. Keeps prices between evaluations.
class CostEvaluator {
public:
  /// Keeps references to all three.
  CostEvaluator(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner);
  ~CostEvaluator();
  CostEvaluator(CostEvaluator &&);
  CostEvaluator &operator=(CostEvaluator &&) = delete;

  Cost evaluate();

private:
  struct State;
  std::unique_ptr<State> state;
};

/// A value that is alive at the peak: a cell as it is defined, or the result of a reshard of it.
struct AliveCell {
  CellId cell;
  int64_t bytes = 0;
  /// Made by a reshard.
  bool isResharded = false;
  bool operator==(const AliveCell &) const = default;
};

/// An op that is its own kernel, or the last op of a fused kernel with the kernel's time (FusionPlan.h).
struct OpTime {
  OpId op;
  /// The sum over all its executions. All ops add up to Cost::computePs.
  int64_t timePs = 0;
  bool operator==(const OpTime &) const = default;
};

struct ReshardTime {
  CellId cell;
  /// The op that it follows or precedes; invalid after arguments, loops and branches.
  OpId op;
  ReshardPlanId plan;
  /// The sum over all its executions.
  int64_t timePs = 0;
  /// May hide behind compute.
  bool isOverlapped = false;
  bool operator==(const ReshardTime &) const = default;
};

/// Follows one assignment and prices what changes, lazily: only update() prices. Changes that were undone before it, as
/// most are when a search tries one move after another, cost next to nothing.
///
/// Relies on steps that never decrease along the assignment's trail. A node state records in which order its node took
/// its axes, but not whether that was before or after a pin of a neighboring cell, and both order the axes of a dim.
/// With increasing steps, whatever is above a pin on the trail came after it.
class CostTracker {
public:
  /// Prices the current assignment; keeps references to all arguments. Caches prices; at more than `maxEntries`, drops
  /// all but the current ones. Trackers of one model exchange prices through `shared`, if it is not null.
  CostTracker(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner,
              size_t maxEntries = size_t(1) << 21, SharedPriceCache *shared = nullptr);
  /// The same for an assignment of which some reshards run in pieces. It must not change then.
  CostTracker(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner, const PiecePrices *pieces);
  ~CostTracker();
  CostTracker(CostTracker &&);
  CostTracker &operator=(CostTracker &&) = delete;

  /// The cost at the last update.
  const Cost &getCost() const;
  /// Prices what changed since the last update, according to the assignment's trail. Equals evaluateCost.
  const Cost &update();
  /// Call before the assignment is rolled back to this mark.
  void rollback(size_t mark);

  // For proposals; as of the last update.

  /// The bytes alive at the (first) peak, and the time of all executions, of each unit, with the unit's node. Cheap,
  /// since read from cached prices. A node may occur several times; zero entries are left out.
  std::vector<std::pair<NodeId, int64_t>> listNodesAtPeak() const;
  std::vector<std::pair<NodeId, int64_t>> listNodeTimes(bool withCompute) const;

  // As of the last update. Each costs as much as a full evaluation.

  /// The values alive at the (first) peak, largest first; ties by cell.
  std::vector<AliveCell> listAtPeak() const;
  /// The bytes alive at each point. In a program that is not folded, each op is a point.
  std::vector<int64_t> listLiveBytes() const;
  /// The ops that take time, and the reshards; longest first.
  std::vector<OpTime> listOps() const;
  std::vector<ReshardTime> listReshards() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace partita::cost

#endif
