//===- MachineFileTest.cpp ------------------------------------------------===//

#include "partita/Machine/MachineFile.h"

#include "partita/Machine/Presets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::machine;
using testing::HasSubstr;

static std::string write(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream out(text);
  writeMachine(machine, out);
  return text;
}

TEST(MachineFile, ReadsWhatItWrites) {
  for (const PresetInfo &info : listPresets()) {
    Machine machine = *buildPreset((info.name + ":" + info.exampleShape).str());
    Result<Machine> read = readMachine(write(machine), "m.json");
    ASSERT_TRUE(read) << info.name.str() << ": " << read.error().str();
    EXPECT_EQ(*read, machine) << info.name.str();
  }
}

static const char *small = R"({
  "partita_machine": 1,
  "name": "mine",
  "device": {
    "peak_flops_per_second": {"f32": 1000},
    "memory_bytes": 100,
    "memory_bytes_per_second": 10,
    "launch_ps": 5
  },
  "levels": [
    {"name": "net", "kind": "switch", "size": 4,
     "bytes_per_second": {"value": 7, "source": "measured"},
     "protocols": [{"launch_ps": 1, "hop_ps": 2, "rate_ppm": 1000000}]}
  ]
})";

TEST(MachineFile, FiguresMayBePlainNumbers) {
  Result<Machine> machine = readMachine(small, "m.json");
  ASSERT_TRUE(machine) << machine.error().str();
  EXPECT_EQ(machine->getNumDevices(), 4);
  EXPECT_EQ(machine->levels[0].bytesPerSecond, (Figure{7, "measured"}));
  EXPECT_EQ(machine->levels[0].devicesPerPort.value, 1);
  EXPECT_EQ(machine->device.memoryBytes, (Figure{100, ""}));
}

/// The error after one change to the text above.
static std::string refuse(llvm::StringRef from, llvm::StringRef to) {
  std::string text = small;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from.str();
  text.replace(at, from.size(), to);
  Result<Machine> machine = readMachine(text, "m.json");
  EXPECT_FALSE(machine) << to.str();
  if (machine)
    return "";
  EXPECT_EQ(machine.error().code, ExitCode::BadInput);
  return machine.error().str();
}

TEST(MachineFile, EveryErrorNamesPlacePathAndRemedy) {
  EXPECT_THAT(refuse("\"launch_ps\": 5", "\"lunch_ps\": 5"),
              HasSubstr("m.json:4:13: error: the key \"launch_ps\" is missing in \"device\"\n"));
  EXPECT_THAT(refuse("\"launch_ps\": 5", "\"launch_ps\": 5, \"color\": 1"),
              HasSubstr("m.json:8:21: error: unknown key \"color\" in \"device\"\n"));
  EXPECT_THAT(refuse("\"launch_ps\": 5", "\"launch_ps\": 5, \"isue_ps\": 1"), HasSubstr("did you mean 'issue_ps'?"));
  EXPECT_THAT(refuse("\"memory_bytes\": 100", "\"memory_bytes\": -1"),
              HasSubstr("m.json:6:21: error: \"device.memory_bytes\" is -1, which is not in 1.."));
  EXPECT_THAT(refuse("\"memory_bytes\": 100", "\"memory_bytes\": 1.5"),
              HasSubstr("\"device.memory_bytes\": '1.5' is not a whole number"));
  EXPECT_THAT(refuse("\"memory_bytes\": 100", "\"memory_bytes\": \"80 GB/s\""),
              HasSubstr("\"device.memory_bytes\": '80 GB/s' has no unit that is known here"));
  EXPECT_THAT(refuse("\"memory_bytes\": 100", "\"memory_bytes\": true"), HasSubstr("this is not a number"));
  EXPECT_THAT(refuse("\"memory_bytes\": 100", "\"memory_bytes\": {\"value\": 1, \"unit\": \"GB\"}"),
              HasSubstr("m.json:6:34: error: unknown key \"unit\" in \"device.memory_bytes\""));
  EXPECT_THAT(refuse("\"switch\"", "\"hub\""),
              HasSubstr("m.json:11:29: error: \"levels[0].kind\": unknown kind of level \"hub\""));
  EXPECT_THAT(refuse("\"size\": 4", "\"size\": 0"), HasSubstr("\"levels[0].size\" is 0"));
  EXPECT_THAT(refuse("\"size\": 4", "\"size\": 2000000"), HasSubstr("\"levels[0].size\" is 2000000"));
  EXPECT_THAT(refuse("1000000}]", "1000001}]"), HasSubstr("\"levels[0].protocols[0].rate_ppm\" is 1000001"));
  EXPECT_THAT(refuse("[{\"launch_ps\": 1, \"hop_ps\": 2, \"rate_ppm\": 1000000}]", "[]"),
              HasSubstr("\"levels[0].protocols\" is empty"));
  EXPECT_THAT(refuse("\"f32\": 1000", "\"f33\": 1000"), HasSubstr("m.json:5:31: error: unknown key \"f33\""));
  EXPECT_THAT(refuse("\"partita_machine\": 1", "\"partita_machine\": 2"), HasSubstr("is 2, which is not in 1..1"));
  EXPECT_THAT(refuse("\"kind\": \"switch\"", "\"kind\": \"hybrid_mesh\""), HasSubstr("fewer entries"));
  EXPECT_THAT(refuse("\"levels\": [", "\"levels\": 3, \"notes\": ["), HasSubstr("\"levels\" is not an array"));
  EXPECT_THAT(refuse("}\n  ]", "},\n{\"name\": \"net\", \"kind\": \"ring\", \"size\": 2, \"bytes_per_second\": 1, "
                               "\"protocols\": [{\"launch_ps\": 1, \"hop_ps\": 2, \"rate_ppm\": 1}]}]"),
              HasSubstr("m.json:14:1: error: \"levels[1]\": the level \"net\" stands twice"));
  EXPECT_THAT(refuse("\"name\": \"mine\"", "\"name\": \"mine\", \"platform\": \"gpu\""),
              HasSubstr("m.json:3:31: error: \"platform\": there is no platform \"gpu\"\n"));
}

