//===- ScheduleTest.cpp ---------------------------------------------------===//

#include "partita/Schedule/Schedule.h"

#include <gtest/gtest.h>

#include <ctime>

namespace partita::schedule {
namespace {

const char *const example = R"json({"tactics": [
  {"name": "BP", "axis": "data",  "tile": [["batch.*", 0]]},
  {"name": "Z2", "axis": "data",  "tile": [["state/opt_state/.*", "first_divisible"]], "atomic": ["state/params/.*"],
   "optional": true},
  {"axis": "model:(1)2", "cut": [".*dispatch.*#0"], "side": [["q", 1]], "tile": [["w", [2, 0, 1]]]},
  {"name": "BP", "axis": "data"}]})json";

std::string print(const Schedule &schedule) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  writeSchedule(schedule, json);
  return text;
}

TEST(ScheduleTest, KeepsOrderAndPlaces) {
  Result<Schedule> schedule = readSchedule(example, "s.json");
  ASSERT_TRUE(bool(schedule)) << schedule.error().str();
  ASSERT_EQ(schedule->tactics.size(), 4u);
  const Tactic &second = schedule->tactics[1];
  EXPECT_TRUE(second.isOptional);
  ASSERT_EQ(second.entries.size(), 2u);
  // Atomics act before tiles, wherever the file has them.
  EXPECT_EQ(second.entries[0].kind, ActionKind::Atomic);
  EXPECT_EQ(second.entries[1].kind, ActionKind::Tile);
  EXPECT_EQ(second.entries[1].dim, std::nullopt);
  EXPECT_EQ(second.entries[1].location.str(), "s.json:3:45");
  EXPECT_EQ(schedule->tactics[2].name, "tactic");
  EXPECT_EQ(schedule->tactics[2].entries[2].dim, 2u);
  EXPECT_EQ(schedule->tactics[2].entries[2].otherDims, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(schedule->tactics[3].name, "BP (2)");
}

TEST(ScheduleTest, ReadsWhatItWrites) {
  Result<Schedule> schedule = readSchedule(example, "s.json");
  ASSERT_TRUE(bool(schedule));
  std::string text = print(*schedule);
  Result<Schedule> again = readSchedule(text, "t.json");
  ASSERT_TRUE(bool(again)) << again.error().str();
  EXPECT_EQ(print(*again), text);
}

std::string errorOf(llvm::StringRef text) {
  Result<Schedule> schedule = readSchedule(text, "s.json");
  return schedule ? "accepted" : schedule.error().str();
}

TEST(ScheduleTest, SaysWhatIsWrongAndWhere) {
  auto expect = [](llvm::StringRef text, llvm::StringRef part) {
    EXPECT_NE(errorOf(text).find(part.str()), std::string::npos) << errorOf(text);
  };
  expect(R"({"tactic": []})", "s.json:1:2: error: unknown member \"tactic\"");
  expect(R"({"tactics": {}})", "\"tactics\" must be a list");
  expect(R"({"tactics": [{"name": "a"}]})", "the member \"axis\" is missing");
  expect(R"({"tactics": [{"axis": "x", "tiles": []}]})", "s.json:1:28: error: unknown member \"tiles\"");
  expect(R"({"tactics": [{"axis": "x", "tile": [["a"]]}]})", "expected a pattern and a dim");
  expect(R"({"tactics": [{"axis": "x", "tile": [["a", -1]]}]})",
         "expected the number of a dim, a list of them or \"first_divisible\"");
  expect(R"({"tactics": [{"axis": "x", "tile": [["a", []]]}]})", "s.json:1:43: error: the list of dims is empty");
  expect(R"({"tactics": [{"axis": "x", "tile": [["a", [0, "b"]]]}]})",
         "s.json:1:47: error: expected the number of a dim");
  expect(R"({"tactics": [{"axis": "x", "side": [["a", [0, 1]]]}]})", "expected the number of a dim");
  expect(R"({"tactics": [{"axis": "x", "side": [["a", "first_divisible"]]}]})", "expected the number of a dim");
  expect(R"({"tactics": [{"axis": "x", "atomic": [["a", 0]]}]})", "expected a pattern");
  expect(R"({"tactics": [{"axis": "x", "optional": 1}]})", "\"optional\" must be true or false");
  expect(R"({"tactics": [{"axis": "x", "axes": ["x"]}]})", "belongs to automatic tactics");
  expect("{", "s.json:1:2: error");
}

TEST(ScheduleTest, AutomaticTacticsAreKept) {
  Result<Schedule> schedule =
      readSchedule(R"({"tactics": [{"name": "rest", "auto": {"goals": ["fit"]}, "axes": ["x"]}]})", "s.json");
  ASSERT_TRUE(bool(schedule)) << schedule.error().str();
  const std::optional<AutomaticTactic> &automatic = schedule->tactics[0].automatic;
  ASSERT_TRUE(automatic.has_value());
  EXPECT_EQ(automatic->goals, std::vector<std::string>{"fit"});
  EXPECT_EQ(automatic->axes, std::vector<std::string>{"x"});
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  writeSchedule(*schedule, json);
  EXPECT_EQ(text, R"({"tactics":[{"name":"rest","auto":{"goals":["fit"]},"axes":["x"]}]})");
}

TEST(ScheduleTest, AutomaticTacticsHaveNoTiles) {
  Result<Schedule> schedule = readSchedule(R"({"tactics": [{"auto": {}, "tile": [["a", 0]]}]})", "s.json");
  ASSERT_FALSE(bool(schedule));
  EXPECT_NE(schedule.error().str().find("unknown member \"tile\""), std::string::npos);
}

TEST(ScheduleTest, TheScheduleOfAPlanIsOptional) {
  Result<Schedule> schedule =
      readSchedule(R"({"partita_plan": 1, "schedule": {"tactics": [{"axis": "x", "tile": [["a", 0]]}]}})", "plan.json");
  ASSERT_TRUE(bool(schedule)) << schedule.error().str();
  EXPECT_TRUE(schedule->tactics[0].isOptional);
}

TEST(ScheduleTest, NumbersPassNamesThatAreTaken) {
  Result<Schedule> schedule =
      readSchedule(R"json({"tactics": [{"name": "a (2)", "axis": "x"}, {"name": "a", "axis": "x"},
        {"name": "a", "axis": "x"}, {"name": "a", "axis": "x"}, {"name": "a (3)", "axis": "x"}]})json",
                   "s.json");
  ASSERT_TRUE(bool(schedule)) << schedule.error().str();
  std::vector<std::string> names;
  for (const Tactic &tactic : schedule->tactics)
    names.push_back(tactic.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a (2)", "a", "a (3)", "a (4)", "a (3) (2)"}));
}

