//===- PlacementMatrixTest.cpp --------------------------------------------===//

#include "partita/Machine/PlacementMatrix.h"

#include "partita/Machine/CollectivePrice.h"
#include "partita/Machine/Presets.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::machine;
using testing::ElementsAre;
using testing::Not;

static std::vector<std::string> list(llvm::StringRef meshText, llvm::StringRef machineText, bool areAxesAlike = false) {
  Mesh mesh = *parseMesh(meshText);
  Machine machine = *buildPreset(machineText);
  std::vector<std::string> texts;
  for (const Placement &placement : listPlacements(mesh, machine, areAxesAlike))
    texts.push_back(printPlacement(placement, mesh, machine));
  return texts;
}

TEST(PlacementMatrix, RowsAndColumnsMultiplyToTheirSizes) {
  std::vector<PlacementMatrix> matrices = listMatrices({4, 16}, {4, 16});
  ASSERT_EQ(matrices.size(), 3U);
  EXPECT_THAT(matrices[0], ElementsAre(ElementsAre(1, 4), ElementsAre(4, 4)));
  EXPECT_THAT(matrices[1], ElementsAre(ElementsAre(2, 2), ElementsAre(2, 8)));
  EXPECT_THAT(matrices[2], ElementsAre(ElementsAre(4, 1), ElementsAre(1, 16)));
}

TEST(PlacementMatrix, CountsOfOtherSizes) {
  EXPECT_EQ(listMatrices({64}, {4, 16}).size(), 1U);
  EXPECT_EQ(listMatrices({4, 4, 4}, {8, 8}).size(), 7U);
  EXPECT_EQ(listMatrices({2, 2, 4}, {1, 2, 2, 4}).size(), 7U);
  // 3 nodes of 8, which row-major cannot cut into 2 and 12.
  EXPECT_EQ(listMatrices({2, 12}, {3, 8}).size(), 1U);
  EXPECT_EQ(listMatrices({2, 2}, {8}).size(), 0U);
  EXPECT_EQ(listMatrices({32, 32, 32, 32}, {1024, 1024}, 5).size(), 5U);
  EXPECT_EQ(listMatrices({}, {}).size(), 1U);
}

TEST(PlacementMatrix, PlacementsBeginWithRowMajor) {
  EXPECT_THAT(list("model=8,data=4", "h100-sxm:4x8"),
              ElementsAre("model=node+nvlink:2,data=nvlink:4", "model=nvlink,data=node",
                          "model=node:2+nvlink:4,data=node:2+nvlink:2"));
  EXPECT_THAT(list("data=2,model=12", "h100-sxm:3x8"), ElementsAre("data=nvlink:2,model=node+nvlink:4"));
}

TEST(PlacementMatrix, WithoutTextAnyPlacementThatFits) {
  Mesh mesh = *parseMesh("data=2,model=3");
  Machine machine = *buildPreset("h100-sxm:3x2");
  EXPECT_FALSE(placeRowMajor(mesh, machine));
  Result<Placement> found = findPlacement("", mesh, machine);
  ASSERT_TRUE(found);
  EXPECT_EQ(printPlacement(*found, mesh, machine), "data=nvlink,model=node");
  // What is written is taken by its word.
  EXPECT_FALSE(findPlacement("data=node", mesh, machine));
  EXPECT_FALSE(findPlacement("", *parseMesh("data=2,model=2"), machine));
}

TEST(PlacementMatrix, SymmetricPlacementsAreMerged) {
  EXPECT_THAT(list("data=8", "h100-sxm:1x8"), ElementsAre("data=nvlink"));
  EXPECT_EQ(list("a=8,b=8", "h100-sxm:8x8").size(), 4U);
  EXPECT_EQ(list("a=8,b=8", "h100-sxm:8x8", /*areAxesAlike=*/true).size(), 2U);
  // Dims of a torus that are alike; an axis may go through both, and then nests in two orders.
  EXPECT_THAT(list("a=4,b=4", "tpu-v5e:4x4"), Not(testing::Contains("a=y,b=x")));
}

// What is merged has the same price: all collectives of one axis, over all placements with one description.
TEST(PlacementMatrix, MergedPlacementsHaveEqualPrices) {
  Machine machine = *buildPreset("tpu-v5p:4x4x4");
  Mesh mesh = *parseMesh("a=8,b=8");
  std::map<std::vector<std::vector<int64_t>>, int64_t> prices;
  for (const PlacementMatrix &matrix : listMatrices({8, 8}, {4, 4, 4})) {
    Placement placement;
    for (const auto &row : matrix) {
      LevelParts &parts = placement.axes.emplace_back();
      for (uint32_t level = 0; level < row.size(); ++level)
        if (row[level] > 1)
          parts.push_back({level, row[level], &row == &matrix.front() ? 4 / row[level] : 1});
    }
    CollectiveRequest request;
    request.parts = placement.axes[0];
    request.payloadBytes = 1 << 26;
    int64_t timePs = priceCollective(machine, request).timePs;
    auto [known, isNew] = prices.try_emplace(describePlacement(placement, mesh, machine, false), timePs);
    EXPECT_EQ(known->second, timePs);
  }
  EXPECT_LT(prices.size(), listMatrices({8, 8}, {4, 4, 4}).size());
}
