//===- ReshardProblem.cpp - the states that a reshard search visits -------===//

#include "partita/Cost/ReshardProblem.h"

#include "partita/Cost/ReshardPlanBuilder.h"

namespace partita::cost {

unsigned ReshardProblem::countAxes(ReshardState state, unsigned dim) const {
  unsigned count = 0;
  for (unsigned axis = 0; axis < size(); ++axis)
    count += state.isOn(axis, dim);
  return count;
}

int64_t ReshardProblem::countParts(ReshardState state, unsigned dim) const {
  int64_t parts = 1;
  for (unsigned axis = 0; axis < size(); ++axis)
    if (state.isOn(axis, dim))
      parts *= axisSizes[axis];
  return parts;
}

int64_t ReshardProblem::getBits(ReshardState state) const {
  int64_t parts = 1;
  for (unsigned axis = 0; axis < size(); ++axis)
    if (state.isLocated(axis))
      parts *= axisSizes[axis];
  return bits / parts;
}

int64_t ReshardProblem::getGroupSize(ReshardState before, const ReshardMove &move) const {
  int64_t groupSize = 1;
  for (unsigned axis = 0; axis < size(); ++axis)
    if (!before.hasSameLocation(axis, move.after))
      groupSize *= axisSizes[axis];
  return groupSize;
}

Sharding ReshardProblem::getSharding(ReshardState state) const {
  Sharding sharding = fixed;
  for (unsigned dim = 0; dim < dims.size(); ++dim) {
    DimAxes &list = sharding.dims[dims[dim]];
    size_t first = list.size();
    list.resize(first + countAxes(state, dim));
    for (unsigned axis = 0; axis < size(); ++axis)
      if (state.isOn(axis, dim))
        list[first + state.getPosition(axis)] = axes[axis];
  }
  return sharding;
}

/// The number of first axes that two dims have in common.
static size_t countCommon(llvm::ArrayRef<AxisId> a, llvm::ArrayRef<AxisId> b) {
  size_t count = 0;
  while (count < std::min(a.size(), b.size()) && a[count] == b[count])
    ++count;
  return count;
}

/// Adds the axes of a sharding that do not stay, each once.
static void addAxes(ReshardProblem &problem, const Sharding &sharding) {
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim)
    for (AxisId axis : llvm::ArrayRef(sharding.dims[dim]).drop_front(problem.fixed.dims[dim].size()))
      if (!llvm::is_contained(problem.axes, axis))
        problem.axes.push_back(axis);
}

/// The state of a sharding; of its partial axes, only those that take part.
static ReshardState makeState(const ReshardProblem &problem, const PartialSharding &sharding) {
  ReshardState state;
  for (unsigned axis = 0; axis < problem.size(); ++axis) {
    state.setFree(axis);
    if (llvm::is_contained(sharding.partial, problem.axes[axis]))
      state.setPartial(axis);
  }
  for (unsigned dim = 0; dim < problem.dims.size(); ++dim) {
    size_t first = problem.fixed.dims[problem.dims[dim]].size();
    llvm::ArrayRef<AxisId> list = llvm::ArrayRef(sharding.sharding.dims[problem.dims[dim]]).drop_front(first);
    for (size_t i = 0; i < list.size(); ++i)
      state.place(static_cast<unsigned>(llvm::find(problem.axes, list[i]) - problem.axes.begin()), dim,
                  static_cast<unsigned>(i));
  }
  return state;
}

/// Adds the dims whose axes change. Other dims may help on the way: a slice or a reduce-scatter may use them before its
/// own dim has room. With many axes they are left out.
static void addDims(const ReshardPlan &plan, ReshardProblem &problem) {
  constexpr unsigned manyAxes = 5;
  for (uint32_t dim = 0; dim < plan.shape.size(); ++dim)
    if (problem.size() < manyAxes || plan.from.sharding.dims[dim] != plan.to.sharding.dims[dim])
      problem.dims.push_back(dim);
}

bool buildReshardProblem(const Axes &axes, const ReshardPlan &plan, ReshardProblem &problem) {
  const Sharding &from = plan.from.sharding, &to = plan.to.sharding;
  problem.fixed = Sharding(from.dims.size());
  for (size_t dim = 0; dim < from.dims.size(); ++dim)
    problem.fixed.dims[dim].append(from.dims[dim].begin(),
                                   from.dims[dim].begin() + countCommon(from.dims[dim], to.dims[dim]));
  addAxes(problem, from);
  addAxes(problem, to);
  for (AxisId axis : plan.from.partial)
    if (!llvm::is_contained(plan.to.partial, axis) && !llvm::is_contained(problem.axes, axis))
      problem.axes.push_back(axis);
  addDims(plan, problem);
  if (problem.size() > ReshardState::maxAxes || problem.dims.size() > ReshardState::maxDims)
    return false;

  llvm::sort(problem.axes);
  for (AxisId axis : problem.axes) {
    problem.axisSizes.push_back(axes[axis].size);
    problem.wanted.push_back(to.findAxis(axis) >= 0);
  }
  llvm::SmallVector<int64_t> local = getLocalShape(axes, plan.shape, problem.fixed);
  for (uint32_t dim : problem.dims)
    problem.dimSizes.push_back(local[dim]);
  problem.bits = computeLocalBits(axes, plan.shape, plan.elementBits, problem.fixed);
  problem.from = makeState(problem, plan.from);
  problem.to = makeState(problem, plan.to);
  return true;
}

} // namespace partita::cost
