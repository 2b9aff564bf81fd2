//===- PlanBuilder.h - a reshard plan, step by step -----------------------===//

#ifndef PARTITA_COST_PLANBUILDER_H
#define PARTITA_COST_PLANBUILDER_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// What a device sends in a step over `groupSize` devices. All operands divide, but for all_reduce, which is rounded
/// up.
///
///   all_gather       result - operand      (n-1)/n of the result
///   reduce_scatter   operand - result      (n-1)/n of the operand
///   all_to_all       (n-1)/n of the operand
///   all_reduce       2(n-1)/n of the operand
///   permute          the operand
int64_t computeSentBits(CollectiveKind kind, int64_t operandBits, int64_t resultBits, int64_t groupSize);

/// Appends steps to a plan and keeps account of what they cost.
class PlanBuilder {
public:
  PlanBuilder(const Axes &axes, llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const PartialSharding &from,
              const PartialSharding &to);

  const PartialSharding &getForm() const { return form; }
  bool isDone() const { return form == plan.to; }

  /// `list` is appended to the axes of `dim`.
  void slice(llvm::ArrayRef<AxisId> list, uint32_t dim);
  /// The last `count` axes of `dim` are gathered.
  void gather(uint32_t dim, size_t count);
  /// The last `count` axes of `dim` are appended to those of `toDim`.
  void exchange(uint32_t dim, size_t count, uint32_t toDim);
  void permute(const Sharding &sharding);
  void allReduce(llvm::ArrayRef<AxisId> list);
  void reduceScatter(llvm::ArrayRef<AxisId> list, uint32_t dim);

  /// The finished plan; `to` must have been reached.
  ReshardPlan take();

private:
  void dropPartial(llvm::ArrayRef<AxisId> list, PartialSharding &after) const;
  void add(CollectiveKind kind, llvm::ArrayRef<AxisId> list, uint32_t dim, uint32_t toDim, PartialSharding after);

  const Axes *axes;
  ReshardPlan plan;
  PartialSharding form;
  int64_t formBits;
};

/// Gathers what is in the way and slices what is wanted, with the exchanges and the permute that offer themselves.
/// Always right and quick, often the cheapest.
ReshardPlan planGreedily(const Axes &axes, llvm::ArrayRef<int64_t> shape, uint32_t elementBits,
                         const PartialSharding &from, const PartialSharding &to);

/// The cheapest of all plans over the axes that differ. `bound` is a plan of the same problem; it is given back if the
/// search would take too long, which depends on nothing but the problem.
ReshardPlan planByShortestPath(const Axes &axes, ReshardPlan bound);

} // namespace partita::cost

#endif
