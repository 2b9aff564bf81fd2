//===- CostSumsTest.cpp - the longest paths through slots, by hand --------===//

#include "partita/Cost/CostSums.h"

#include <gtest/gtest.h>

namespace partita::cost {
namespace {

struct Kernel {
  int64_t computePs = 0, exposedPs = 0, gatheredPs = 0, latePs = 0;
};

/// The time of a region of these kernels.
int64_t computeTimePs(std::initializer_list<Kernel> kernels) {
  SlotPaths all;
  for (const Kernel &each : kernels)
    all.append(SlotPaths::ofKernel(each.computePs, each.exposedPs, each.exposedPs, each.gatheredPs, each.latePs));
  return std::max({all.compute, all.gatherCompute, all.computeReduce, all.gatherReduce, all.reduce, all.network});
}

TEST(CostSums, TheLastReductionHasNothingToHideBehind) {
  EXPECT_EQ(computeTimePs({{10, 0, 0, 4}, {10, 0, 0, 4}}), 10 + 10 + 4);
  EXPECT_EQ(computeTimePs({{10, 0, 0, 4}, {10, 0, 0, 0}}), 10 + 10);
}

TEST(CostSums, ReductionsQueueBehindTheirKernels) {
  // The first runs from 10 to 25; the second is issued at 20 and runs from 25 to 40.
  EXPECT_EQ(computeTimePs({{10, 0, 0, 15}, {10, 0, 0, 15}}), 10 + 15 + 15);
}

TEST(CostSums, TheFirstGatherHasNothingToHideBehind) {
  EXPECT_EQ(computeTimePs({{10, 0, 4, 0}, {10, 0, 4, 0}}), 4 + 10 + 10);
  // The second gather ends at 19, when the first kernel has long ended.
  EXPECT_EQ(computeTimePs({{10, 0, 4, 0}, {10, 0, 15, 0}}), 4 + 15 + 10);
  EXPECT_EQ(computeTimePs({{10, 0, 4, 0}, {10, 0, 4, 6}}), 4 + 10 + 10 + 6);
}

TEST(CostSums, WhatComputeWaitsForStopsTheOthers) {
  // The reduction of 6 runs from 10 on, is stopped from 15 to 18, and ends at 19, before compute does at 23.
  EXPECT_EQ(computeTimePs({{10, 0, 0, 6}, {5, 3, 0, 0}, {5, 0, 0, 0}}), 10 + 5 + 3 + 5);
  // It does not hide behind what the network does itself.
  EXPECT_EQ(computeTimePs({{10, 0, 0, 6}, {0, 8, 0, 0}}), 10 + 8 + 6);
}

TEST(CostSums, ANetworkThatIsNeverIdleSetsThePace) {
  EXPECT_EQ(computeTimePs({{1, 2, 10, 10}, {1, 2, 10, 10}}), 2 * (2 + 10 + 10));
}

TEST(CostSums, AKernelMayWaitForABatchOfGathersAndComputeForOneOfReductions) {
  auto compute = [](int64_t otherGatheredPs, int64_t lateBatchPs) {
    SlotPaths first = SlotPaths::ofKernel(10, 0, 0, 4, 0), last = SlotPaths::ofKernel(10, 0, 0, 4, 6);
    first.addBatches(otherGatheredPs, 0);
    last.addBatches(0, lateBatchPs);
    first.append(last);
    first.append(SlotPaths::ofKernel(20, 0, 0, 0, 0));
    return std::max(first.gatherReduce, first.network);
  };
  // What follows hides the reduction.
  EXPECT_EQ(compute(0, 0), 4 + 10 + 10 + 20);
  // The second gather is in the batch of the first.
  EXPECT_EQ(compute(4, 0), 4 + 4 + 10 + 10 + 20);
  EXPECT_EQ(compute(4, 6), 4 + 4 + 10 + 10 + 6 + 20);
}

/// The time of a region of these kernels, each issued in so long.
int64_t computeIssuedTimePs(int64_t issuePs, std::initializer_list<Kernel> kernels) {
  IssuedPaths issued;
  for (const Kernel &each : kernels) {
    SlotPaths paths = SlotPaths::ofKernel(each.computePs, each.exposedPs, each.exposedPs, each.gatheredPs, each.latePs);
    issued.append(IssuedPaths::ofKernel(issuePs, paths), paths);
  }
  return std::max(computeTimePs(kernels), issued.getEnd());
}

TEST(CostSums, AHostThatIsSlowerThanTheDeviceSetsThePace) {
  EXPECT_EQ(computeIssuedTimePs(10, {{4, 0, 0, 0}, {4, 0, 0, 0}, {4, 0, 0, 0}}), 3 * 10 + 4);
  EXPECT_EQ(computeIssuedTimePs(10, {{4, 0, 0, 3}, {4, 0, 0, 0}, {4, 0, 0, 3}}), 3 * 10 + 4 + 3);
  // A gather is issued with the kernel that it is for.
  EXPECT_EQ(computeIssuedTimePs(10, {{4, 0, 0, 0}, {4, 0, 3, 0}}), 2 * 10 + 3 + 4);
}

TEST(CostSums, AHostThatIsAheadOnlyDelaysTheFirstKernel) {
  EXPECT_EQ(computeIssuedTimePs(1, {{10, 0, 0, 0}, {10, 0, 0, 0}}), 1 + 10 + 10);
  // The second is issued before the first ends; the third is not.
  EXPECT_EQ(computeIssuedTimePs(6, {{10, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}}), 3 * 6 + 1);
}

} // namespace
} // namespace partita::cost
