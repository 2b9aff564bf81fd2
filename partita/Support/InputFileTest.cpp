//===- InputFileTest.cpp - reads a file, within the limits ----------------===//

#include "partita/Support/InputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

class JsonFileTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("input", "json", path)); }
  void TearDown() override { EXPECT_FALSE(llvm::sys::fs::remove(path)); }

  Result<JsonValue> read(llvm::StringRef text, const Limits &limits = Limits()) {
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << text;
    EXPECT_FALSE(code);
    return readJsonFile(path, limits);
  }

  llvm::SmallString<64> path;
};

TEST_F(JsonFileTest, GivesTheValue) {
  Result<JsonValue> json = read("{\"a\": 7}");
  ASSERT_TRUE(bool(json));
  EXPECT_EQ(json->find("a")->getInteger(), 7);
}

TEST_F(JsonFileTest, AnErrorHasAPlaceAReasonAndARemedy) {
  std::string file = path.str().str();
  EXPECT_EQ(read("{\n \"a\": }").error().str(),
            file + ":2:7: error: expected a value\n  remedy: the file must be JSON, as Python's json.dump writes it");
  Limits limits;
  limits.maxFileBytes = 3;
  EXPECT_EQ(read("[1, 2]", limits).error().remedy, "if the input is meant so, raise it with --max-file-bytes");
  Error missing = readJsonFile(file + ".none", Limits()).error();
  EXPECT_EQ(missing.location.file, file + ".none");
  EXPECT_EQ(missing.remedy, "give the path of a JSON file");
  EXPECT_EQ(missing.code, ExitCode::CannotReadOrWrite);
}

} // namespace
} // namespace partita
