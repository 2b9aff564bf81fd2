//===- MeshShapeTest.cpp --------------------------------------------------===//

#include "partita/Machine/MeshShape.h"

#include "partita/Machine/Presets.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <set>

using namespace partita;
using namespace partita::machine;
using testing::ElementsAre;

/// The mesh of a shape, with axes a, b, ...
static Mesh name(const MeshShape &shape) {
  Mesh mesh;
  for (int64_t size : shape.getSizes())
    mesh.axes.push_back({std::string(1, char('a' + mesh.axes.size())), size});
  return mesh;
}

/// Shapes that differ in their prices.
static size_t countDifferent(const MeshShape &shape, const Machine &machine) {
  std::set<std::vector<std::vector<int64_t>>> seen;
  for (const ShapeCut &cut : listCuts(shape, machine))
    if (std::optional<Placement> placement = placeShape(cut.shape, name(cut.shape), machine))
      seen.insert(describePlacement(*placement, name(cut.shape), machine, /*areAxesAlike=*/true));
  return seen.size();
}

TEST(MeshShape, AxesTakeTheLevelsOfTheOneThatIsCut) {
  Machine machine = *buildPreset("h100-sxm:4x8");
  MeshShape whole = makeWhole(machine);
  EXPECT_THAT(whole.getSizes(), ElementsAre(32));
  for (const ShapeCut &cut : listCuts(whole, machine)) {
    ASSERT_EQ(cut.shape.rows.size(), 2U);
    for (size_t level = 0; level < machine.levels.size(); ++level)
      EXPECT_EQ(cut.shape.rows[0][level] * cut.shape.rows[1][level], machine.levels[level].size);
  }
  // 3 x 4 divisors of 4 and 8, but for 1 and all.
  EXPECT_EQ(listCuts(whole, machine).size(), 10U);
}

TEST(MeshShape, RowMajorComesFirst) {
  Machine machine = *buildPreset("h100-sxm:4x8");
  std::vector<std::string> texts;
  for (const ShapeCut &cut : listCuts(makeWhole(machine), machine)) {
    Mesh mesh = name(cut.shape);
    std::optional<Placement> placement = placeShape(cut.shape, mesh, machine);
    ASSERT_TRUE(placement);
    texts.push_back(mesh.str() + " " + printPlacement(*placement, mesh, machine));
    if (texts.size() <= 4)
      EXPECT_EQ(*placement, *placeRowMajor(mesh, machine));
  }
  // Four cuts of 4 x 8 = 32 between two devices: at 2, 4, 8 and 16.
  EXPECT_THAT(llvm::ArrayRef(texts).take_front(4),
              testing::UnorderedElementsAre("a=16,b=2 a=node+nvlink:4,b=nvlink:2", "a=8,b=4 a=node+nvlink:2,b=nvlink:4",
                                            "a=4,b=8 a=node,b=nvlink", "a=2,b=16 a=node:2,b=node:2+nvlink"));
}

TEST(MeshShape, CutsOfACutRefineIt) {
  Machine machine = *buildPreset("h100-sxm:8x8");
  MeshShape shape{{{8, 2}, {1, 4}}};
  for (const ShapeCut &cut : listCuts(shape, machine)) {
    PlacementMatrix joined = cut.shape.rows;
    ASSERT_EQ(joined.size(), 3U);
    for (size_t level = 0; level < 2; ++level)
      joined[cut.axis][level] *= joined[cut.axis + 1][level];
    joined.erase(joined.begin() + cut.axis + 1);
    EXPECT_EQ(joined, shape.rows);
  }
}

TEST(MeshShape, SymmetricShapesAreOne) {
  // Each of 10 cuts stands there twice, with its axes in either order; nothing tells them apart behind switches.
  EXPECT_EQ(countDifferent(makeWhole(*buildPreset("h100-sxm:4x8")), *buildPreset("h100-sxm:4x8")), 5U);
  // Fewer on a torus than its cuts have orders, since its dims change places.
  Machine torus = *buildPreset("tpu-v5p:4x4x4");
  EXPECT_LT(countDifferent(makeWhole(torus), torus), listCuts(makeWhole(torus), torus).size() / 2);
}
