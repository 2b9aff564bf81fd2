//===- RandomPrograms.cpp - collectives of a random plan in steps ---------===//

#include "partita/Fuzz/RandomPrograms.h"

#include "partita/Cost/StepPrograms.h"
#include "partita/Machine/Reduce/Synthesis.h"

#include <random>

namespace partita::fuzz {

/// A program of `goal` over these axes that keeps the order of pieces, or of an exchange, which changes it on the way;
/// the collective itself if there is no other.
static CollectiveProgram drawProgram(StepKind goal, std::vector<std::string> axes, Synthesizer &synthesizer,
                                     std::mt19937_64 &random) {
  std::vector<ReductionProgram> listed = synthesizer.list(goal, axes.size(), 40);
  bool isExchange = goal == StepKind::AllToAll;
  llvm::erase_if(listed, [&](const ReductionProgram &each) { return each.isReordered && !isExchange; });
  CollectiveProgram program;
  program.goal = goal;
  program.axes = std::move(axes);
  std::vector<ReductionStep> steps = listed[random() % listed.size()].steps;
  // Plans exchange minor axes first.
  if (isExchange)
    llvm::sort(steps, [](const ReductionStep &a, const ReductionStep &b) { return a.factors > b.factors; });
  for (const ReductionStep &step : steps) {
    program.steps.push_back({step.kind, {}});
    for (uint32_t factor : step.factors)
      program.steps.back().axes.push_back(program.axes[factor]);
  }
  return program;
}

std::vector<StepProgram> drawPrograms(const Axes &axes, uint64_t seed) {
  std::mt19937_64 random(seed);
  Synthesizer synthesizer;
  std::vector<StepProgram> programs;
  auto add = [&](llvm::ArrayRef<StepKind> goals, const std::vector<std::string> &list) {
    for (StepKind goal : goals)
      // Some programs of three axes mix the order of pieces on the way, and are no steps of a plan.
      if (Result<std::vector<StepProgram>> bound = bindPrograms(drawProgram(goal, list, synthesizer, random), axes))
        llvm::append_range(programs, *bound);
  };
  std::vector<std::string> names;
  for (AxisId axis : idRange<AxisId>(axes.size()))
    names.push_back(axes.getName(axis));
  auto addAll = [&](llvm::ArrayRef<StepKind> goals) {
    for (const std::string &a : names)
      for (const std::string &b : names) {
        if (a == b)
          continue;
        add(goals, {a, b});
        for (const std::string &c : names)
          if (c != a && c != b)
            add(goals, {a, b, c});
      }
  };
  addAll({StepKind::AllReduce, StepKind::ReduceScatter, StepKind::AllGather});
  addAll({StepKind::AllToAll});
  return programs;
}

int64_t countInSteps(const ReshardPlanner &planner) {
  ReshardPlanner plain(planner.getAxes());
  int64_t count = 0;
  for (uint32_t id = 0; id < planner.size(); ++id) {
    const ReshardPlan &plan = planner[ReshardPlanId(id)];
    count += plan.steps != plain.plan(plan.shape, plan.elementBits, plan.from, plan.to).steps;
  }
  return count;
}

} // namespace partita::fuzz
