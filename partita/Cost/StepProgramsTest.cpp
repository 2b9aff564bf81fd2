//===- StepProgramsTest.cpp -----------------------------------------------===//

#include "partita/Cost/StepPrograms.h"

#include <gtest/gtest.h>

namespace partita::cost {
namespace {

using Step = CollectiveProgram::Step;

/// x=2 lies across nodes, y=4 inside of them.
class StepProgramsTest : public testing::Test {
protected:
  Axes axes = makeAxes(*parseMesh("x=2,y=4"));
  const AxisId x{0}, y{1};
  const CollectiveProgram inside{
      StepKind::AllReduce,
      {"x", "y"},
      0,
      INT64_MAX,
      {Step{StepKind::ReduceScatter, {"y"}}, Step{StepKind::AllReduce, {"x"}}, Step{StepKind::AllGather, {"y"}}}};

  PartialSharding makePartial(size_t rank) const { return {Sharding(rank), {x, y}, Combiner::Add}; }
  static PartialSharding makeWhole(size_t rank) { return {Sharding(rank), {}, Combiner::None}; }

  std::string run(const CollectiveProgram &program, llvm::ArrayRef<int64_t> shape) {
    Result<std::vector<StepProgram>> bound = bindPrograms(program, axes);
    EXPECT_TRUE(bound);
    ReshardPlanner planner(axes);
    planner.setPrograms(std::move(*bound));
    return printSteps(axes, planner.plan(shape, 32, makePartial(shape.size()), makeWhole(shape.size())));
  }
};

TEST_F(StepProgramsTest, ScattersAlongTheFirstDimThatDivides) {
  EXPECT_EQ(run(inside, {8, 8}), "reduce_scatter {y} 0; all_reduce {x}; all_gather {y} 0");
  EXPECT_EQ(run(inside, {6, 8}), "reduce_scatter {y} 1; all_reduce {x}; all_gather {y} 1");
  // Neither divides by 4, and a scalar has no dim.
  EXPECT_EQ(run(inside, {6, 7}), "all_reduce {x, y}");
  EXPECT_EQ(run(inside, {}), "all_reduce {x, y}");
  CollectiveProgram twice = inside;
  twice.steps = {{StepKind::AllReduce, {"y"}}, {StepKind::AllReduce, {"x"}}};
  EXPECT_EQ(run(twice, {}), "all_reduce {y}; all_reduce {x}");
}

TEST_F(StepProgramsTest, CountsTheStepsAsTheyAre) {
  Result<std::vector<StepProgram>> bound = bindPrograms(inside, axes);
  ASSERT_TRUE(bound);
  ReshardPlanner planner(axes);
  planner.setPrograms(std::move(*bound));
  const ReshardPlan &plan = planner.plan({64}, 32, makePartial(1), makeWhole(1));
  // Of 256 bytes: 3/4 are sent inside, then 2 x 1/2 of a quarter across, then 3/4 of the whole are received.
  ASSERT_EQ(plan.steps.size(), 3u);
  EXPECT_EQ(plan.steps[0].payloadBytes, 256);
  EXPECT_EQ(plan.steps[1].payloadBytes, 64);
  EXPECT_EQ(plan.steps[2].payloadBytes, 256);
  EXPECT_EQ(plan.getSentBytes(), 192 + 64 + 192);
  // The scattered sums before and behind the all_reduce.
  EXPECT_EQ(plan.peakTemporaryBits, 2 * 64 * 8);
}

TEST_F(StepProgramsTest, IsOfItsSizesAlone) {
  CollectiveProgram some = inside;
  some.leastBytes = 64;
  some.mostBytes = 128;
  EXPECT_EQ(run(some, {8}), "all_reduce {x, y}");
  EXPECT_EQ(run(some, {16}), "reduce_scatter {y} 0; all_reduce {x}; all_gather {y} 0");
  EXPECT_EQ(run(some, {32}), "reduce_scatter {y} 0; all_reduce {x}; all_gather {y} 0");
  EXPECT_EQ(run(some, {64}), "all_reduce {x, y}");
}

TEST_F(StepProgramsTest, ExchangesTheMinorAxesFirst) {
  CollectiveProgram exchange{
      StepKind::AllToAll, {"x", "y"}, 0, INT64_MAX, {Step{StepKind::AllToAll, {"y"}}, Step{StepKind::AllToAll, {"x"}}}};
  PartialSharding from = makeWhole(2), to = makeWhole(2);
  from.sharding.dims[0] = to.sharding.dims[1] = {x, y};
  Result<std::vector<StepProgram>> bound = bindPrograms(exchange, axes);
  ASSERT_TRUE(bound);
  ReshardPlanner planner(axes);
  planner.setPrograms(std::move(*bound));
  const ReshardPlan &plan = planner.plan({16, 16}, 32, from, to);
  EXPECT_EQ(printSteps(axes, plan), "all_to_all {y} 0 -> 1; all_to_all {x} 0 -> 1");
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps.back().after, to);
  EXPECT_EQ(countExchangeSteps(plan, 0), 2u);
  EXPECT_EQ(countExchangeSteps(plan, 1), 1u);
  // Of 128 bytes, 3/4 and then 1/2 are sent.
  EXPECT_EQ(plan.getSentBytes(), 96 + 64);
  // Plans without programs move axes behind those that are there.
  ReshardPlanner plain(axes);
  PartialSharding turned = to;
  turned.sharding.dims[1] = {y, x};
  const ReshardPlan &other = plain.plan({16, 16}, 32, from, turned);
  for (size_t number = 0; number < other.steps.size(); ++number)
    EXPECT_EQ(countExchangeSteps(other, number), 1u);
  // Pieces would come in the order [y, x].
  std::swap(exchange.steps[0], exchange.steps[1]);
  EXPECT_FALSE(bindPrograms(exchange, axes));
  exchange.steps = {{StepKind::AllToAll, {"y"}}};
  EXPECT_FALSE(bindPrograms(exchange, axes));
}

TEST_F(StepProgramsTest, RefusesWhatIsNotTheCollective) {
  auto refuse = [&](CollectiveProgram program) {
    program.location = {"plan.json", 3, 5};
    Result<std::vector<StepProgram>> bound = bindPrograms(program, axes);
    return bound ? "" : bound.error().str();
  };
  CollectiveProgram half = inside;
  half.steps.pop_back();
  EXPECT_EQ(refuse(half), "plan.json:3:5: error: these steps are not all_reduce over x, y: reduce_scatter over y; "
                          "all_reduce over x");
  // Over y the sums would be added twice.
  CollectiveProgram again = inside;
  again.steps = {{StepKind::AllReduce, {"x", "y"}}, {StepKind::AllReduce, {"y"}}};
  EXPECT_NE(refuse(again), "");
  CollectiveProgram other = inside;
  other.steps[0].axes = {"z"};
  EXPECT_NE(refuse(other).find("a reduction is over 'z', which is not an axis of the mesh x=2,y=4"), std::string::npos);
  CollectiveProgram part = inside;
  part.axes = {"x:(1)3", "y"};
  EXPECT_NE(refuse(part), "");
  CollectiveProgram doubled = inside;
  doubled.axes = {"x", "y", "x"};
  EXPECT_NE(refuse(doubled).find("named twice"), std::string::npos);
  // Pieces would come in the order [y, x].
  CollectiveProgram gather = inside;
  gather.goal = StepKind::AllGather;
  gather.steps = {{StepKind::AllGather, {"x"}}, {StepKind::AllGather, {"y"}}};
  EXPECT_NE(refuse(gather), "");
  gather.steps = {{StepKind::AllGather, {"y"}}, {StepKind::AllGather, {"x"}}};
  EXPECT_EQ(refuse(gather), "");
}

} // namespace
} // namespace partita::cost
