//===- AtomicFileTest.cpp -------------------------------------------------===//

#include "partita/Support/AtomicFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

namespace fs = llvm::sys::fs;

class AtomicFileTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(fs::createUniqueDirectory("partita-atomic", folder)); }
  void TearDown() override { EXPECT_EQ(fs::remove_directories(folder), std::error_code()); }

  std::string at(llvm::StringRef name) { return (folder + "/" + name).str(); }
  size_t countEntries() {
    std::error_code code;
    size_t count = 0;
    for (fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder;
};

TEST_F(AtomicFileTest, WritesAllAndMakesFolders) {
  ASSERT_FALSE(writeFilesTogether({{at("a"), "1"}, {at("sub/b"), "22"}}).has_value());
  EXPECT_EQ((*llvm::MemoryBuffer::getFile(at("sub/b")))->getBuffer(), "22");
  EXPECT_EQ(countEntries(), 2u);
}

TEST_F(AtomicFileTest, WritesNoneIfOneFails) {
  ASSERT_FALSE(fs::create_directory(at("taken")));
  Status error = writeFilesTogether({{at("a"), "1"}, {at("taken"), "2"}});
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ExitCode::CannotReadOrWrite);
  EXPECT_FALSE(fs::exists(at("a")));
  EXPECT_EQ(countEntries(), 1u);
}

TEST_F(AtomicFileTest, WritesIntoADeviceAndLeavesItOne) {
  // A link, so that a failure replaces the link and not the device.
  ASSERT_FALSE(fs::create_link("/dev/null", at("device")));
  ASSERT_FALSE(writeFilesTogether({{at("a"), "1"}, {at("device"), "2"}}).has_value());
  bool isDevice = false;
  EXPECT_FALSE(fs::is_other(at("device"), isDevice));
  EXPECT_TRUE(isDevice);
  EXPECT_EQ(countEntries(), 2u);
}

} // namespace
} // namespace partita
