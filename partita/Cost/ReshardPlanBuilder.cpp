//===- ReshardPlanBuilder.cpp - builds the steps of a reshard plan ---------------===//

#include "partita/Cost/ReshardPlanBuilder.h"

namespace partita::cost {

int64_t computeSentBits(CollectiveKind kind, int64_t operandBits, int64_t resultBits, int64_t groupSize) {
  switch (kind) {
  case CollectiveKind::AllSlice:
    return 0;
  case CollectiveKind::AllGather:
    return resultBits - operandBits;
  case CollectiveKind::AllToAll:
    return operandBits - operandBits / groupSize;
  case CollectiveKind::CollectivePermute:
    return operandBits;
  case CollectiveKind::AllReduce:
    return 2 * (operandBits - operandBits / groupSize);
  case CollectiveKind::ReduceScatter:
    return operandBits - resultBits;
  }
  return 0;
}

ReshardPlanBuilder::ReshardPlanBuilder(const Axes &axes, llvm::ArrayRef<int64_t> shape, uint32_t elementBits,
                                       const PartialSharding &from, const PartialSharding &to)
    : axes(&axes), reached(from), reachedBits(computeLocalBits(axes, shape, elementBits, from.sharding)) {
  plan.shape.assign(shape.begin(), shape.end());
  plan.elementBits = elementBits;
  plan.from = from;
  plan.to = to;
}

void ReshardPlanBuilder::slice(llvm::ArrayRef<AxisId> list, uint32_t dim) {
  PartialSharding after = reached;
  llvm::append_range(after.sharding.dims[dim], list);
  add(CollectiveKind::AllSlice, list, dim, 0, std::move(after));
}

void ReshardPlanBuilder::gather(uint32_t dim, size_t count) {
  PartialSharding after = reached;
  DimAxes &dimAxes = after.sharding.dims[dim];
  DimAxes list(llvm::ArrayRef(dimAxes).take_back(count));
  dimAxes.pop_back_n(count);
  add(CollectiveKind::AllGather, list, dim, 0, std::move(after));
}

void ReshardPlanBuilder::exchange(uint32_t dim, size_t count, uint32_t toDim, size_t numBehind) {
  PartialSharding after = reached;
  DimAxes &dimAxes = after.sharding.dims[dim];
  DimAxes list(llvm::ArrayRef(dimAxes).take_back(count));
  dimAxes.pop_back_n(count);
  DimAxes &target = after.sharding.dims[toDim];
  target.insert(std::prev(target.end(), static_cast<ptrdiff_t>(numBehind)), list.begin(), list.end());
  add(CollectiveKind::AllToAll, list, dim, toDim, std::move(after));
}

/// The dim of an axis and its position there, or none.
static std::pair<int, size_t> findAxisLocation(const Sharding &sharding, AxisId axis) {
  int dim = sharding.findAxis(axis);
  if (dim < 0)
    return {-1, 0};
  return {dim, llvm::find(sharding.dims[dim], axis) - sharding.dims[dim].begin()};
}

void ReshardPlanBuilder::permute(const Sharding &sharding) {
  llvm::SmallVector<AxisId, 2> moved;
  for (AxisId axis : idRange<AxisId>(axes->size()))
    if (findAxisLocation(sharding, axis) != findAxisLocation(reached.sharding, axis))
      moved.push_back(axis);
  PartialSharding after = reached;
  after.sharding = sharding;
  add(CollectiveKind::CollectivePermute, moved, 0, 0, std::move(after));
}

void ReshardPlanBuilder::dropPartial(llvm::ArrayRef<AxisId> list, PartialSharding &after) const {
  llvm::erase_if(after.partial, [&](AxisId axis) { return llvm::is_contained(list, axis); });
  if (after.partial.empty())
    after.combiner = Combiner::None;
}

void ReshardPlanBuilder::allReduce(llvm::ArrayRef<AxisId> list) {
  PartialSharding after = reached;
  dropPartial(list, after);
  add(CollectiveKind::AllReduce, list, 0, 0, std::move(after));
}

void ReshardPlanBuilder::reduceScatter(llvm::ArrayRef<AxisId> list, uint32_t dim) {
  PartialSharding after = reached;
  dropPartial(list, after);
  llvm::append_range(after.sharding.dims[dim], list);
  add(CollectiveKind::ReduceScatter, list, dim, 0, std::move(after));
}

void ReshardPlanBuilder::add(CollectiveKind kind, llvm::ArrayRef<AxisId> list, uint32_t dim, uint32_t toDim,
                             PartialSharding after) {
  int64_t afterBits = computeLocalBits(*axes, plan.shape, plan.elementBits, after.sharding), groupSize = 1;
  for (AxisId axis : list)
    groupSize *= (*axes)[axis].size;
  int64_t payloadBits = kind == CollectiveKind::AllSlice    ? 0
                        : kind == CollectiveKind::AllGather ? afterBits
                                                            : reachedBits;
  int64_t sentBits = computeSentBits(kind, reachedBits, afterBits, groupSize);
  int64_t temporaryBits = (reached == plan.from ? 0 : reachedBits) + (after == plan.to ? 0 : afterBits);

  plan.sentBits += sentBits;
  plan.peakTemporaryBits = std::max(plan.peakTemporaryBits, temporaryBits);
  reached = after;
  reachedBits = afterBits;
  plan.steps.push_back(
      {kind, llvm::SmallVector<AxisId, 2>(list), dim, toDim, std::move(after), (payloadBits + 7) / 8, sentBits});
}

ReshardPlan ReshardPlanBuilder::take() {
  assert(isDone() && "a plan that does not end where it should");
  return std::move(plan);
}

} // namespace partita::cost
