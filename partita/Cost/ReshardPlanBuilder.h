//===- ReshardPlanBuilder.h - builds the steps of a reshard plan -----------------===//
//
// Two planners share this builder: planGreedily gives a plan at once, and
// planByShortestPath improves it. Steps are those of ReshardPlan.h.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_RESHARDPLANBUILDER_H
#define PARTITA_COST_RESHARDPLANBUILDER_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// The bits that a device sends in a step over groups of n = `groupSize` devices. All operands divide, except that of
/// all_reduce, which is rounded up.
///
///   all_gather       result - operand      (n-1)/n of the result
///   reduce_scatter   operand - result      (n-1)/n of the operand
///   all_to_all       (n-1)/n of the operand
///   all_reduce       2(n-1)/n of the operand
///   permute          the operand
int64_t computeSentBits(CollectiveKind kind, int64_t operandBits, int64_t resultBits, int64_t groupSize);

/// Appends steps to a plan and adds up what they cost.
class ReshardPlanBuilder {
public:
  ReshardPlanBuilder(const Axes &axes, llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const PartialSharding &from,
                     const PartialSharding &to);

  const PartialSharding &getReached() const { return reached; }
  bool isDone() const { return reached == plan.to; }

  /// Appends `list` to the axes of `dim`.
  void slice(llvm::ArrayRef<AxisId> list, uint32_t dim);
  /// Gathers the last `count` axes of `dim`.
  void gather(uint32_t dim, size_t count);
  /// Moves the last `count` axes of `dim` behind those of `toDim`, but in front of the last `numBehind` ones.
  void exchange(uint32_t dim, size_t count, uint32_t toDim, size_t numBehind = 0);
  void permute(const Sharding &sharding);
  void allReduce(llvm::ArrayRef<AxisId> list);
  void reduceScatter(llvm::ArrayRef<AxisId> list, uint32_t dim);
  /// A step of another plan, which starts from what was reached.
  void repeat(const ReshardStep &step) { add(step.kind, step.axes, step.dim, step.toDim, step.after); }

  /// The finished plan; `to` must have been reached.
  ReshardPlan take();

private:
  void dropPartial(llvm::ArrayRef<AxisId> list, PartialSharding &after) const;
  void add(CollectiveKind kind, llvm::ArrayRef<AxisId> list, uint32_t dim, uint32_t toDim, PartialSharding after);

  const Axes *axes;
  ReshardPlan plan;
  PartialSharding reached;
  int64_t reachedBits;
};

/// Gathers axes that the target does not have, slices those that it adds, and uses exchanges and a permute where they
/// apply (GreedyReshard.cpp). Always correct and fast, often the cheapest.
ReshardPlan planGreedily(const Axes &axes, llvm::ArrayRef<int64_t> shape, uint32_t elementBits,
                         const PartialSharding &from, const PartialSharding &to);

/// The cheapest of all plans over the axes that differ (ReshardSearch.cpp). `bound` is a plan of the same problem. It
/// is returned if the search would take too long, which depends on the problem alone. Paths are found in `paths`, or
/// added to them.
ReshardPlan planByShortestPath(const Axes &axes, ReshardPlan bound, ReshardPaths &paths);

} // namespace partita::cost

#endif
