//===- ReductionChoice.cpp - collectives of a plan as faster programs -----===//

#include "partita/Cost/ReductionChoice.h"

#include "partita/Cost/PlacementChoice.h"
#include "partita/Cost/ReshardPlanPrice.h"
#include "partita/Cost/StepPrograms.h"
#include "partita/Machine/Reduce/Synthesis.h"

#include <map>

namespace partita::cost {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {

/// A part of an axis that lies on one level.
struct PlacedPart {
  std::string name;
  LevelPart part;
};

/// The parts of a collective's axes, in groups that steps do not tell apart.
struct PlacedFactors {
  std::vector<ReductionFactor> factors;
  /// For each factor the names of its parts, major to minor.
  std::vector<std::vector<std::string>> names;
};

/// Collectives of one kind over the same axes: how often each size runs.
using Sizes = std::map<int64_t, int64_t>;

class ProgramChoice {
public:
  explicit ProgramChoice(const Price &price) : price(price), plan(price.plan) {}

  std::vector<CollectiveProgram> run() {
    for (const auto &[key, sizes] : collectSizes())
      addPrograms(key.first, key.second, sizes);
    return savedPs > price.computeTimePs() / 100 ? std::move(programs) : std::vector<CollectiveProgram>();
  }

private:
  using Key = std::pair<StepKind, std::vector<AxisId>>;

  std::map<Key, Sizes> collectSizes() const;
  std::optional<std::vector<PlacedPart>> placeParts(AxisId axis) const;
  std::optional<PlacedFactors> listFactors(StepKind goal, llvm::ArrayRef<AxisId> axes) const;
  uint32_t getPhase(uint32_t level) const;
  std::optional<CollectiveProgram> join(CollectiveProgram program) const;
  void addPrograms(StepKind goal, llvm::ArrayRef<AxisId> axes, const Sizes &sizes);

