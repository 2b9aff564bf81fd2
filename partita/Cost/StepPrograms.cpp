//===- StepPrograms.cpp - runs collectives of reshards in several steps ---===//

#include "partita/Cost/StepPrograms.h"

#include "partita/Cost/ReshardPlanBuilder.h"

#include "llvm/ADT/StringExtras.h"

namespace partita::cost {

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

/// Appends the steps of a program to a plan, along one dim, or from it to another.
class ProgramRunner {
public:
  ProgramRunner(const Axes &axes, llvm::ArrayRef<int64_t> shape, uint32_t dim, uint32_t toDim,
                ReshardPlanBuilder builder)
      : axes(axes), shape(shape), dim(dim), toDim(toDim), builder(std::move(builder)) {}

  /// Nothing if a step is not possible, or if they do not lead to `after`.
  std::optional<ReshardPlanBuilder> run(llvm::ArrayRef<StepProgram::Step> steps, const PartialSharding &after) {
    if (!llvm::all_of(steps, [&](const StepProgram::Step &step) { return runStep(step); }) ||
        builder.getReached() != after)
      return std::nullopt;
    return std::move(builder);
  }

private:
  bool runStep(const StepProgram::Step &step) {
    switch (step.kind) {
    case CollectiveKind::AllReduce:
      return isPartial(step.axes) && (builder.allReduce(step.axes), true);
    case CollectiveKind::ReduceScatter:
      return isPartial(step.axes) && divides(step.axes) && (builder.reduceScatter(step.axes, dim), true);
    case CollectiveKind::AllSlice:
      return isWhole(step.axes) && divides(step.axes) && (builder.slice(step.axes, dim), true);
    case CollectiveKind::AllGather:
      return isLast(step.axes) && (builder.gather(dim, step.axes.size()), true);
    case CollectiveKind::AllToAll:
      return dim != toDim && isLast(step.axes) && (exchange(step.axes), true);
    case CollectiveKind::CollectivePermute:
      break;
    }
    return false;
  }
  void exchange(llvm::ArrayRef<AxisId> list) {
    builder.exchange(dim, list.size(), toDim, numExchanged);
    numExchanged += list.size();
  }

  bool isPartial(llvm::ArrayRef<AxisId> list) const {
    return llvm::all_of(list, [&](AxisId axis) { return llvm::is_contained(builder.getReached().partial, axis); });
  }
  /// Whether all devices along these axes hold the same.
  bool isWhole(llvm::ArrayRef<AxisId> list) const {
    const PartialSharding &reached = builder.getReached();
    return llvm::all_of(list, [&](AxisId axis) {
      return reached.sharding.findAxis(axis) < 0 && !llvm::is_contained(reached.partial, axis);
    });
  }
  bool divides(llvm::ArrayRef<AxisId> list) const {
    int64_t parts = 1;
    for (AxisId axis : list)
      parts *= axes[axis].size;
    if (dim >= shape.size())
      return false;
    int64_t size = getLocalShape(axes, shape, builder.getReached().sharding)[dim];
    // No collective scatters an empty dim.
    return size > 0 && size % parts == 0;
  }
  /// Whether these are the minor axes of the dim, in their order.
  bool isLast(llvm::ArrayRef<AxisId> list) const {
    if (dim >= shape.size())
      return false;
    llvm::ArrayRef<AxisId> have = builder.getReached().sharding.dims[dim];
    return have.size() >= list.size() && have.take_back(list.size()) == list;
  }

  const Axes &axes;
  llvm::ArrayRef<int64_t> shape;
  uint32_t dim, toDim;
  /// The axes that steps before have moved to `toDim`.
  size_t numExchanged = 0;
  ReshardPlanBuilder builder;
};

} // namespace

static bool isOf(const StepProgram &program, const ReshardStep &step) {
  if (program.kind != step.kind || step.payloadBytes < program.leastBytes || step.payloadBytes > program.mostBytes ||
      program.axes.size() != step.axes.size())
    return false;
  if (step.kind == CollectiveKind::AllReduce)
    return llvm::all_of(step.axes, [&](AxisId axis) { return llvm::is_contained(program.axes, axis); });
  return program.axes == step.axes;
}

/// The builder after the step as a program; nothing if this one cannot take its place.
static std::optional<ReshardPlanBuilder> runProgram(const Axes &axes, llvm::ArrayRef<int64_t> shape,
                                                    const StepProgram &program, const ReshardStep &step,
                                                    const ReshardPlanBuilder &builder) {
  if (step.kind != CollectiveKind::AllReduce)
    return ProgramRunner(axes, shape, step.dim, step.toDim, builder).run(program.steps, step.after);
  // A scalar has no dim, and needs none if nothing is scattered.
  for (uint32_t dim = 0; dim < std::max<size_t>(1, shape.size()); ++dim)
    if (auto run = ProgramRunner(axes, shape, dim, dim, builder).run(program.steps, step.after))
      return run;
  return std::nullopt;
}

