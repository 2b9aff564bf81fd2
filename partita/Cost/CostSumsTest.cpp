//===- CostSumsTest.cpp - the longest paths through slots, by hand --------===//

#include "partita/Cost/CostSums.h"

#include <gtest/gtest.h>

namespace partita::cost {
namespace {

struct Kernel {
  int64_t computePs = 0, exposedPs = 0, gatheredPs = 0, latePs = 0;
  /// Of what is gathered.
  int64_t bytes = 0;
};

SegmentPaths makePaths(const Kernel &kernel, int64_t exposedPs) {
  return SegmentPaths::ofKernel(kernel.computePs, exposedPs, exposedPs, {kernel.gatheredPs, kernel.bytes},
                                kernel.latePs);
}

/// The time of a region of these kernels.
int64_t computeTimePs(std::initializer_list<Kernel> kernels) {
  RegionClock clock;
  int64_t network = 0;
  for (const Kernel &each : kernels) {
    clock.append(makePaths(each, each.exposedPs));
    network += each.exposedPs + each.gatheredPs + each.latePs;
  }
  return std::max(clock.getEnd(), network);
}

/// The same where what compute waits for, which stands behind the kernel, is a fence; in blocks of so many kernels.
int64_t computeFencedPs(std::initializer_list<Kernel> kernels, int64_t combineBytes = 0, size_t blockSize = 1) {
  RegionClock clock;
  BlockPaths block;
  size_t size = 0;
  for (const Kernel &each : kernels) {
    if (combineBytes > 0 && !block.hasFence)
      clock.batch.add({each.gatheredPs, each.bytes}, combineBytes);
    block.append(makePaths(each, 0), combineBytes);
    if (each.exposedPs > 0)
      block.addFence(each.exposedPs, each.exposedPs);
    if (++size % blockSize != 0 && size != kernels.size())
      continue;
    clock.append(block);
    block = {};
  }
  clock.endSegment();
  return clock.getEnd();
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

TEST(CostSums, GathersBeginBehindTheFenceBeforeTheirKernel) {
  std::initializer_list<Kernel> kernels = {{10, 2, 0, 0}, {10, 0, 4, 0}, {10, 3, 4, 0}, {10, 0, 5, 0}};
  EXPECT_EQ(computeTimePs(kernels), 10 + 2 + 10 + 10 + 3 + 10);
  // The second gather hides behind the kernel before it, the others have a fence in front.
  for (size_t blockSize : {1, 2, 3, 4})
    EXPECT_EQ(computeFencedPs(kernels, 0, blockSize), 10 + 2 + (4 + 10) + 10 + 3 + (5 + 10));
}

TEST(CostSums, ReductionsPassFences) {
  for (size_t blockSize : {1, 2, 3})
    EXPECT_EQ(computeFencedPs({{10, 0, 0, 30}, {10, 2, 0, 0}, {10, 0, 0, 0}}, 0, blockSize), 10 + 30 + 2);
}

TEST(CostSums, AFenceOfGathersHoldsBackNothingElse) {
  BlockPaths block;
  block.append(makePaths({10, 0, 4, 30}, 0), 0);
  block.addFence(0, 0);
  block.append(makePaths({10, 0, 5, 0}, 0), 0);
  RegionClock clock;
  clock.append(block);
  clock.endSegment();
  // The second gather begins at 14; the reduction runs from there to 44.
  EXPECT_EQ(clock.compute, (4 + 10) + (5 + 10));
  EXPECT_EQ(clock.getEnd(), 4 + 10 + 30);
}

TEST(CostSums, TheFirstGatherOfASegmentEndsWithTheFirstBatch) {
  std::initializer_list<Kernel> kernels = {{10, 0, 4, 0, 50}, {10, 2, 4, 0, 50}, {10, 0, 3, 0, 50}, {10, 0, 3, 0, 50}};
  for (size_t blockSize : {1, 2, 3, 4}) {
    EXPECT_EQ(computeFencedPs(kernels, 0, blockSize), (4 + 10 + 10) + 2 + (3 + 10 + 10));
    EXPECT_EQ(computeFencedPs(kernels, 100, blockSize), (8 + 10 + 10) + 2 + (6 + 10 + 10));
    // There is room for one, and none for the next.
    EXPECT_EQ(computeFencedPs(kernels, 75, blockSize), (4 + 10 + 10) + 2 + (3 + 10 + 10));
  }
}

TEST(CostSums, ABatchEndsWhereOneHasNoRoom) {
  CollectiveBatch batch;
  for (JoinedCollectives next : {JoinedCollectives{2, 200}, {1, 10}, {1, 90}, {1, 5}})
    batch.add(next, 100);
  // The first always takes part.
  EXPECT_EQ(batch.getTimePs(), 2);
  CollectiveBatch other;
  for (JoinedCollectives next : {JoinedCollectives{1, 10}, {1, 90}, {1, 5}})
    other.add(next, 100);
  EXPECT_EQ(other.getTimePs(), 2);
  CollectiveBatch many;
  EXPECT_EQ(many.addMany({3, 30}, 9, 100), 3);
  EXPECT_EQ(many.getTimePs(), 9);
}

/// The time of a region of these kernels, each issued in so long.
int64_t computeIssuedTimePs(int64_t issuePs, std::initializer_list<Kernel> kernels) {
  IssuedPaths issued;
  for (const Kernel &each : kernels) {
    SegmentPaths paths = makePaths(each, each.exposedPs);
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