/// Processor time to read `count` tactics without names, the least of three.
double timeNameless(size_t count) {
  std::string text = R"({"tactics": [{"axis": "x"})";
  for (size_t i = 1; i < count; ++i)
    text += R"(, {"axis": "x"})";
  text += "]}";
  double least = 1e9;
  for (int run = 0; run < 3; ++run) {
    std::clock_t begin = std::clock();
    EXPECT_TRUE(bool(readSchedule(text, "s.json")));
    least = std::min(least, static_cast<double>(std::clock() - begin));
  }
  return least;
}

TEST(ScheduleTest, TimeIsLinear) {
  // Four times the tactics: four times the time. It was sixteen times.
  EXPECT_LT(timeNameless(16'000), 8 * timeNameless(4'000));
}

TEST(PatternTest, MatchesWholeNames) {
  Result<Pattern> pattern = Pattern::parse("w[12]|b", {});
  ASSERT_TRUE(bool(pattern));
  EXPECT_TRUE(pattern->matches("w1"));
  EXPECT_TRUE(pattern->matches("b"));
  EXPECT_FALSE(pattern->matches("w12"));
  EXPECT_FALSE(pattern->matches("ab"));
  Result<Pattern> escaped = Pattern::parse(escapePattern("state.params['w'][0](x)+"), {});
  ASSERT_TRUE(bool(escaped));
  EXPECT_TRUE(escaped->matches("state.params['w'][0](x)+"));
  EXPECT_FALSE(escaped->matches("state_params['w'][0](x)+"));
}

