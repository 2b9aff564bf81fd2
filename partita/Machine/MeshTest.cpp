//===- MeshTest.cpp -------------------------------------------------------===//

#include "partita/Machine/Mesh.h"

#include <gtest/gtest.h>

namespace partita::machine {
namespace {

TEST(MeshTest, ReadsWhatItPrints) {
  Result<Mesh> mesh = parseMesh("data=4,model=2,one=1");
  ASSERT_TRUE(bool(mesh)) << mesh.error().str();
  EXPECT_EQ(mesh->str(), "data=4,model=2,one=1");
  EXPECT_EQ(mesh->getNumDevices(), 8);
  EXPECT_EQ(mesh->findAxis("model"), 1u);
  EXPECT_EQ(mesh->findAxis("mode"), std::nullopt);
}

TEST(MeshTest, SpacesDoNotMatter) {
  Result<Mesh> mesh = parseMesh(" data = 4 , model=2");
  ASSERT_TRUE(bool(mesh)) << mesh.error().str();
  EXPECT_EQ(mesh->str(), "data=4,model=2");
}

std::string reasonOf(llvm::StringRef text) {
  Result<Mesh> mesh = parseMesh(text);
  return mesh ? "" : mesh.error().reason;
}

TEST(MeshTest, SaysWhatIsWrong) {
  EXPECT_EQ(reasonOf(""), "mesh '': '' does not start with the name of an axis");
  EXPECT_EQ(reasonOf("data=4,"), "mesh 'data=4,': '' does not start with the name of an axis");
  EXPECT_EQ(reasonOf("4=data"), "mesh '4=data': '4=data' does not start with the name of an axis");
  EXPECT_EQ(reasonOf("a-b=2"), "mesh 'a-b=2': 'a-b=2' does not start with the name of an axis");
  EXPECT_EQ(reasonOf("data=4,data=2"), "mesh 'data=4,data=2': axis 'data' stands twice");
  for (const char *size : {"", "0", "-2", "2x", "99999999999999999999"})
    EXPECT_EQ(reasonOf(std::string("data=") + size),
              std::string("mesh 'data=") + size + "': the size of axis 'data' is not a positive number");
  // 2^19 * 2 devices are the most; their product may not overflow either.
  EXPECT_EQ(reasonOf("a=524288,b=2"), "");
  EXPECT_EQ(reasonOf("a=524288,b=3"), "mesh 'a=524288,b=3': more than 1048576 devices");
  EXPECT_EQ(reasonOf("a=1048576,b=9223372036854775807"),
            "mesh 'a=1048576,b=9223372036854775807': more than 1048576 devices");
}

} // namespace
} // namespace partita::machine
