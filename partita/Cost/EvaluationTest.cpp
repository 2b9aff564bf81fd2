//===- EvaluationTest.cpp - what an assignment costs ----------------------===//

#include "partita/Cost/Evaluation.h"
#include "partita/Machine/Presets.h"
#include "partita/Propagate/TestProgram.h"

namespace partita {
namespace {

TEST(Evaluation, SplittingTakesLess) {
  TestProgram program("x=2,y=4");
  CellId x = program.argument({8, 4}), w = program.argument({4, 6});
  CellId h = program.op({x, w}, {8, 6}, "([a,b],[b,c])->([a,c]) reduce(add)={b}");
  program.result(h);
  Machine machine = *buildPreset("h100-sxm:1x8");
  auto &state = program.state();
  Placement placement = *placeRowMajor(state.axes.mesh, machine);
  LiveTimes liveTimes(state.topology);
  CostModel model(state.topology, state.axes, machine, placement, {}, liveTimes);
  ReshardPlanner planner(state.axes);
  CostTracker tracker(model, state.assignment, planner);
  Cost before = tracker.getCost();
  size_t assignmentMark = state.assignment.mark(), mark = tracker.mark();
  program.tile(x, 0, "x");
  EXPECT_LT(tracker.update().peakBytes, before.peakBytes);
  EXPECT_EQ(tracker.getCost(), evaluateCost(model, state.assignment, planner));
  state.assignment.rollback(assignmentMark);
  tracker.rollback(mark);
  EXPECT_EQ(tracker.getCost(), before);
  EXPECT_EQ(tracker.update(), before);
}

} // namespace
} // namespace partita