ReshardPlan runPrograms(const Axes &axes, ReshardPlan plan, llvm::ArrayRef<StepProgram> programs) {
  ReshardPlanBuilder builder(axes, plan.shape, plan.elementBits, plan.from, plan.to);
  bool isChanged = false;
  for (const ReshardStep &step : plan.steps) {
    std::optional<ReshardPlanBuilder> run;
    for (const StepProgram &program : programs)
      if (!run && isOf(program, step))
        run = runProgram(axes, plan.shape, program, step, builder);
    isChanged |= run.has_value();
    if (run)
      builder = std::move(*run);
    else
      builder.repeat(step);
  }
  if (isChanged)
    return builder.take();
  return plan;
}

/// Whether the step puts axes in front of what the one before it has moved.
static bool continuesExchange(const ReshardStep &before, const ReshardStep &step) {
  if (before.kind != CollectiveKind::AllToAll || step.kind != CollectiveKind::AllToAll || before.dim != step.dim ||
      before.toDim != step.toDim)
    return false;
  DimAxes appended = before.after.sharding.dims[step.toDim];
  llvm::append_range(appended, step.axes);
  return step.after.sharding.dims[step.toDim] != appended;
}

size_t countExchangeSteps(const ReshardPlan &plan, size_t number) {
  size_t end = number + 1;
  while (end < plan.steps.size() && continuesExchange(plan.steps[end - 1], plan.steps[end]))
    ++end;
  return end - number;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

static CollectiveKind getKind(StepKind kind) {
  static constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                             CollectiveKind::AllGather, CollectiveKind::AllToAll,
                                             CollectiveKind::AllSlice};
  return kinds[static_cast<size_t>(kind)];
}

static Result<llvm::SmallVector<AxisId, 2>> findAxes(llvm::ArrayRef<std::string> names, const Axes &axes,
                                                     const SourceLocation &location) {
  llvm::SmallVector<AxisId, 2> list;
  for (const std::string &name : names) {
    llvm::SmallVector<AxisId> found = axes.find(name);
    if (found.empty())
      return Error::badInput(location, "a reduction is over '" + name + "', which is not an axis of the mesh " +
                                           axes.mesh.str() + ", or a part of one that can be split there")
          .withRemedy("give \"reductions\": \"auto\" in a schedule to choose them for this mesh");
    llvm::append_range(list, found);
  }
  llvm::SmallVector<AxisId, 2> sorted = list;
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return Error::badInput(location, "an axis of a reduction is named twice");
  return list;
}

/// Whether the steps do what an all_to_all does between two dims that all its axes divide.
static bool isExchange(const StepProgram &program, const Axes &axes, int64_t size) {
  PartialSharding from{Sharding(2), {}, Combiner::None};
  from.sharding.dims[0].assign(program.axes.begin(), program.axes.end());
  ReshardStep step;
  step.kind = program.kind;
  step.axes = program.axes;
  step.toDim = 1;
  step.after = from;
  std::swap(step.after.sharding.dims[0], step.after.sharding.dims[1]);
  ReshardPlanBuilder builder(axes, {size, size}, 32, from, step.after);
  bool areExchanges =
      llvm::all_of(program.steps, [](const auto &each) { return each.kind == CollectiveKind::AllToAll; });
  return areExchanges && runProgram(axes, {size, size}, program, step, builder).has_value();
}

/// Whether the steps do what the collective does, for a tensor of one dim that all its axes divide.
static bool isCollective(const StepProgram &program, const Axes &axes) {
  int64_t size = 1;
  for (AxisId axis : program.axes)
    size *= axes[axis].size;
  if (program.kind == CollectiveKind::AllToAll)
    return isExchange(program, axes, size);
  PartialSharding whole{Sharding(1), {}, Combiner::None}, split = whole, partial = whole;
  split.sharding.dims[0].assign(program.axes.begin(), program.axes.end());
  partial.partial = program.axes;
  llvm::sort(partial.partial);
  partial.combiner = Combiner::Add;
  ReshardStep step;
  step.kind = program.kind;
  step.axes = program.axes;
  step.after = program.kind == CollectiveKind::ReduceScatter ? split : whole;
  const PartialSharding &from = program.kind == CollectiveKind::AllGather ? split : partial;
  ReshardPlanBuilder builder(axes, {size}, 32, from, step.after);
  return runProgram(axes, {size}, program, step, builder).has_value();
}

static Result<StepProgram> bindProgram(const CollectiveProgram &given, const Axes &axes) {
  StepProgram program{getKind(given.goal), {}, given.leastBytes, given.mostBytes, {}};
  Result<llvm::SmallVector<AxisId, 2>> list = findAxes(given.axes, axes, given.location);
  if (!list)
    return list.error();
  program.axes = std::move(*list);
  for (const CollectiveProgram::Step &step : given.steps) {
    list = findAxes(step.axes, axes, given.location);
    if (!list)
      return list.error();
    program.steps.push_back({getKind(step.kind), std::move(*list)});
  }
  if (!isCollective(program, axes))
    return Error::badInput(given.location, "these steps are not " + getName(given.goal).str() + " over " +
                                               llvm::join(given.axes, ", ") + ": " + printProgramSteps(given));
  return program;
}

Result<std::vector<StepProgram>> bindPrograms(llvm::ArrayRef<CollectiveProgram> programs, const Axes &axes) {
  std::vector<StepProgram> bound;
  for (const CollectiveProgram &given : programs) {
    Result<StepProgram> program = bindProgram(given, axes);
    if (!program)
      return program.error();
    bound.push_back(std::move(*program));
  }
  return bound;
}

} // namespace partita::cost
