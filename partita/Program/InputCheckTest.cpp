//===- InputCheckTest.cpp -------------------------------------------------===//

#include "partita/Program/InputCheck.h"

#include <gtest/gtest.h>

namespace partita::program {
namespace {

std::string check(llvm::StringRef bytes, Limits limits = {}) {
  Status error = checkProgramBytes(bytes, "f", limits);
  return error ? std::to_string(static_cast<int>(error->code)) + " " + error->str() : "ok";
}

TEST(InputCheckTest, RefusesWhatIsNoProgram) {
  EXPECT_EQ(check(""), "65 f:1:1: error: the file is empty\n  remedy: give a StableHLO program in MLIR text");
  EXPECT_EQ(check(" \n").substr(0, 8), "65 f:1:1");
  EXPECT_NE(check("\x1F\x8B\x08").find("gzip"), std::string::npos);
  EXPECT_NE(check(llvm::StringRef("\xFF\xFEm\0o\0", 6)).find("UTF-16"), std::string::npos);
  EXPECT_NE(check(llvm::StringRef("abc\0", 4)).find("binary"), std::string::npos);
}

TEST(InputCheckTest, TellsBytecodeApart) {
  EXPECT_EQ(check(llvm::StringRef("ML\xEFR\x0DMLIR22.1.8\0", 16)), "ok");
  EXPECT_NE(check(llvm::StringRef("ML\xEFR\x0DMLIR23.0.0git\0", 19)).find("69 f:1:1: error: this is MLIR bytecode"),
            std::string::npos);
  EXPECT_NE(check(llvm::StringRef("ML\xEFR\x0DStableHLO_v1.0.0\0", 23)).find("portable"), std::string::npos);
  EXPECT_NE(check(llvm::StringRef("ML\xEFR", 4)).find("another producer"), std::string::npos);
}

TEST(InputCheckTest, BoundsNesting) {
  Limits limits;
  limits.maxDepth = 3;
  EXPECT_EQ(check("((()))((()))", limits), "ok");
  EXPECT_EQ(check("\"((((\" // ((((\n() -> ({[]})", limits), "ok");
  EXPECT_EQ(check("a\n ({[<", limits).substr(0, 9), "75 f:2:5:");
  EXPECT_EQ(check(std::string(100'000, '(')).substr(0, 2), "75");
}

TEST(InputCheckTest, BoundsSize) {
  Limits limits;
  limits.maxFileBytes = 2;
  EXPECT_EQ(check("abc", limits).substr(0, 2), "75");
}

} // namespace
} // namespace partita::program