  const Price &price;
  const Plan &plan;
  Synthesizer synthesizer;
  std::vector<CollectiveProgram> programs;
  int64_t savedPs = 0;
};

} // namespace

/// Steps of reshards; what ops exchange by themselves stays as it is.
std::map<ProgramChoice::Key, Sizes> ProgramChoice::collectSizes() const {
  std::map<Key, Sizes> sizes;
  for (const Reshard &reshard : plan.reshards.list.raw())
    for (const ReshardStep &step : plan.planner[reshard.plan].steps) {
      bool isKnown = step.kind != CollectiveKind::AllSlice && step.kind != CollectiveKind::CollectivePermute;
      if (isKnown)
        sizes[{*findStepKind(getCollective(step.kind)), {step.axes.begin(), step.axes.end()}}][step.payloadBytes] +=
            std::max<int64_t>(1, price.model.getTimes(reshard.region));
    }
  return sizes;
}

/// The parts of an axis on each level; nothing if levels do not divide it.
std::optional<std::vector<PlacedPart>> ProgramChoice::placeParts(AxisId id) const {
  const Axis &axis = plan.axes[id];
  const MeshAxis &whole = plan.getMesh().axes[axis.meshAxis];
  std::vector<PlacedPart> parts;
  int64_t preSize = axis.preSize;
  for (const LevelPart &part : price.model.getParts(id)) {
    if (part.size == 1)
      continue;
    bool isWhole = part.size == whole.size;
    parts.push_back(
        {isWhole ? whole.name : whole.name + ":(" + std::to_string(preSize) + ")" + std::to_string(part.size), part});
    preSize *= part.size;
  }
  return preSize == axis.preSize * axis.size ? std::optional(std::move(parts)) : std::nullopt;
}

/// The dims of one torus work together, and are one phase.
uint32_t ProgramChoice::getPhase(uint32_t level) const {
  llvm::ArrayRef<Level> levels = price.getMachine().levels;
  while (level > 0 && levels[level].isTorusDim() && levels[level - 1].isTorusDim())
    --level;
  return level;
}

/// For an all_reduce one for each phase; where order counts, one for each run of parts in the same phase.
std::optional<PlacedFactors> ProgramChoice::listFactors(StepKind goal, llvm::ArrayRef<AxisId> axes) const {
  PlacedFactors placed;
  std::vector<uint32_t> phases;
  for (AxisId axis : axes) {
    std::optional<std::vector<PlacedPart>> parts = placeParts(axis);
    if (!parts)
      return std::nullopt;
    for (PlacedPart &part : *parts) {
      uint32_t phase = getPhase(part.part.level);
      bool isLast = !phases.empty() && phases.back() == phase;
      size_t number = goal == StepKind::AllReduce ? llvm::find(phases, phase) - phases.begin()
                      : isLast                    ? phases.size() - 1
                                                  : phases.size();
      if (number == phases.size()) {
        phases.push_back(phase);
        placed.factors.emplace_back();
        placed.names.emplace_back();
      }
      placed.factors[number].parts.push_back(part.part);
      placed.names[number].push_back(std::move(part.name));
    }
  }
  return placed;
}

/// Steps over runs of factors, the minor ones first, as plans run an exchange. Bit i of `ends` says that a run ends
/// with factor i.
static ReductionProgram makeExchange(size_t numFactors, uint32_t ends) {
  ReductionProgram program{{}, ends != 0};
  for (uint32_t factor = 0; factor < numFactors; ++factor) {
    if (factor == 0 || (ends >> (factor - 1) & 1))
      program.steps.push_back({StepKind::AllToAll, {}});
    program.steps.back().factors.push_back(factor);
  }
  std::reverse(program.steps.begin(), program.steps.end());
  return program;
}

/// The fastest of them; the exchange as one if no other is faster, or if there are too many factors.
static PricedProgram findFastestExchange(const Machine &machine, const SynthesisRequest &request) {
  constexpr size_t mostFactors = 6;
  size_t numFactors = request.factors.size();
  PricedProgram best{makeExchange(numFactors, 0), 0};
  best.timePs = priceProgram(machine, request, best.program);
  for (uint32_t ends = 1; numFactors <= mostFactors && ends < uint32_t(1) << (numFactors - 1); ++ends) {
    ReductionProgram program = makeExchange(numFactors, ends);
    if (int64_t timePs = priceProgram(machine, request, program); timePs < best.timePs)
      best = {std::move(program), timePs};
  }
  return best;
}

static CollectiveProgram nameSteps(const SynthesisRequest &request, const ReductionProgram &program,
                                   const PlacedFactors &placed) {
  CollectiveProgram named;
  named.goal = request.goal;
  for (const std::vector<std::string> &names : placed.names)
    llvm::append_range(named.axes, names);
  for (const ReductionStep &step : program.steps) {
    CollectiveProgram::Step &own = named.steps.emplace_back(CollectiveProgram::Step{step.kind, {}});
    for (uint32_t factor : step.factors)
      llvm::append_range(own.axes, placed.names[factor]);
  }
  return named;
}

/// The program with parts of one axis joined; nothing if shardings cannot say what it does: programs of three factors
/// may mix the order of pieces and restore it.
std::optional<CollectiveProgram> ProgramChoice::join(CollectiveProgram program) const {
  Axes axes = refineAxes(plan.getMesh(), plan.getGraph(), collectAxes(program));
  if (!bindPrograms(program, axes))
    return std::nullopt;
  for (CollectiveProgram::Step &step : program.steps) {
    llvm::SmallVector<AxisId> list;
    for (const std::string &name : step.axes)
      llvm::append_range(list, axes.find(name));
    step.axes = getNames(axes, list);
  }
  return program;
}

void ProgramChoice::addPrograms(StepKind goal, llvm::ArrayRef<AxisId> axes, const Sizes &sizes) {
  std::optional<PlacedFactors> placed = listFactors(goal, axes);
  if (!placed || placed->factors.size() < 2)
    return;
  bool continues = false;
  for (auto [bytes, count] : sizes) {
    SynthesisRequest request{goal, placed->factors, bytes, /*mayReorder=*/false};
    PricedProgram fastest = goal == StepKind::AllToAll ? findFastestExchange(price.getMachine(), request)
                                                       : synthesizer.findFastest(price.getMachine(), request);
    LevelParts parts;
    for (const ReductionFactor &factor : placed->factors)
      parts.append(factor.parts);
    int64_t plainPs = priceCollective(price.getMachine(), {*findCollective(goal), parts, bytes}).timePs;
    std::optional<CollectiveProgram> named;
    if (fastest.program.steps.size() > 1 && fastest.timePs < plainPs - plainPs / 100)
      named = join(nameSteps(request, fastest.program, *placed));
    if (named) {
      if (!continues || programs.back().steps != named->steps) {
        named->axes = getNames(plan.axes, axes);
        named->leastBytes = bytes;
        programs.push_back(*named);
      }
      programs.back().mostBytes = bytes;
      savedPs += multiplySaturated(plainPs - fastest.timePs, count);
    }
    continues = named.has_value();
  }
}

std::vector<CollectiveProgram> listFasterPrograms(const Price &price) { return ProgramChoice(price).run(); }

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The plan with programs for the place of `price`; nothing if there are none.
static std::optional<ReducedPlan> buildReduced(const Price &price, const ReductionSetting &setting) {
  const Plan &plan = price.plan;
  std::vector<CollectiveProgram> programs = listFasterPrograms(price);
  if (programs.empty())
    return std::nullopt;
  Schedule schedule = *plan.schedule;
  schedule.reductions = std::move(programs);
  schedule.choosesReductions = false;
  Result<PlanPtr> built =
      buildPlan(plan.program, plan.getMesh(), std::move(schedule), plan.existing, setting.clock, setting.afterTactic);
  if (!built)
    return std::nullopt;
  const PriceSetting &at = price.setting;
  ReducedPlan reduced{std::move(*built), nullptr};
  reduced.price = pricePlan(*reduced.plan, {at.machine, at.placement, at.options});
  return reduced;
}

/// With the parts of each axis in the reverse order; nothing if that is the same, or cannot be written.
static std::optional<Placement> turnAxes(const PriceSetting &setting, const Mesh &mesh) {
  Placement turned = setting.placement;
  for (LevelParts &parts : turned.axes)
    std::reverse(parts.begin(), parts.end());
  Result<Placement> read = parsePlacement(printPlacement(turned, mesh, setting.machine), mesh, setting.machine);
  if (turned == setting.placement || !read || *read != turned)
    return std::nullopt;
  return turned;
}

std::optional<ReducedPlan> chooseReductions(const Price &price, const ReductionSetting &setting) {
  const Plan &plan = price.plan;
  assert(plan.schedule && plan.reductions.empty());
  std::optional<ReducedPlan> best = buildReduced(price, setting);
  std::optional<Placement> turned = setting.mayTurn ? turnAxes(price.setting, plan.getMesh()) : std::nullopt;
  if (turned)
    if (std::optional<ReducedPlan> other = buildReduced(*priceElsewhere(price, std::move(*turned)), setting))
      if (!best || other->price->computeTimePs() < best->price->computeTimePs())
        best = std::move(other);
  // Axes that are split where levels end could lead to other decisions; a plan that is slower for it is not taken.
  int64_t timePs = price.computeTimePs();
  if (!best || best->price->computeTimePs() >= timePs - timePs / 100 ||
      best->price->report.fits() < price.report.fits())
    return std::nullopt;
  return best;
}

} // namespace partita::cost
