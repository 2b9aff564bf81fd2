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

TEST(MachineFile, EveryErrorNamesKeyAndLine) {
  EXPECT_THAT(refuse("\"launch_ps\": 5", "\"lunch_ps\": 5"), HasSubstr("m.json:4:13: error: the key \"launch_ps\""));
  EXPECT_THAT(refuse("\"launch_ps\": 5", "\"launch_ps\": 5, \"color\": 1"),
              HasSubstr("m.json:8:21: error: unknown key \"color\""));
  EXPECT_THAT(refuse("\"memory_bytes\": 100", "\"memory_bytes\": -1"),
              HasSubstr("m.json:6:21: error: \"memory_bytes\" is -1, which is not in 1.."));
  EXPECT_THAT(refuse("\"memory_bytes\": 100", "\"memory_bytes\": 1.5"), HasSubstr("is not an integer"));
  EXPECT_THAT(refuse("\"memory_bytes\": 100", "\"memory_bytes\": {\"value\": 1, \"unit\": \"GB\"}"),
              HasSubstr("m.json:6:34: error: unknown key \"unit\""));
  EXPECT_THAT(refuse("\"switch\"", "\"hub\""), HasSubstr("m.json:11:29: error: unknown kind of level \"hub\""));
  EXPECT_THAT(refuse("\"size\": 4", "\"size\": 0"), HasSubstr("\"size\" is 0"));
  EXPECT_THAT(refuse("\"size\": 4", "\"size\": 2000000"), HasSubstr("\"size\" is 2000000"));
  EXPECT_THAT(refuse("1000000}]", "1000001}]"), HasSubstr("\"rate_ppm\" is 1000001"));
  EXPECT_THAT(refuse("[{\"launch_ps\": 1, \"hop_ps\": 2, \"rate_ppm\": 1000000}]", "[]"),
              HasSubstr("\"protocols\" is empty"));
  EXPECT_THAT(refuse("\"f32\": 1000", "\"f33\": 1000"), HasSubstr("m.json:5:31: error: unknown key \"f33\""));
  EXPECT_THAT(refuse("\"partita_machine\": 1", "\"partita_machine\": 2"), HasSubstr("is 2, which is not in 1..1"));
  EXPECT_THAT(refuse("\"kind\": \"switch\"", "\"kind\": \"hybrid_mesh\""), HasSubstr("fewer entries"));
  EXPECT_THAT(refuse("\"levels\": [", "\"levels\": 3, \"notes\": ["), HasSubstr("\"levels\" is not an array"));
  EXPECT_THAT(refuse("}\n  ]", "},\n{\"name\": \"net\", \"kind\": \"ring\", \"size\": 2, \"bytes_per_second\": 1, "
                               "\"protocols\": [{\"launch_ps\": 1, \"hop_ps\": 2, \"rate_ppm\": 1}]}]"),
              HasSubstr("m.json:14:1: error: the level \"net\" stands twice"));
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
