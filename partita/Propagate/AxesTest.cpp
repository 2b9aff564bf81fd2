//===- AxesTest.cpp -------------------------------------------------------===//

#include "partita/Propagate/Axes.h"
#include "partita/Propagate/Sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::propagate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Mesh meshOf(llvm::StringRef text) { return std::move(*parseMesh(text)); }

/// A graph with one cell, whose dim 0 has a boundary at each of `strides`.
Graph graphOf(int64_t size, llvm::ArrayRef<int64_t> strides) {
  Graph graph;
  graph.sizes.push_back(size);
  Cell cell;
  cell.rank = 1;
  CellId id = graph.cells.push_back(cell);
  for (int64_t stride : strides)
    graph.boundaries.push_back({id, 0, stride});
  return graph;
}

std::vector<std::string> namesOf(const Axes &axes) {
  std::vector<std::string> names;
  for (AxisId axis : idRange<AxisId>(axes.size()))
    names.push_back(axes.getName(axis));
  return names;
}

std::vector<std::string> refine(llvm::StringRef mesh, const Graph &graph) {
  return namesOf(refineAxes(meshOf(mesh), graph));
}

TEST(AxesTest, AxesOfOneDeviceVanish) {
  Axes axes = makeAxes(meshOf("data=4,one=1,model=2"));
  EXPECT_THAT(namesOf(axes), ElementsAre("data", "model"));
  EXPECT_THAT(axes.find("one"), IsEmpty());
  EXPECT_EQ(axes.getParts(2).size(), 1u);
}

TEST(AxesTest, DevicesAreNumberedRowMajor) {
  Axes axes = makeAxes(meshOf("data=4,model=2"));
  // Device 5 is (2, 1).
  EXPECT_EQ(axes.getCoordinate(5, AxisId(0)), 2);
  EXPECT_EQ(axes.getCoordinate(5, AxisId(1)), 1);
}

TEST(AxesTest, FewHeadsSplitAWideAxis) {
  // 4 key heads of 128 in a dim of 512: model=8 crosses from heads to their elements behind 4.
  Graph graph = graphOf(512, 128);
  EXPECT_THAT(refine("data=2,model=8", graph), ElementsAre("data", "model:(1)4", "model:(4)2"));
  // 2 and 4 devices split heads only, 3 split nothing.
  EXPECT_THAT(refine("a=2,b=4,c=3", graph), ElementsAre("a", "b", "c"));
}

TEST(AxesTest, SubAxesAreDigitsOfTheCoordinate) {
  Axes axes = refineAxes(meshOf("model=8,data=2"), graphOf(512, 128));
  AxisId major(0), minor(1);
  // Device 11 is model 5, data 1; 5 = 2 * 2 + 1.
  EXPECT_EQ(axes.getCoordinate(11, major), 2);
  EXPECT_EQ(axes.getCoordinate(11, minor), 1);
  EXPECT_EQ(axes[major].stride, 4);
  EXPECT_EQ(axes[minor].stride, 2);
}

TEST(AxesTest, BoundariesMakeAChain) {
  // 64 = 2 * 4 * 8: boundaries at strides 32 and 8; 16 devices are 2, 4 and 2 of them.
  EXPECT_THAT(refine("m=16", graphOf(64, {8, 32})), ElementsAre("m:(1)2", "m:(2)4", "m:(8)2"));
}

TEST(AxesTest, CutsThatDoNotDivideEachOtherAreLeftOut) {
  // gcd(12, 24/6) = 4 and gcd(12, 24/4) = 6: the smaller cut is made, in whatever order they come.
  EXPECT_THAT(refine("m=12", graphOf(24, {6, 4})), ElementsAre("m:(1)4", "m:(4)3"));
  EXPECT_THAT(refine("m=12", graphOf(24, {4, 6})), ElementsAre("m:(1)4", "m:(4)3"));
}

TEST(AxesTest, DimsThatTheAxisDoesNotDivideDoNotRefineIt) {
  EXPECT_THAT(refine("m=8", graphOf(12, 3)), ElementsAre("m"));
}

TEST(AxesTest, NamedPartsRefine) {
  Axes axes = refineAxes(meshOf("m=8"), graphOf(8, {}), {"m:(2)2"});
  EXPECT_THAT(namesOf(axes), ElementsAre("m:(1)2", "m:(2)2", "m:(4)2"));
  EXPECT_THAT(axes.find("m"), ElementsAre(AxisId(0), AxisId(1), AxisId(2)));
  EXPECT_THAT(axes.find("m:(2)4"), ElementsAre(AxisId(1), AxisId(2)));
  EXPECT_THAT(axes.find("m:(2)2"), ElementsAre(AxisId(1)));
  EXPECT_THAT(axes.find("m:(1)3"), IsEmpty());
}

TEST(AxesTest, NeighboringPartsPrintAsOne) {
  Axes axes = refineAxes(meshOf("data=2,m=8"), graphOf(64, {8, 32}));
  // m is 2, 4: joined in order they are m, in another order they are not.
  AxisId data(0), major(1), minor(2);
  EXPECT_THAT(getNames(axes, {data, major, minor}), ElementsAre("data", "m"));
  EXPECT_THAT(getNames(axes, {minor, major}), ElementsAre("m:(2)4", "m:(1)2"));
  EXPECT_THAT(getNames(axes, {major, data, minor}), ElementsAre("m:(1)2", "data", "m:(2)4"));
}

TEST(ShardingTest, PrintsAndDivides) {
  Axes axes = makeAxes(meshOf("data=4,model=2"));
  Sharding sharding(3);
  sharding.dims[0] = {AxisId(1), AxisId(0)};
  EXPECT_EQ(printSharding(axes, sharding), "[{model, data}, {}, {}]");
  EXPECT_THAT(getLocalShape(axes, {16, 3, 1}, sharding), ElementsAre(2, 3, 1));
  EXPECT_EQ(sharding.findAxis(AxisId(0)), 0);
  PartialSharding partial{Sharding(1), {AxisId(0)}, Combiner::Add};
  EXPECT_EQ(printPartialSharding(axes, partial), "[{}] partial(add) {data}");
}

} // namespace
} // namespace partita::propagate
