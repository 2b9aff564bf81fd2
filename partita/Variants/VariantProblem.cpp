//===- VariantProblem.cpp - what is planned, and what may be done to it ---===//

#include "partita/Variants/VariantProblem.h"

#include "partita/Machine/PlacementMatrix.h"

namespace partita::variants {

Result<PricePtr> priceSchedule(const VariantProblem &problem, const VariantProgram &program, const Schedule &schedule,
                               PlanPtr &plan) {
  const SearchSetting &setting = *problem.setting;
  StageClock silent(false);
  Result<PlanPtr> built = buildPlan(*program.program, problem.mesh, schedule, program.existing, silent);
  if (!built)
    return built.error();
  Result<Placement> placement = findPlacement(setting.placement, problem.mesh, setting.machine);
  if (!placement)
    return placement.error();
  plan = std::move(*built);
  return pricePlan(*plan, {setting.machine, std::move(*placement), setting.cost});
}

Result<VariantProgram> prepareBound(const VariantProblem &problem, PlanSource source) {
  Result<VariantProgram> program = prepareVariant(problem.module, std::move(source), problem.flatten);
  if (!program)
    return program;
  if (auto bound = bindMesh(*program, problem.mesh, problem.setting->cost.assumedTrips); !bound)
    return bound.error();
  return program;
}

} // namespace partita::variants
