//===- CollectiveBatchesTest.cpp - collectives that run as one ------------===//

#include "partita/Simulate/CollectiveBatches.h"

#include <gtest/gtest.h>

namespace partita::simulate {
namespace {

const std::vector<CollectiveTask> tasks = {{3, 4}, {5, 4}, {6, 20}, {8, 1}, {9, 8}};

TEST(CollectiveBatches, NeighborsAreJoinedUpToTheLimit) {
  EXPECT_EQ(joinCollectives(tasks, 10, BatchOrder::FirstIsFull), (std::vector<Batch>{{3, 5}, {6}, {8, 9}}));
  EXPECT_EQ(joinCollectives(tasks, 8, BatchOrder::FirstIsFull), (std::vector<Batch>{{3, 5}, {6}, {8}, {9}}));
}

TEST(CollectiveBatches, TheLastOneIsFull) {
  EXPECT_EQ(joinCollectives({{0, 4}, {1, 4}, {2, 4}}, 8, BatchOrder::FirstIsFull), (std::vector<Batch>{{0, 1}, {2}}));
  EXPECT_EQ(joinCollectives({{0, 4}, {1, 4}, {2, 4}}, 8, BatchOrder::LastIsFull), (std::vector<Batch>{{0}, {1, 2}}));
}

TEST(CollectiveBatches, ABatchIsOfOneSegment) {
  EXPECT_EQ(joinCollectives({{0, 1, 0}, {1, 1, 0}, {2, 1, 4}, {3, 1, 4}}, 8, BatchOrder::FirstIsFull),
            (std::vector<Batch>{{0, 1}, {2, 3}}));
}

TEST(CollectiveBatches, WithoutALimitNothingIsJoined) {
  EXPECT_EQ(joinCollectives({{0, 4}, {1, 4}}, 0, BatchOrder::LastIsFull), (std::vector<Batch>{{0}, {1}}));
  EXPECT_TRUE(joinCollectives({}, 8, BatchOrder::FirstIsFull).empty());
}

} // namespace
} // namespace partita::simulate