TEST(PatternTest, RefusesWhatIsNotPosix) {
  auto errorOfPattern = [](llvm::StringRef text) {
    Result<Pattern> pattern = Pattern::parse(text, SourceLocation{"s.json", 3, 4});
    return pattern ? std::string("accepted") : pattern.error().str();
  };
  EXPECT_NE(errorOfPattern("layers/\\d+").find("'\\d' is not POSIX extended syntax"), std::string::npos);
  EXPECT_NE(errorOfPattern("layers/\\d+").find("write [0-9]"), std::string::npos);
  EXPECT_NE(errorOfPattern("\\w").find("write [A-Za-z0-9_]"), std::string::npos);
  EXPECT_NE(errorOfPattern("(?:a)").find("'(?' is not POSIX"), std::string::npos);
  EXPECT_NE(errorOfPattern("(a)\\1").find("'\\1' is not POSIX"), std::string::npos);
  EXPECT_NE(errorOfPattern("a)|(b").find("is wrong"), std::string::npos);
  EXPECT_NE(errorOfPattern("[a").find("is wrong"), std::string::npos);
  EXPECT_NE(errorOfPattern("").find("empty"), std::string::npos);
  EXPECT_NE(errorOfPattern("((a{255}){255}){255}").find("multiply to more"), std::string::npos);
  EXPECT_NE(errorOfPattern(std::string(5000, 'a')).find("longer than"), std::string::npos);
  // Inside brackets these are characters.
  EXPECT_EQ(errorOfPattern("[(?{300}\\]a"), "accepted");
  EXPECT_EQ(errorOfPattern("[]{9999}[:alpha:]]"), "accepted");
}

TEST(ScheduleTest, PresetsAreReadAndWritten) {
  const char *const text = R"({"tactics":[{"name":"fsdp","preset":"fsdp","axis":"data","batch":["x","y"],"dim":1},)"
                           R"({"name":"MP","preset":"megatron","axis":"model","row":["w2"],"optional":true}]})";
  Result<Schedule> schedule = readSchedule(text, "s.json");
  ASSERT_TRUE(bool(schedule)) << schedule.error().str();
  EXPECT_EQ(print(*schedule), text);
  auto errorOf = [](const std::string &members) {
    Result<Schedule> schedule = readSchedule("{\"tactics\": [{" + members + "}]}", "s.json");
    return schedule ? "none" : schedule.error().str();
  };
  EXPECT_NE(errorOf(R"("preset": "ddp", "axis": "data")").find("there is no preset 'ddp'"), std::string::npos);
  EXPECT_NE(errorOf(R"("preset": "zero2", "axis": "data", "batch": "x")").find("unknown member \"batch\""),
            std::string::npos);
  EXPECT_NE(errorOf(R"("preset": "fsdp")").find("\"axis\" is missing"), std::string::npos);
  EXPECT_NE(errorOf(R"("preset": "fsdp", "axis": "data", "dim": "x")").find("number of a dim"), std::string::npos);
  EXPECT_NE(errorOf(R"("preset": "fsdp", "axis": "data", "batch": [1])").find("expected a pattern"), std::string::npos);
  EXPECT_NE(errorOf(R"("preset": 1, "axis": "data")").find("must be a string"), std::string::npos);
}

TEST(ScheduleTest, RematTacticsAreOne) {
  Result<Schedule> schedule = readSchedule(
      R"({"tactics": [{"keep": "mlp/.*"}, {"axis": "x", "tile": []}, {"name": "remat", "recompute": ["a", "b"]}]})",
      "s.json");
  ASSERT_TRUE(schedule);
  ASSERT_TRUE(schedule->remat);
  EXPECT_EQ(schedule->tactics.size(), 1u);
  ASSERT_EQ(schedule->remat->recompute.size(), 2u);
  EXPECT_TRUE(schedule->remat->recompute[1].matches("b"));
  ASSERT_EQ(schedule->remat->keep.size(), 1u);
  EXPECT_TRUE(schedule->remat->keep[0].matches("mlp/tanh"));
}

TEST(ScheduleTest, APipelineIsWrittenAsItIsRead) {
  constexpr llvm::StringLiteral given =
      R"({"tactics":[{"name":"PP","axis":"pipe","pipeline":["layers/.*"],"microbatches":8}]})";
  Result<Schedule> schedule = readSchedule(given, "s.json");
  ASSERT_TRUE(schedule) << schedule.error().str();
  Tactic *tactic = findPipelineTactic(*schedule);
  ASSERT_NE(tactic, nullptr);
  EXPECT_EQ(tactic->pipeline->microbatches, 8);
  EXPECT_EQ(tactic->pipeline->repeats, 1);
  EXPECT_TRUE(tactic->pipeline->stacks.front().matches("layers/w"));
  // Tiles that the rewrite found follow from the program again.
  tactic->entries.push_back({ActionKind::Tile, tactic->pipeline->stacks.front(), 0, {}});
  EXPECT_EQ(print(*schedule), given);
  constexpr llvm::StringLiteral around =
      R"({"tactics":[{"name":"PP","axis":"pipe","pipeline":[],"microbatches":8,"repeats":3,"store":true}]})";
  schedule = readSchedule(around, "s.json");
  ASSERT_TRUE(schedule) << schedule.error().str();
  EXPECT_EQ(findPipelineTactic(*schedule)->pipeline->repeats, 3);
  EXPECT_EQ(print(*schedule), around);
}

