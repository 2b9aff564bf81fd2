//===- PlanFrontTest.cpp - tests of the front of time and memory ----------===//

#include "partita/Search/PlanFront.h"

#include "gtest/gtest.h"

using namespace partita;
using namespace partita::search;

static std::vector<std::pair<int64_t, int64_t>> listCosts(const PlanFront &front, size_t most = 8) {
  std::vector<std::pair<int64_t, int64_t>> costs;
  for (const FrontEntry &entry : front.list(most))
    costs.emplace_back(entry.timePs, entry.peakBytes);
  return costs;
}

using Costs = std::vector<std::pair<int64_t, int64_t>>;

TEST(PlanFront, KeepsWhatNothingBeats) {
  PlanFront front;
  front.add(10, 100, {});
  front.add(20, 50, {});
  front.add(15, 120, {}); // Slower and larger than the first.
  front.add(20, 50, {MoveId(1)});
  EXPECT_EQ(listCosts(front), (Costs{{10, 100}, {20, 50}}));
  EXPECT_TRUE(front.list(8)[1].moves.empty()) << "the first of equals stays";
}

TEST(PlanFront, DropsWhatIsBeatenLater) {
  PlanFront front;
  front.add(10, 100, {});
  front.add(20, 50, {});
  front.add(30, 40, {});
  front.add(9, 45, {});
  EXPECT_EQ(listCosts(front), (Costs{{9, 45}, {30, 40}}));
  front.add(9, 30, {});
  EXPECT_EQ(listCosts(front), (Costs{{9, 30}}));
}

TEST(PlanFront, ChoosesSomeOfMany) {
  PlanFront front;
  for (int64_t i = 0; i < 10; ++i)
    front.add(i, 100 - i, {});
  EXPECT_EQ(listCosts(front, 4), (Costs{{0, 100}, {3, 97}, {6, 94}, {9, 91}}));
}
