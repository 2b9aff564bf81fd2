//===- ReshardPlan.cpp - collectives from one sharding to another ---------===//

#include "partita/Cost/ReshardPlan.h"

#include "partita/Cost/ReshardPaths.h"
#include "partita/Cost/ReshardPlanBuilder.h"
#include "partita/Cost/StepPrograms.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::cost {

llvm::StringRef getName(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllSlice:
    return "all_slice";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::CollectivePermute:
    return "collective_permute";
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  }
  return "";
}

int64_t computeLocalBits(const Axes &axes, llvm::ArrayRef<int64_t> shape, uint32_t elementBits,
                         const Sharding &sharding) {
  int64_t bits = elementBits;
  for (int64_t size : getLocalShape(axes, shape, sharding))
    bits *= size;
  return bits;
}

static void hashAxes(size_t &hash, llvm::ArrayRef<AxisId> list) {
  for (AxisId axis : list)
    hash = llvm::hash_combine(hash, axis.get());
  hash = llvm::hash_combine(hash, list.size());
}

static void hashPartialSharding(size_t &hash, const PartialSharding &sharding) {
  for (const DimAxes &dim : sharding.sharding.dims)
    hashAxes(hash, dim);
  hashAxes(hash, sharding.partial);
}

static bool isPlanOf(const ReshardPlan &plan, llvm::ArrayRef<int64_t> shape, uint32_t elementBits,
                     const PartialSharding &from, const PartialSharding &to) {
  return plan.elementBits == elementBits && llvm::ArrayRef(plan.shape) == shape && plan.from == from && plan.to == to;
}

ReshardPlanner::ReshardPlanner(const Axes &axes) : axes(&axes), paths(std::make_unique<ReshardPaths>()) {}

ReshardPlanner::ReshardPlanner(const ReshardPlanner &other)
    : axes(other.axes), programs(other.programs), plans(other.plans), index(other.index),
      paths(std::make_unique<ReshardPaths>(*other.paths)) {}

ReshardPlanner::ReshardPlanner(ReshardPlanner &&) noexcept = default;

ReshardPlanner &ReshardPlanner::operator=(ReshardPlanner &&) noexcept = default;

ReshardPlanner::~ReshardPlanner() = default;

ReshardPlanId ReshardPlanner::find(llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const PartialSharding &from,
                                   const PartialSharding &to) {
  assert(from.combiner == Combiner::None || !from.partial.empty());
  assert(to.combiner == Combiner::None || !to.partial.empty());
  assert(llvm::all_of(to.partial, [&](AxisId axis) { return llvm::is_contained(from.partial, axis); }) &&
         "a reshard cannot make a value partial");
  size_t hash = llvm::hash_combine(llvm::hash_combine_range(shape.begin(), shape.end()), elementBits);
  hashPartialSharding(hash, from);
  hashPartialSharding(hash, to);
  auto [first, last] = index.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (isPlanOf(plans[it->second.get()], shape, elementBits, from, to))
      return it->second;

  ReshardPlanId id(static_cast<uint32_t>(plans.size()));
  ReshardPlan plan = planByShortestPath(*axes, planGreedily(*axes, shape, elementBits, from, to), *paths);
  plans.push_back(programs.empty() ? std::move(plan) : runPrograms(*axes, std::move(plan), programs));
  index.emplace(hash, id);
  return id;
}

std::string printSteps(const Axes &axes, const ReshardPlan &plan) {
  std::string text;
  for (const ReshardStep &step : plan.steps) {
    text += text.empty() ? "" : "; ";
    text += (getName(step.kind) + " {" + llvm::join(getNames(axes, step.axes), ", ") + "}").str();
    if (step.kind == CollectiveKind::CollectivePermute)
      text += " " + printSharding(axes, step.after.sharding);
    else if (step.kind == CollectiveKind::AllToAll)
      text += " " + std::to_string(step.dim) + " -> " + std::to_string(step.toDim);
    else if (step.kind != CollectiveKind::AllReduce)
      text += " " + std::to_string(step.dim);
  }
  return text;
}

} // namespace partita::cost
