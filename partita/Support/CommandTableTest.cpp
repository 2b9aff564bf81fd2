//===- CommandTableTest.cpp - a tool with commands ------------------------===//

#include "partita/Support/CommandTable.h"

#include "partita/Support/Containment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita {
namespace {

using ::testing::HasSubstr;

struct GreetOptions {
  bool help = false;
  ContainmentOptions containment;
  std::string name = "world";

  void visitOptions(OptionVisitor &visitor) {
    visitor.toggle({"help", "", "Prints this help"}, help);
    visitor.text({"name", "word", "Whom to greet"}, name);
  }
};

Status greet(const GreetOptions &options, Operands files) {
  if (options.name.empty())
    return Error::usage("there is nobody to greet").withRemedy("give a name");
  llvm::outs() << "hello " << options.name << " of " << files.front() << "\n";
  llvm::outs().flush();
  return std::nullopt;
}

struct Outcome {
  int code;
  std::string output, errors;
};

Outcome run(const std::vector<std::string> &words) {
  auto getCommon = [](const GreetOptions &options) { return options; };
  std::vector<Command> commands{makeCommand("greet", "FILE", "Greets", greet, getCommon, 1, 0)};
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  int code = runCommandTable({"tool", "Tool 1: greets"}, commands, words);
  llvm::outs().flush();
  return {code, ::testing::internal::GetCapturedStdout(), ::testing::internal::GetCapturedStderr()};
}

TEST(CommandTableTest, RunsACommandWithItsOptionsAndOperands) {
  Outcome outcome = run({"greet", "--name=you", "there"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, "hello you of there\n");
}

TEST(CommandTableTest, ListsCommandsAndOptions) {
  EXPECT_EQ(run({"--help"}).output, "Tool 1: greets\n\nusage: tool COMMAND ...\n\n  greet FILE           Greets\n\n"
                                    "`tool COMMAND --help` lists a command's options; FILE may be - for standard "
                                    "input.\n");
  EXPECT_THAT(run({"greet", "--help"}).output, HasSubstr("Whom to greet"));
}

TEST(CommandTableTest, ErrorsHaveTheirCodeAndARemedy) {
  Outcome misspelt = run({"gret", "x"});
  EXPECT_EQ(misspelt.code, static_cast<int>(ExitCode::Usage));
  EXPECT_THAT(misspelt.errors, HasSubstr("did you mean 'greet'?"));
  EXPECT_THAT(run({"greet"}).errors, HasSubstr("tool greet takes FILE, and 0 files are given"));
  EXPECT_THAT(run({"greet", "--nme=x", "y"}).errors, HasSubstr("unknown option --nme"));
  Outcome failed = run({"greet", "--name=", "y"});
  EXPECT_EQ(failed.code, static_cast<int>(ExitCode::Usage));
  EXPECT_THAT(failed.errors, HasSubstr("there is nobody to greet"));
}

} // namespace
} // namespace partita
