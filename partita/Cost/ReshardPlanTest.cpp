//===- ReshardPlanTest.cpp - chosen steps and sent bytes of reshards ------===//

#include "partita/Cost/ReshardPlan.h"

#include "partita/Cost/DeviceGroups.h"
#include "partita/Cost/ReshardPlanBuilder.h"

#include <gtest/gtest.h>

namespace partita::cost {
namespace {

const AxisId x(0), y(1), z(2);

PartialSharding sharding(std::initializer_list<DimAxes> dims, std::initializer_list<AxisId> partial = {},
                         Combiner combiner = Combiner::Add) {
  PartialSharding sharding;
  sharding.sharding.dims.assign(dims.begin(), dims.end());
  sharding.partial.assign(partial.begin(), partial.end());
  sharding.combiner = sharding.partial.empty() ? Combiner::None : combiner;
  return sharding;
}

class ReshardPlanTest : public testing::Test {
protected:
  /// x=2, y=4, z=4.
  Axes axes = makeAxes(*parseMesh("x=2,y=4,z=4"));
  ReshardPlanner planner{axes};
  const llvm::SmallVector<int64_t> vector{64}, matrix{64, 64};

  std::string steps(llvm::ArrayRef<int64_t> shape, const PartialSharding &from, const PartialSharding &to) {
    return printSteps(axes, planner.plan(shape, 32, from, to));
  }
};

/// Paths are shared by shapes that are resharded alike, which must not change any plan.
TEST_F(ReshardPlanTest, KnownPathsAreThoseOfASearch) {
  std::vector<PartialSharding> shardings{sharding({{}, {}}),       sharding({{x}, {}}),       sharding({{}, {x}}),
                                         sharding({{y}, {}}),      sharding({{}, {y}}),       sharding({{x, y}, {}}),
                                         sharding({{y, x}, {}}),   sharding({{y}, {x}}),      sharding({{x}, {z}}),
                                         sharding({{z}, {y}}),     sharding({{}, {}}, {y}),   sharding({{x}, {}}, {y}),
                                         sharding({{}, {z}}, {x}), sharding({{}, {}}, {x, z})};
  for (const llvm::SmallVector<int64_t> &shape : std::vector<llvm::SmallVector<int64_t>>{
           {8, 8}, {64, 64}, {192, 64}, {4096, 40}, {8, 12}, {24, 20}, {8, 1000}, {64, 8}})
    for (uint32_t bits : {1u, 8u, 32u})
      for (const PartialSharding &from : shardings)
        for (const PartialSharding &to : shardings) {
          auto isSplit = [&](const PartialSharding &each) {
            int64_t parts[2] = {1, 1};
            for (size_t dim : {0, 1})
              for (AxisId axis : each.sharding.dims[dim])
                parts[dim] *= axes[axis].size;
            return shape[0] % parts[0] == 0 && shape[1] % parts[1] == 0;
          };
          auto isIn = [&](AxisId axis) { return llvm::is_contained(from.partial, axis); };
          if (!isSplit(from) || !isSplit(to) || !llvm::all_of(to.partial, isIn))
            continue;
          ReshardPlanner fresh(axes);
          const ReshardPlan &known = planner.plan(shape, bits, from, to), &searched = fresh.plan(shape, bits, from, to);
          ASSERT_EQ(printSteps(axes, known), printSteps(axes, searched));
          ASSERT_EQ(known.sentBits, searched.sentBits);
          ASSERT_EQ(known.peakTemporaryBits, searched.peakTemporaryBits);
        }
}

TEST_F(ReshardPlanTest, EqualShardingsNeedNothing) {
  const ReshardPlan &plan = planner.plan(vector, 32, sharding({{x}}, {y}), sharding({{x}}, {y}));
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_TRUE(plan.isLocal());
}

TEST_F(ReshardPlanTest, SlicesAreFree) {
  const ReshardPlan &plan = planner.plan(matrix, 32, sharding({{}, {}}), sharding({{x, y}, {}}));
  EXPECT_EQ(printSteps(axes, plan), "all_slice {x, y} 0");
  EXPECT_EQ(plan.sentBits, 0);
  EXPECT_EQ(plan.steps[0].payloadBytes, 0);
  EXPECT_TRUE(plan.isLocal());
}

TEST_F(ReshardPlanTest, SeveralAxesAreGatheredAtOnce) {
  const ReshardPlan &plan = planner.plan(vector, 32, sharding({{x, y}}), sharding({{}}));
  EXPECT_EQ(printSteps(axes, plan), "all_gather {x, y} 0");
  // 64 * 4 bytes come together; 7/8 of them are sent on.
  EXPECT_EQ(plan.steps[0].payloadBytes, 256);
  EXPECT_EQ(plan.getSentBytes(), 224);
}

TEST_F(ReshardPlanTest, SumsThatAreWantedInPiecesAreScattered) {
  const ReshardPlan &plan = planner.plan(vector, 32, sharding({{}}, {y}), sharding({{y}}));
  EXPECT_EQ(printSteps(axes, plan), "reduce_scatter {y} 0");
  EXPECT_EQ(plan.steps[0].payloadBytes, 256);
  EXPECT_EQ(plan.getSentBytes(), 192);
}

TEST_F(ReshardPlanTest, SumsThatAreWantedWholeAreReducedAtOnce) {
  const ReshardPlan &plan = planner.plan(vector, 32, sharding({{}}, {x, y}), sharding({{}}));
  EXPECT_EQ(printSteps(axes, plan), "all_reduce {x, y}");
  // 2 * 7/8 of 256.
  EXPECT_EQ(plan.getSentBytes(), 448);
  EXPECT_EQ(plan.peakTemporaryBits, 0);
}

TEST_F(ReshardPlanTest, WhatTheUseTakesPartialStaysPartial) {
  EXPECT_EQ(steps(vector, sharding({{}}, {x, y}), sharding({{}}, {x})), "all_reduce {y}");
  EXPECT_EQ(steps(vector, sharding({{z}}, {x}), sharding({{}}, {x})), "all_gather {z} 0");
}

TEST_F(ReshardPlanTest, OtherCombinersAreScatteredToo) {
  EXPECT_EQ(steps(vector, sharding({{}}, {x}, Combiner::Maximum), sharding({{x}})), "reduce_scatter {x} 0");
}

TEST_F(ReshardPlanTest, WhatIsSlicedAnywayIsSlicedBeforeItIsReduced) {
  const ReshardPlan &plan = planner.plan(matrix, 32, sharding({{}, {}}, {y}), sharding({{x}, {}}));
  EXPECT_EQ(printSteps(axes, plan), "all_slice {x} 0; all_reduce {y}");
}

TEST_F(ReshardPlanTest, AnAxisThatMovesToAnotherDimIsExchanged) {
  const ReshardPlan &plan = planner.plan(matrix, 32, sharding({{y}, {}}), sharding({{}, {y}}));
  EXPECT_EQ(printSteps(axes, plan), "all_to_all {y} 0 -> 1");
  // A piece has 16 * 64 * 4 bytes; a quarter of it stays.
  EXPECT_EQ(plan.steps[0].payloadBytes, 4096);
  EXPECT_EQ(plan.getSentBytes(), 3072);
}

TEST_F(ReshardPlanTest, AnOtherOrderOrAnEqualAxisIsAPermute) {
  EXPECT_EQ(steps(vector, sharding({{x, y}}), sharding({{y, x}})), "collective_permute {x, y} [{y, x}]");
  EXPECT_EQ(steps(vector, sharding({{y}}), sharding({{z}})), "collective_permute {y, z} [{z}]");
  EXPECT_EQ(steps(matrix, sharding({{y}, {z}}), sharding({{z}, {y}})), "collective_permute {y, z} [{z}, {y}]");
}

TEST_F(ReshardPlanTest, AMajorAxisIsBroughtToTheEndAndGathered) {
  const ReshardPlan &plan = planner.plan(vector, 32, sharding({{x, y}}), sharding({{y}}));
  EXPECT_EQ(printSteps(axes, plan), "collective_permute {x, y} [{y, x}]; all_gather {x} 0");
  // A piece of 32 bytes is sent twice: once to its target, once to the one neighbor along x.
  EXPECT_EQ(plan.getSentBytes(), 64);
}

TEST_F(ReshardPlanTest, AxesThatStayInFrontAreLeftAlone) {
  EXPECT_EQ(steps(matrix, sharding({{x, y}, {}}), sharding({{x}, {y}})), "all_to_all {y} 0 -> 1");
}

TEST_F(ReshardPlanTest, NothingIsSplitWhereItDoesNotDivide) {
  // Three rows cannot take x: no exchange, no scatter.
  llvm::SmallVector<int64_t> shape{3, 64};
  EXPECT_EQ(steps(shape, sharding({{}, {x}}), sharding({{}, {}})), "all_gather {x} 1");
  EXPECT_EQ(steps({}, sharding({}, {x, y}), sharding({})), "all_reduce {x, y}");
}

TEST_F(ReshardPlanTest, SubAxesMoveAlone) {
  Axes split = makeAxes(*parseMesh("m=4,n=2"));
  // m is refined into m:(1)2 and m:(2)2.
  split.list = {};
  split.list.push_back({0, 1, 2, 4});
  split.list.push_back({0, 2, 2, 2});
  split.list.push_back({1, 1, 2, 1});
  ReshardPlanner planner(split);
  EXPECT_EQ(printSteps(split, planner.plan(matrix, 32, sharding({{x, y}, {}}), sharding({{x}, {}}))),
            "all_gather {m:(2)2} 0");
  EXPECT_EQ(printSteps(split, planner.plan(matrix, 32, sharding({{x, y}, {}}), sharding({{}, {x, y}}))),
            "all_to_all {m} 0 -> 1");
}

TEST_F(ReshardPlanTest, PlansAreKept) {
  ReshardPlanId first = planner.find(vector, 32, sharding({{x}}), sharding({{}}));
  EXPECT_EQ(planner.find(vector, 32, sharding({{x}}), sharding({{}})), first);
  EXPECT_NE(planner.find(vector, 16, sharding({{x}}), sharding({{}})), first);
  EXPECT_EQ(planner.size(), 2u);
}

TEST_F(ReshardPlanTest, ManyAxesArePlannedWithoutSearch) {
  Axes many = makeAxes(*parseMesh("a=2,b=2,c=2,d=2,e=2,f=2,g=2,h=2"));
  ReshardPlanner planner(many);
  llvm::SmallVector<int64_t> shape{256, 256};
  DimAxes all, reversed;
  for (AxisId axis : idRange<AxisId>(8))
    all.push_back(axis);
  reversed.assign(all.rbegin(), all.rend());
  EXPECT_EQ(printSteps(many, planner.plan(shape, 32, sharding({all, {}}), sharding({{}, all}))),
            "all_to_all {a, b, c, d, e, f, g, h} 0 -> 1");
  const ReshardPlan &plan = planner.plan(shape, 32, sharding({all, {}}), sharding({{}, reversed}));
  EXPECT_EQ(plan.steps.back().after, plan.to);
}

TEST(DeviceGroupsTest, GroupsRunOverTheFirstAxisSlowest) {
  Axes axes = makeAxes(*parseMesh("x=2,y=2"));
  using Groups = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(computeGroups(axes, {x}), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(computeGroups(axes, {x, y}), (Groups{{0, 1, 2, 3}}));
  EXPECT_EQ(computeGroups(axes, {y, x}), (Groups{{0, 2, 1, 3}}));
  EXPECT_EQ(computeSources(axes, sharding({{x, y}}).sharding, sharding({{y, x}}).sharding),
            (std::vector<int64_t>{0, 2, 1, 3}));
}

} // namespace
} // namespace partita::cost