TEST(MachineFile, EveryErrorHasARemedy) {
  for (auto [from, to] : {std::pair{"\"launch_ps\": 5", "\"lunch_ps\": 5"},
                          {"\"memory_bytes\": 100", "\"memory_bytes\": -1"},
                          {"\"memory_bytes\": 100", "\"memory_bytes\": [1]"},
                          {"\"name\": \"mine\"", "\"name\": 1"},
                          {"\"name\": \"net\"", "\"name\": \"\""},
                          {"{\"f32\": 1000}", "{}"},
                          {"{\"f32\": 1000}", "3"},
                          {"\"launch_ps\": 5", "\"launch_ps\": 5, \"matmul_efficiency\": {\"points\": [[5]]}"},
                          {"\"size\": 4", "\"size\": 4, \"group_links\": [1, 2, 3]"}})
    EXPECT_THAT(refuse(from, to), HasSubstr("\n  remedy: ")) << to;
}

TEST(MachineFile, EveryNumberMayHaveAUnit) {
  std::string text = small;
  auto replace = [&](llvm::StringRef from, llvm::StringRef to) {
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from.str();
    text.replace(at, from.size(), to);
  };
  replace("\"f32\": 1000", "\"f32\": 3.62e14");
  replace("\"memory_bytes\": 100", "\"memory_bytes\": \"80 GiB\"");
  replace("\"memory_bytes_per_second\": 10",
          "\"memory_bytes_per_second\": {\"value\": \"3.35 TB/s\", \"source\": \"web\"}");
  replace("\"launch_ps\": 5", "\"launch_ps\": \"3.5 us\", \"matmul_efficiency\": {\"points\": [[\"1 us\", \"50%\"]]}");
  replace("\"hop_ps\": 2, \"rate_ppm\": 1000000", "\"hop_ps\": \"2 ns\", \"rate_ppm\": \"92.5%\"");
  Result<Machine> machine = readMachine(text, "m.json");
  ASSERT_TRUE(machine) << machine.error().str();
  EXPECT_EQ(machine->device.peaks[0].flopsPerSecond.value, 362'000'000'000'000);
  EXPECT_EQ(machine->device.memoryBytes.value, int64_t(80) << 30);
  EXPECT_EQ(machine->device.memoryBytesPerSecond, (Figure{3'350'000'000'000, "web"}));
  EXPECT_EQ(machine->device.launchPs.value, 3'500'000);
  EXPECT_EQ(machine->device.matmulEfficiency[0], (EfficiencyPoint{1'000'000, 500'000}));
  EXPECT_EQ(machine->levels[0].protocols[0].hopPs.value, 2'000);
  EXPECT_EQ(machine->levels[0].protocols[0].ratePpm.value, 925'000);
}

TEST(MachineFile, PresetsHaveAPlatformAndAFileMay) {
  for (auto [name, platform] :
       {std::pair{"h100-sxm:1x8", "cuda"}, {"mi300x:8", "rocm"}, {"v5p-128", "tpu"}, {"cpu-host:8", "cpu"}})
    EXPECT_EQ(buildPreset(name)->platform, platform);
  EXPECT_EQ(readMachine(small, "m.json")->platform, "");
}

TEST(MachineFile, TheIssueWindowIsThatOfThePlatformUnlessAFileGivesOne) {
  for (auto [name, window] : {std::pair{"h100-sxm:1x8", 2}, {"mi300x:8", 2}, {"v5p-128", 1}, {"cpu-host:8", 0}})
    EXPECT_EQ(getIssueWindow(*buildPreset(name)), window);
  EXPECT_EQ(getIssueWindow(*readMachine(small, "m.json")), 0);
  Machine given = *readMachine(R"({"base": "h100-sxm:1x8", "name": "ours", "device": {"issue_window": 4}})", "m.json");
  EXPECT_EQ(getIssueWindow(given), 4);
  EXPECT_EQ(*readMachine(write(given), "m.json"), given);
  EXPECT_THAT(refuse("\"launch_ps\": 5", "\"launch_ps\": 5, \"issue_window\": -1"),
              HasSubstr("\"device.issue_window\" is -1, which is not in 0..64"));
}

TEST(MachineFile, SoIsTheLateWindow) {
  for (auto [name, window] : {std::pair{"h100-sxm:1x8", 8}, {"mi300x:8", 8}, {"v5p-128", 0}, {"cpu-host:8", 0}})
    EXPECT_EQ(getLateWindow(*buildPreset(name)), window);
  Machine given = *readMachine(R"({"base": "h100-sxm:1x8", "name": "ours", "device": {"late_window": 3}})", "m.json");
  EXPECT_EQ(getLateWindow(given), 3);
  EXPECT_EQ(*readMachine(write(given), "m.json"), given);
}

TEST(MachineFile, AFileMayChangeAPreset) {
  Machine base = *buildPreset("h100-sxm:1x8");
  Result<Machine> machine = readMachine(R"({"base": "h100-sxm:1x8", "name": "ours",
    "device": {"memory_bytes": "40 GB", "peak_flops_per_second": {"bf16": "400 TFLOP/s"}},
    "levels": {"nvlink": {"bytes_per_second": {"value": "200 GB/s", "source": "memory"}}}})",
                                        "m.json");
  ASSERT_TRUE(machine) << machine.error().str();
  // A figure that is given without a source has none: the preset's does not speak for it.
  base.name = "ours";
  base.device.memoryBytes = {40'000'000'000, ""};
  base.device.peaks[0].flopsPerSecond = {400'000'000'000'000, ""};
  base.levels[1].bytesPerSecond = {200'000'000'000, "memory"};
  EXPECT_EQ(*machine, base);
  EXPECT_EQ(machine->platform, "cuda");
  EXPECT_EQ(readMachine(R"({"base": "tpu-v5e", "name": "ours"})", "m.json")->getNumDevices(), 16);
}

TEST(MachineFile, ABaseThatIsNotKnownIsRefused) {
  auto refuseText = [](llvm::StringRef text) {
    Result<Machine> machine = readMachine(text, "m.json");
    EXPECT_FALSE(machine) << text.str();
    return machine ? "" : machine.error().str();
  };
  EXPECT_EQ(refuseText(R"({"base": "h100-smx:1x8", "name": "ours"})"),
            "m.json:1:10: error: \"base\": unknown machine 'h100-smx'\n  remedy: did you mean 'h100-sxm'?");
  EXPECT_THAT(refuseText(R"({"base": "h100-sxm:1x8"})"), HasSubstr("the key \"name\" is missing"));
  EXPECT_THAT(refuseText(R"({"base": 3, "name": "ours"})"), HasSubstr("\"base\" is not a text"));
  EXPECT_THAT(
      refuseText(R"({"base": "h100-sxm:1x8", "name": "ours", "levels": {"nvlnk": {}}})"),
      HasSubstr(
          "m.json:1:53: error: \"levels.nvlnk\": the base has no level \"nvlnk\"\n  remedy: did you mean 'nvlink'?"));
  EXPECT_THAT(refuseText(R"({"base": "h100-sxm:1x8", "name": "ours", "levels": {"nvlink": {"kind": "hybrid_mesh"}}})"),
              HasSubstr("m.json:1:63: error: \"levels[1].group_links\" has fewer entries"));
}

TEST(MachineFile, AHopTakesLessThanASecond) {
  EXPECT_THAT(refuse("\"hop_ps\": 2", "\"hop_ps\": 1000000000001"), HasSubstr("is not in 0..1000000000000"));
}

TEST(MachineFile, ACurveAscends) {
  EXPECT_THAT(refuse("\"launch_ps\": 5", "\"launch_ps\": 5, \"matmul_efficiency\": {\"points\": [[5, 1], [5, 2]]}"),
              HasSubstr("do not ascend"));
  EXPECT_THAT(refuse("\"launch_ps\": 5", "\"launch_ps\": 5, \"matmul_efficiency\": {\"points\": [[5]]}"),
              HasSubstr("is not [ideal_ps, ppm]"));
}

TEST(MachineFile, PresetsAndFilesResolve) {
  EXPECT_EQ(resolveMachine("h100-sxm:1x8")->name, "h100-sxm:1x8");
  Result<Machine> missing = resolveMachine("no/such/machine.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ExitCode::CannotReadOrWrite);
  EXPECT_EQ(resolveMachine("no-such-machine").error().code, ExitCode::Usage);
}
