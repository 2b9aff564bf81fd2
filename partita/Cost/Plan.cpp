//===- Plan.cpp - a partitioning of a program, built once -----------------===//

#include "partita/Cost/Plan.h"

#include "partita/Cost/StepPrograms.h"

#include "partita/Support/Containment.h"

#include "llvm/ADT/StringExtras.h"

namespace partita::cost {

std::optional<llvm::StringRef> Plan::findTactic(uint32_t step) const {
  if (step >= outcome.stepTactics.size())
    return std::nullopt;
  return llvm::StringRef(outcome.reports[outcome.stepTactics[step]].name);
}

llvm::StringRef Plan::findTactic(const Reshard &reshard) const {
  const ReshardPlan &steps = planner[reshard.plan];
  if (steps.steps.empty())
    return "";
  const Topology &topology = program.topology;
  NodeId at = reshard.op.isValid() ? topology.getNode(reshard.op) : topology.getBoundaryNode(reshard.cell);
  OpId definition = topology.getDefinition(reshard.cell);
  std::optional<uint32_t> step;
  for (AxisId axis : steps.steps.front().axes) {
    if (at.isValid() && assignment.getFactor(at, axis) != noFactor)
      step = assignment.getStep(at, axis);
    if (!step && definition.isValid() && assignment.getFactor(topology.getNode(definition), axis) != noFactor)
      step = assignment.getStep(topology.getNode(definition), axis);
  }
  return step ? findTactic(*step).value_or("") : "";
}

bool Plan::operator==(const Plan &other) const {
  if (&program != &other.program || axes.mesh != other.axes.mesh || axes.list.raw() != other.axes.list.raw())
    return false;
  auto isSame = [&](const Reshard &a, const Reshard &b) {
    return a.cell == b.cell && a.op == b.op && a.position == b.position && planner[a.plan] == other.planner[b.plan];
  };
  auto isSameName = [](const auto &a, const auto &b) { return a.isSame(b); };
  return assignment.isEquivalent(other.assignment) && llvm::equal(pieced, other.pieced, isSameName) &&
         llvm::equal(rotatedNames, other.rotatedNames, isSameName) &&
         llvm::equal(reshards.list.raw(), other.reshards.list.raw(), isSame);
}

/// Adds the outcome of the tactics and builds the reshards.
static Result<PlanPtr> finish(std::unique_ptr<Plan> plan, Result<ScheduleOutcome> outcome, StageClock &clock) {
  if (!outcome)
    return outcome.error();
  plan->outcome = std::move(*outcome);
  Result<std::vector<StepProgram>> programs = bindPrograms(plan->reductions, plan->axes);
  if (!programs)
    return programs.error();
  plan->planner.setPrograms(std::move(*programs));
  setActivity("planning reshards");
  plan->reshards = clock.run("reshards", [&] { return buildReshards(plan->assignment, plan->planner); });
  Result<ProductPieces> pieces =
      bindPieces(plan->pieced, plan->assignment, plan->planner, plan->reshards, plan->program.names);
  if (!pieces)
    return pieces.error();
  plan->pieces = std::move(*pieces);
  Result<std::set<ReshardId>> rotated = bindRotated(plan->rotatedNames, plan->assignment, plan->planner, plan->reshards,
                                                    plan->program.names, plan->pieces);
  if (!rotated)
    return rotated.error();
  plan->rotated = std::move(*rotated);
  return PlanPtr(std::move(plan));
}

Result<PlanPtr> buildPlan(const PlannedProgram &program, const Mesh &mesh, Schedule schedule,
                          std::vector<ExistingCollective> existing, StageClock &clock, AfterTactic afterTactic) {
  setActivity("applying tactics");
  std::unique_ptr<Plan> plan;
  Result<ScheduleOutcome> outcome = clock.run("tactics", [&] {
    plan = std::make_unique<Plan>(program, refineAxes(mesh, program.graph, collectAxes(schedule)));
    return applySchedule(schedule, program.names, plan->assignment, afterTactic);
  });
  plan->reductions = schedule.reductions;
  plan->schedule = std::move(schedule);
  plan->existing = std::move(existing);
  return finish(std::move(plan), std::move(outcome), clock);
}

Result<PlanPtr> replayPlan(const PlannedProgram &program, const Mesh &mesh, PlanFile file,
                           std::vector<ExistingCollective> existing, StageClock &clock, AfterTactic afterTactic) {
  if (Status error = verifyPlanProgram(file, program.graph, program.names))
    return std::move(*error);
  Result<std::vector<Action>> actions = findActions(file, program.names);
  if (!actions)
    return actions.error();
  setActivity("applying tactics");
  std::unique_ptr<Plan> plan;
  Result<ScheduleOutcome> outcome = clock.run("tactics", [&] {
    std::vector<std::string> parts = collectAxes(*actions);
    llvm::append_range(parts, collectAxes(file.reductions));
    plan = std::make_unique<Plan>(program, refineAxes(mesh, program.graph, parts));
    return replayActions(*actions, program.names, plan->assignment, afterTactic);
  });
  plan->reductions = std::move(file.reductions);
  plan->pieced = std::move(file.pieced);
  plan->rotatedNames = std::move(file.rotated);
  plan->schedule = std::move(file.schedule);
  plan->existing = std::move(existing);
  return finish(std::move(plan), std::move(outcome), clock);
}

PlanPtr buildWithoutReductions(const Plan &plan) {
  auto plain = std::make_unique<Plan>(plan.program, Axes(plan.axes));
  plain->existing = plan.existing;
  Result<ScheduleOutcome> outcome = replayActions(plan.outcome.actions, plan.program.names, plain->assignment, nullptr);
  StageClock clock(/*prints=*/false);
  Result<PlanPtr> made = finish(std::move(plain), std::move(outcome), clock);
  assert(made && "actions that were applied before");
  return std::move(*made);
}

static Result<PlanPtr> buildWithActions(const Plan &plan, std::vector<PiecedCollective> pieced,
                                        std::vector<RotatedCollective> rotated) {
  auto other = std::make_unique<Plan>(plan.program, Axes(plan.axes));
  other->schedule = plan.schedule;
  other->existing = plan.existing;
  other->reductions = plan.reductions;
  other->pieced = std::move(pieced);
  other->rotatedNames = std::move(rotated);
  Result<ScheduleOutcome> outcome = replayActions(plan.outcome.actions, plan.program.names, other->assignment, nullptr);
  if (outcome)
    *outcome = plan.outcome;
  StageClock clock(/*prints=*/false);
  return finish(std::move(other), std::move(outcome), clock);
}

Result<PlanPtr> buildWithPieces(const Plan &plan, std::vector<PiecedCollective> pieced) {
  return buildWithActions(plan, std::move(pieced), plan.rotatedNames);
}

Result<PlanPtr> buildRotated(const Plan &plan, std::vector<RotatedCollective> rotated) {
  return buildWithActions(plan, plan.pieced, std::move(rotated));
}

void addCollectives(const Assignment &assignment, TacticReport &report) {
  ReshardPlanner planner(assignment.getAxes());
  Reshards reshards = buildReshards(assignment, planner);
  for (const CollectiveCount &count : countCollectives(assignment, planner, reshards))
    report.collectives.push_back({getName(count.kind).str(),
                                  llvm::join(getNames(assignment.getAxes(), count.axes), ","), count.count,
                                  count.payloadBytes});
}

} // namespace partita::cost
