//===- CollectiveProgramsTest.cpp -----------------------------------------===//

#include "partita/Schedule/CollectivePrograms.h"

#include "partita/Schedule/Schedule.h"

#include <gtest/gtest.h>

namespace partita::schedule {
namespace {

constexpr llvm::StringLiteral text =
    R"({"tactics":[],"reductions":[{"collective":"all_reduce","axes":["data"],"bytes":[64,128],)"
    R"("steps":[["reduce_scatter",["data:(4)8"]],["all_reduce",["data:(1)4"]],["all_gather",["data:(4)8"]]]},)"
    R"({"collective":"all_gather","axes":["data","model"],"steps":[["all_gather",["model"]],["all_gather",["data"]]]}]})";

std::string print(const Schedule &schedule) {
  std::string printed;
  llvm::raw_string_ostream out(printed);
  llvm::json::OStream json(out);
  writeSchedule(schedule, json);
  return printed;
}

TEST(CollectivePrograms, AreReadAndWritten) {
  Result<Schedule> schedule = readSchedule(text, "schedule.json");
  ASSERT_TRUE(schedule) << schedule.error().str();
  ASSERT_EQ(schedule->reductions.size(), 2u);
  const CollectiveProgram &first = schedule->reductions.front();
  EXPECT_EQ(first.leastBytes, 64);
  EXPECT_EQ(first.mostBytes, 128);
  EXPECT_EQ(printProgramSteps(first),
            "reduce_scatter over data:(4)8; all_reduce over data:(1)4; all_gather over data:(4)8");
  EXPECT_EQ(schedule->reductions.back().mostBytes, INT64_MAX);
  EXPECT_EQ(print(*schedule), text);
  Result<Schedule> automatic = readSchedule(R"({"tactics":[],"reductions":"auto"})", "schedule.json");
  ASSERT_TRUE(automatic);
  EXPECT_TRUE(automatic->choosesReductions);
  EXPECT_EQ(print(*automatic), R"({"tactics":[],"reductions":"auto"})");
}

TEST(CollectivePrograms, SayWhatIsWrong) {
  auto read = [](llvm::StringRef reductions) {
    Result<Schedule> schedule = readSchedule((R"({"tactics": [], "reductions": )" + reductions + "}").str(), "s.json");
    return schedule ? "" : schedule.error().str();
  };
  EXPECT_EQ(read("{}"), "s.json:1:31: error: \"reductions\" must be a list");
  EXPECT_EQ(read("[3]"), "s.json:1:32: error: expected an object");
  EXPECT_EQ(read(R"([{"collective": "slice"}])"),
            "s.json:1:47: error: expected the name of a collective\n  "
            "remedy: known are all_reduce, reduce_scatter, all_gather, all_to_all");
  EXPECT_EQ(read(R"([{"collective": "all_to_all", "axes": ["a"], "steps": [["slice", ["a"]]]}])"),
            "s.json:1:87: error: expected the name of a collective\n  remedy: known are all_to_all");
  EXPECT_EQ(read(R"([{"collective": "all_reduce"}])"), "s.json:1:32: error: the member \"axes\" is missing");
  EXPECT_EQ(read(R"([{"collective": "all_reduce", "axes": ["x"], "bytes": [2, 1], "steps": []}])"),
            "s.json:1:85: error: expected the least and the most bytes, such as [0, 1048576]");
  EXPECT_EQ(read(R"([{"collective": "all_reduce", "axes": ["x"], "steps": [["slice"]]}])"),
            "s.json:1:86: error: expected a step, such as [\"all_reduce\", [\"data\"]]");
  EXPECT_NE(read(R"([{"collective": "all_reduce", "axes": ["x"], "step": []}])").find("unknown member \"step\""),
            std::string::npos);
}

} // namespace
} // namespace partita::schedule
