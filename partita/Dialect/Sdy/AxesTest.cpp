//===- AxesTest.cpp - arithmetic on axes and sub-axes ---------------------===//

#include "partita/Dialect/Sdy/Axes.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace partita::sdy;

namespace {

/// Axes of a mesh with "x" of size 8 and "y" of size 2.
class AxesTest : public ::testing::Test {
protected:
  AxesTest() {
    context.loadDialect<SdyDialect>();
    mesh = MeshAttr::get(&context, {MeshAxisAttr::get(&context, "x", 8), MeshAxisAttr::get(&context, "y", 2)});
  }

  AxisRefAttr full(StringRef name) { return AxisRefAttr::get(&context, name); }
  AxisRefAttr x(int64_t preSize, int64_t size) { return AxisRefAttr::get(&context, "x", preSize, size); }

  MLIRContext context;
  MeshAttr mesh;
};

TEST_F(AxesTest, Sizes) {
  EXPECT_EQ(mesh.getTotalSize(), 16);                         // 8 * 2
  EXPECT_EQ(computeTotalSize({full("y"), x(2, 4)}, mesh), 8); // 2 * 4
  EXPECT_EQ(x(2, 2).getNextPreSize(mesh), 4);                 // 2 * 2
  EXPECT_EQ(full("x").getNextPreSize(mesh), 8);
}

TEST_F(AxesTest, DeviceIdsInNaturalOrderAreLeftOut) {
  SmallVector<MeshAxisAttr> axes = {MeshAxisAttr::get(&context, "y", 2)};
  EXPECT_EQ(MeshAttr::get(&context, axes, {0, 1}), MeshAttr::get(&context, axes));
  EXPECT_NE(MeshAttr::get(&context, axes, {1, 0}), MeshAttr::get(&context, axes));
}

TEST_F(AxesTest, OverlapIsOfIntervals) {
  EXPECT_TRUE(overlap(full("x"), x(2, 2)));
  EXPECT_TRUE(overlap(x(1, 4), x(2, 4)));  // [1, 4) and [2, 8)
  EXPECT_FALSE(overlap(x(1, 2), x(2, 4))); // [1, 2) and [2, 8)
  EXPECT_FALSE(overlap(full("x"), full("y")));
  EXPECT_EQ(getOverlap(x(1, 4), x(2, 4)), x(2, 2)); // [2, 4)
  EXPECT_EQ(getOverlap(full("x"), x(4, 2)), x(4, 2));
  EXPECT_FALSE(getOverlap(x(1, 2), x(2, 4)));
  EXPECT_FALSE(getOverlap(x(1, 2), x(1, 3))); // no factorization of an axis has 2 and 3 first
}

TEST_F(AxesTest, ContainmentAndSuffix) {
  EXPECT_TRUE(contains(full("x"), x(2, 2)));
  EXPECT_TRUE(contains(x(2, 4), x(4, 2))); // [2, 8) has [4, 8)
  EXPECT_FALSE(contains(x(2, 4), x(1, 2)));
  EXPECT_FALSE(contains(x(2, 4), full("x")));
  EXPECT_TRUE(isSuffix(x(2, 4), full("x"), mesh)); // both end at 8
  EXPECT_FALSE(isSuffix(x(2, 2), full("x"), mesh));
}

TEST_F(AxesTest, WhatIsLeft) {
  EXPECT_EQ(getPrefixWithout(full("x"), x(4, 2)), x(1, 4)); // [1, 8) before [4, 8)
  EXPECT_FALSE(getPrefixWithout(x(2, 2), x(1, 4)));
  EXPECT_EQ(getPrefixWithout(x(1, 2), x(4, 2)), x(1, 2));
  EXPECT_EQ(getSuffixWithout(full("x"), x(1, 2), mesh), x(2, 4)); // [1, 8) after [1, 2)
  EXPECT_FALSE(getSuffixWithout(x(2, 4), full("x"), mesh));
}

TEST_F(AxesTest, NeighborsMerge) {
  EXPECT_TRUE(canMerge(x(1, 2), x(2, 2)));
  EXPECT_FALSE(canMerge(x(2, 2), x(1, 2)));
  EXPECT_EQ(merge(x(1, 2), x(2, 2), mesh), x(1, 4));
  EXPECT_EQ(merge(x(1, 2), x(2, 4), mesh), full("x")); // 2 * 4 is all of 8
}

TEST_F(AxesTest, SortsByMeshAndMerges) {
  SmallVector<AxisRefAttr> axes = {full("y"), x(4, 2), x(1, 2)};
  sortAndMerge(axes, mesh);
  EXPECT_EQ(toString(axes), "\"x\":(1)2, \"x\":(4)2, \"y\"");
  axes.push_back(x(2, 2));
  sortAndMerge(axes, mesh);
  EXPECT_EQ(toString(axes), "\"x\", \"y\"");
}

TEST_F(AxesTest, CoexistenceIsOneFactorization) {
  EXPECT_TRUE(canCoexist(x(1, 2), x(4, 2)));  // 2, 2, 2
  EXPECT_TRUE(canCoexist(x(1, 4), x(2, 4)));  // 2, 2, 2
  EXPECT_FALSE(canCoexist(x(1, 2), x(3, 2))); // 3 is not a multiple of 2
  EXPECT_FALSE(canCoexist(x(0, 2), x(1, 2)));
}

} // namespace
