//===- LegacyShardingsTest.cpp --------------------------------------------===//

#include "partita/Program/Import/LegacyShardingsMesh.h"

#include <gtest/gtest.h>

namespace partita::program::import {
namespace {

std::string whyNot(llvm::StringRef text) {
  std::string reason;
  return parseHloShardings(text, reason) ? "" : reason;
}

HloSharding parse(llvm::StringRef text) {
  std::string reason;
  auto shardings = parseHloShardings(text, reason);
  EXPECT_TRUE(shardings && shardings->size() == 1) << reason;
  return shardings ? shardings->front() : HloSharding();
}

using Numbers = llvm::SmallVector<int64_t>;

TEST(HloShardingTest, ReadsAllForms) {
  EXPECT_EQ(parse("{replicated}").kind, HloSharding::Replicated);
  EXPECT_EQ(parse("{manual}").kind, HloSharding::Manual);
  EXPECT_EQ(parse("{unknown}").kind, HloSharding::Unknown);
  EXPECT_EQ(parse("{maximal device=3}").device, 3);
  EXPECT_EQ(parse("{replicated metadata={{op_name=\"a{b\"} {c}}}").kind, HloSharding::Replicated);
  EXPECT_EQ(parse("{devices=[2,2]0,2,1,3}").devices, (Numbers{0, 2, 1, 3}));
  // 0 1 2 / 3 4 5, read by columns.
  EXPECT_EQ(parse("{devices=[6]<=[2,3]T(1,0)}").devices, (Numbers{0, 3, 1, 4, 2, 5}));
  HloSharding grouped = parse("{devices=[1,2,4]<=[8] last_tile_dims={manual, replicated}}");
  EXPECT_EQ(grouped.getRank(), 1u);
  EXPECT_EQ(grouped.groups[0], HloSharding::ManualGroup);
  std::string reason;
  EXPECT_EQ(parseHloShardings("{{replicated}, {devices=[2]<=[2]}}", reason)->size(), 2u);
}

TEST(HloShardingTest, SaysWhatIsWrong) {
  EXPECT_EQ(whyNot(""), "'{' is expected at character 1");
  EXPECT_EQ(whyNot("{devices=[2]<=[3]}"), "the array of devices and its numbers differ in size at character 18");
  EXPECT_EQ(whyNot("{devices=[2]0,0}"), "devices are missing or named twice at character 16");
  EXPECT_EQ(whyNot("{devices=[4]<=[2,2]T(0,0)}").substr(0, 20), "the order of devices");
  EXPECT_NE(whyNot("{devices=[99999999999,99999999999]<=[2]}"), "");
  EXPECT_NE(whyNot("{devices=[1048577]<=[1048577]}"), "");
  EXPECT_NE(whyNot("{replicated} {manual}"), "");
  EXPECT_NE(whyNot("{replicated metadata={"), "");
  EXPECT_NE(whyNot("{devices=[2]<=[2] last_tile_dims={manual, manual}}"), "");
  EXPECT_NE(whyNot("{{{{{{"), "");
}

/// The array that axes give back: its numbers are those of devices along the axes of each dim.
Numbers rebuild(const InferredMesh &mesh, const HloSharding &sharding) {
  Numbers strides(mesh.getAxisSizes().size(), 1);
  for (size_t axis = strides.size() - 1; axis > 0; --axis)
    strides[axis - 1] = strides[axis] * mesh.getAxisSizes()[axis];
  Numbers devices{0};
  for (auto &dim : mesh.computeAxes(sharding))
    for (unsigned axis : dim) {
      Numbers longer;
      for (int64_t device : devices)
        for (int64_t digit = 0; digit < mesh.getAxisSizes()[axis]; ++digit)
          longer.push_back(device + digit * strides[axis]);
      devices = longer;
    }
  if (!mesh.getDeviceIds().empty())
    for (int64_t &device : devices)
      device = mesh.getDeviceIds()[device];
  return devices;
}

std::optional<InferredMesh> infer(llvm::ArrayRef<HloSharding> shardings) {
  llvm::SmallVector<const HloSharding *> pointers;
  for (const HloSharding &sharding : shardings)
    pointers.push_back(&sharding);
  std::string reason;
  return InferredMesh::infer(pointers, reason);
}

TEST(InferredMeshTest, AxesAreTheCoarsest) {
  EXPECT_EQ(infer({parse("{devices=[8,1]<=[8]}")})->getAxisSizes(), llvm::ArrayRef<int64_t>({8}));
  EXPECT_EQ(infer({parse("{devices=[8,1]<=[2,4]}")})->getAxisSizes(), llvm::ArrayRef<int64_t>({8}));
  EXPECT_EQ(infer({parse("{devices=[4,2]<=[2,4]T(1,0)}")})->getAxisSizes(), llvm::ArrayRef<int64_t>({2, 4}));
  EXPECT_EQ(infer({parse("{devices=[2,4]<=[8]}"), parse("{devices=[4,2]<=[8]}")})->getAxisSizes(),
            llvm::ArrayRef<int64_t>({2, 2, 2}));
  // Copies are in no order: 2 pieces, each on 4 devices.
  EXPECT_EQ(infer({parse("{devices=[2,4]0,3,2,1,7,6,5,4 last_tile_dim_replicate}")})->getAxisSizes(),
            llvm::ArrayRef<int64_t>({2, 4}));
  EXPECT_FALSE(infer({parse("{devices=[2,3]<=[6]}"), parse("{devices=[3,2]<=[6]}")}));
  EXPECT_FALSE(infer({parse("{devices=[2]<=[2]}"), parse("{devices=[4]<=[4]}")}));
  EXPECT_FALSE(infer({parse("{devices=[6]<=[2,3]T(1,0)}"), parse("{devices=[6]<=[3,2]T(1,0)}")}));
}

TEST(InferredMeshTest, AnOrderOfItsOwnBecomesTheMeshs) {
  auto mesh = infer({parse("{devices=[2,2]0,1,3,2}"), parse("{devices=[4,1]0,1,3,2}")});
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh->getDeviceIds(), llvm::ArrayRef<int64_t>({0, 1, 3, 2}));
  EXPECT_EQ(mesh->getAxisSizes(), llvm::ArrayRef<int64_t>({2, 2}));
  EXPECT_FALSE(infer({parse("{devices=[4]0,1,3,2}"), parse("{devices=[4]0,3,2,1}")}));
}

TEST(InferredMeshTest, AxesGiveTheDevicesBack) {
  int expressible = 0;
  for (const char *order : {"0,1,2", "0,2,1", "1,0,2", "1,2,0", "2,0,1", "2,1,0"})
    for (const char *sizes : {"2,2,3", "2,6,1", "4,3,1", "1,2,6"})
      for (const char *dims : {"2,2,3", "4,3", "3,4", "12", "1,12,1", "6,2", "2,6", "3,2,2"}) {
        HloSharding sharding = parse(std::string("{devices=[") + dims + "]<=[" + sizes + "]T(" + order + ")}");
        std::optional<InferredMesh> mesh = infer({sharding});
        // A single sharding always has a mesh: its own order, if no other.
        ASSERT_TRUE(mesh) << dims << sizes << order;
        EXPECT_EQ(rebuild(*mesh, sharding), sharding.devices) << dims << " " << sizes << " " << order;
        expressible += mesh->getDeviceIds().empty();
      }
  EXPECT_GT(expressible, 50);
}

} // namespace
} // namespace partita::program::import
