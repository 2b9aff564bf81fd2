//===- RandomRotationTest.cpp - collectives in other iterations -----------===//

#include "partita/Fuzz/RandomRotation.h"

#include "partita/Cost/CarriedReductions.h"
#include "partita/Fuzz/Case.h"
#include "partita/Lower/LocalProgram.h"
#include "partita/Schedule/Tactics.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace partita::fuzz {

static bool isRewritten(const Case &input) {
  return !input.remat.recompute.empty() || !input.remat.keep.empty() || input.microbatches.count > 1 ||
         input.pipeline.stages > 0 || input.padding || input.reorder;
}

/// Reductions and gathers of loops' bodies of which Cost says that they cannot be in other iterations.
static std::set<ReshardId> listFixed(const Assignment &assignment, const ReshardPlanner &planner,
                                     const Reshards &reshards) {
  const Graph &graph = assignment.getGraph();
  std::set<ReshardId> fixed;
  for (ReshardId id : idRange<ReshardId>(reshards.size())) {
    const Reshard &reshard = reshards[id];
    const ReshardPlan &plan = planner[reshard.plan];
    bool isInBody = reshard.op.isValid() && graph.ops[reshard.op].region == reshard.region &&
                    graph.regions[reshard.region].kind == RegionKind::LoopBody && !reshard.source.isValid();
    bool isOne = plan.from.partial.empty() ? reshard.position == ReshardPosition::BeforeUse
                                           : reshard.position == ReshardPosition::AfterDefinition &&
                                                 plan.to.partial.empty() && onlyReduces(plan);
    if (isInBody && isOne && !plan.steps.empty() && !mayRotate(assignment, planner, reshards, id) &&
        !mayCarry(assignment, planner, reshards, id))
      fixed.insert(id);
  }
  return fixed;
}

/// A plan may be wrong about its loops. What cannot be rotated stays, and the program computes the same.
TEST(RandomRotation, WhatLoopsDoNotAllowIsRefused) {
  std::unique_ptr<MLIRContext> context = makeFuzzContext();
  int64_t tried = 0, refused = 0;
  for (uint64_t seed = 0; tried < 60; ++seed) {
    Result<Case> input = drawsGradients(seed) ? makeCase(seed, *context) : Result<Case>(Error::usage(""));
    if (!input || isRewritten(*input))
      continue;
    Result<Flattened> flattened = flatten(*input->module, FlattenOptions());
    ASSERT_TRUE(bool(flattened));
    Result<Schedule> schedule = buildSchedule(input->tactics);
    ASSERT_TRUE(bool(schedule));
    Axes axes = refineAxes(input->mesh, flattened->graph, collectAxes(*schedule));
    Topology topology(flattened->graph);
    Assignment assignment(topology, axes);
    auto ignore = [](const Assignment &, TacticReport &) {};
    ASSERT_TRUE(bool(applySchedule(*schedule, CellNames(flattened->graph), assignment, ignore)));
    ReshardPlanner planner(axes);
    Reshards reshards = buildReshards(assignment, planner);
    std::set<ReshardId> fixed = listFixed(assignment, planner, reshards);
    if (fixed.empty())
      continue;
    Result<LocalProgram> local =
        lowerProgram(*input->module, *flattened, assignment, reshards, planner, ProductPieces(), fixed);
    ASSERT_TRUE(bool(local)) << local.error().reason;
    EXPECT_TRUE(llvm::all_of(local->refused, [&](ReshardId id) { return fixed.contains(id); }));
    ++tried;
    refused += static_cast<int64_t>(local->refused.size());
    LoweredCase lowered;
    lowered.local = std::move(local->module);
    // Some that Cost refuses are right all the same, and the static check cannot tell.
    input->relation = false;
    CaseOutcome outcome = judgeCase(*input, lowered);
    EXPECT_NE(outcome.verdict, Verdict::Wrong) << "seed " << seed << ": " << outcome.reason;
  }
  EXPECT_GE(refused, 60);
}

} // namespace partita::fuzz