TEST(ScheduleTest, WrongPipelines) {
  auto errorOf = [](const std::string &tactics) {
    Result<Schedule> schedule = readSchedule("{\"tactics\": [" + tactics + "]}", "s.json");
    return schedule ? "none" : schedule.error().str();
  };
  std::string right = R"({"axis": "pipe", "pipeline": [], "microbatches": 8})";
  EXPECT_EQ(errorOf(right), "none");
  EXPECT_NE(errorOf(right + "," + right).find("there is another pipeline"), std::string::npos);
  EXPECT_NE(errorOf(R"({"axis": "pipe", "pipeline": []})").find("\"microbatches\" is missing"), std::string::npos);
  EXPECT_NE(errorOf(R"({"axis": "pipe", "pipeline": [], "microbatches": 0})").find("from 1 to"), std::string::npos);
  EXPECT_NE(errorOf(R"({"pipeline": [], "microbatches": 8})").find("\"axis\" is missing"), std::string::npos);
  EXPECT_NE(errorOf(R"({"axis": "pipe", "pipeline": [], "microbatches": 8, "repeats": 0})").find("number of repeats"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"axis": "pipe", "pipeline": [], "microbatches": 8, "store": true})").find("circular pipelines"),
            std::string::npos);
}

TEST(ScheduleTest, RematTacticsHaveNoAxis) {
  Result<Schedule> schedule = readSchedule(R"({"tactics": [{"recompute": ["a"], "axis": "x"}]})", "s.json");
  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error().reason, "unknown member \"axis\"");
}

TEST(ScheduleTest, PadTacticsAreReadAndWritten) {
  const char *text = R"({"tactics":[{"name":"pad","pad":[["params/wte",0,8],["x",1,4]],"store":true},{"pad":false}]})";
  Result<Schedule> schedule = readSchedule(text, "s.json");
  ASSERT_TRUE(schedule) << schedule.error().str();
  ASSERT_TRUE(schedule->padding);
  ASSERT_EQ(schedule->padding->entries.size(), 2u);
  EXPECT_EQ(schedule->padding->entries[1].dim, 1u);
  EXPECT_EQ(schedule->padding->entries[1].multiple, 4);
  EXPECT_TRUE(schedule->padding->isStored);
  EXPECT_FALSE(schedule->mayPad);
  EXPECT_EQ(print(*schedule), text);
}

TEST(ScheduleTest, PadTacticsNeedAMultiple) {
  for (const char *entry : {R"(["x", 0])", R"(["x", 0, 0])", R"(["x", 0, "all"])", R"("x")"}) {
    Result<Schedule> schedule = readSchedule(R"({"tactics": [{"pad": [)" + std::string(entry) + "]}]}", "s.json");
    ASSERT_FALSE(schedule);
    EXPECT_NE(schedule.error().reason.find("the number that shall divide it"), std::string::npos);
  }
  EXPECT_FALSE(readSchedule(R"({"tactics": [{"pad": true}]})", "s.json"));
}

TEST(ScheduleTest, ReorderTacticsAreReadAndWritten) {
  const char *text = R"({"tactics":[{"name":"qkv","reorder":[["params/qkv",1,8]],"store":true}]})";
  Result<Schedule> schedule = readSchedule(text, "s.json");
  ASSERT_TRUE(schedule) << schedule.error().str();
  ASSERT_TRUE(schedule->reorder);
  EXPECT_EQ(schedule->reorder->entries.front().dim, 1u);
  EXPECT_EQ(schedule->reorder->entries.front().groups, 8);
  EXPECT_TRUE(schedule->reorder->isStored);
  EXPECT_EQ(print(*schedule), text);
  for (const char *entry : {R"(["x", 0])", R"(["x", 0, 0])", R"(["x", 0, "all"])", R"("x")"}) {
    Result<Schedule> wrong = readSchedule(R"({"tactics": [{"reorder": [)" + std::string(entry) + "]}]}", "s.json");
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().reason.find("the number of devices that split it"), std::string::npos);
  }
  EXPECT_FALSE(readSchedule(R"({"tactics": [{"reorder": false}]})", "s.json"));
}

} // namespace
} // namespace partita::schedule
