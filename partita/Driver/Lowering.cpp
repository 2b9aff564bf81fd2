//===- Lowering.cpp - the local program of a plan that was made -----------===//

#include "partita/Driver/Lowering.h"

#include "partita/Cost/LoopRotation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partita::driver {

/// The plan without these among what it rotates.
static Result<PlanPtr> keepInIterations(const Plan &plan, llvm::ArrayRef<ReshardId> refused) {
  std::vector<RotatedCollective> rotated;
  for (ReshardId id : plan.rotated) {
    RotatedCollective name = describeRotated(plan.reshards[id], plan.getGraph(), plan.program.names);
    if (!llvm::is_contained(refused, id))
      rotated.push_back(std::move(name));
    else
      llvm::errs() << "partita: note: the collective of '" << name.value
                   << "' stays in its iteration: its loop, as it is lowered, cannot be rotated\n";
  }
  return buildRotated(plan, std::move(rotated));
}

Result<LocalProgram> lowerMade(MadePlan &made, ModuleOp planned, StageClock &clock) {
  while (true) {
    Result<LocalProgram> local =
        clock.run("lower", [&] { return lowerPlan(planned, *made.variant.flattened, *made.plan); });
    if (!local || local->refused.empty())
      return local;
    Result<PlanPtr> less = keepInIterations(*made.plan, local->refused);
    if (!less)
      return less.error();
    made.plan = std::move(*less);
  }
}

} // namespace partita::driver
