//===- DevicesTest.cpp ----------------------------------------------------===//

#include "partita/Program/Devices.h"

#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using testing::ElementsAre;

namespace partita::program {
namespace {

class DevicesTest : public testing::Test {
protected:
  DevicesTest() { context.loadDialect<sdy::SdyDialect>(); }

  DeviceMesh makeMesh(ArrayRef<std::pair<StringRef, int64_t>> axes, ArrayRef<int64_t> deviceIds = {}) {
    SmallVector<sdy::MeshAxisAttr> attributes;
    for (auto [name, size] : axes)
      attributes.push_back(sdy::MeshAxisAttr::get(&context, name, size));
    return DeviceMesh::make(sdy::MeshAttr::get(&context, attributes, deviceIds));
  }

  MLIRContext context;
};

TEST_F(DevicesTest, GroupsDifferInTheirDigitsOnly) {
  // Positions are 4 x + y.
  DeviceMesh mesh = makeMesh({{"x", 2}, {"y", 4}});
  EXPECT_THAT(*mesh.computeGroups(*mesh.findDigit("x")),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_THAT(*mesh.computeGroups(*mesh.findDigit("y")), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  // y before x: y is the major digit.
  EXPECT_THAT(*mesh.computeGroups({*mesh.findDigit("y"), *mesh.findDigit("x")}),
              ElementsAre(ElementsAre(0, 4, 1, 5, 2, 6, 3, 7)));
  EXPECT_EQ(mesh.computeGroups(ArrayRef<Digit>())->size(), 8u);
}

TEST_F(DevicesTest, PartsOfAxes) {
  DeviceMesh mesh = makeMesh({{"x", 8}});
  // x = 4 a + 2 b + c, and (1)2 is a, (2)2 is b, (4)2 is c.
  EXPECT_THAT(*mesh.computeGroups(*mesh.findDigit("x", 1, 2)),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_THAT(*mesh.computeGroups(*mesh.findDigit("x", 2, 4)),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  EXPECT_FALSE(mesh.findDigit("x", 3, 2));
  EXPECT_FALSE(mesh.findDigit("x", 2, 8));
  EXPECT_FALSE(mesh.findDigit("x", 1, INT64_MAX));
  EXPECT_FALSE(mesh.findDigit("z"));
}

TEST_F(DevicesTest, DevicesInAnotherOrder) {
  DeviceMesh mesh = makeMesh({{"x", 2}, {"y", 2}}, {3, 1, 2, 0});
  EXPECT_TRUE(mesh.isPermutation());
  EXPECT_THAT(*mesh.computeGroups(*mesh.findDigit("y")), ElementsAre(ElementsAre(3, 1), ElementsAre(2, 0)));
}

TEST_F(DevicesTest, DigitsThatOverlap) {
  DeviceMesh mesh = makeMesh({{"x", 4}, {"y", 4}});
  EXPECT_FALSE(mesh.computeGroups({*mesh.findDigit("x"), *mesh.findDigit("x", 1, 2)}));
}

} // namespace
} // namespace partita::program
