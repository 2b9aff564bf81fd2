//===- MemoryPoolTest.cpp -------------------------------------------------===//

#include "partita/Machine/MemoryPool.h"

#include "partita/Machine/MachineFile.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::machine;
using testing::HasSubstr;
using testing::Optional;

/// A device of 1000 bytes on the platform, with its default pool.
static Machine makeMachine(llvm::StringRef platform) {
  Machine machine;
  machine.platform = platform.str();
  machine.device.memoryBytes = {1000, ""};
  machine.device.pool = getDefaultPool(platform);
  return machine;
}

TEST(MemoryPool, GpusHaveThePoolOfJax) {
  // 1000 * .75 * .95 = 712.5
  EXPECT_EQ(getDefaultLimit(makeMachine("cuda").device), 672);
  EXPECT_EQ(getDefaultLimit(makeMachine("rocm").device), 672);
  EXPECT_EQ(getDefaultLimit(makeMachine("tpu").device), 900);
  EXPECT_EQ(getDefaultLimit(makeMachine("cpu").device), 900);
  EXPECT_EQ(getDefaultLimit(makeMachine("").device), 900);
}

TEST(MemoryPool, AGivenPoolTakesThePlaceOfTheDefault) {
  // 1000 * .92 * .896 = 824.3
  EXPECT_EQ(getDefaultLimit(makeMachine("cuda").device, 920'000), 824);
}

TEST(MemoryPool, ThePoolThatAPlanNeedsIsTheSmallestOneThatHoldsIt) {
  Machine gpu = makeMachine("cuda");
  EXPECT_EQ(findPoolPercent(gpu, 672), std::nullopt);
  EXPECT_THAT(findPoolPercent(gpu, 673), Optional(76));
  // 1000 * .91 * .896 = 815.4
  EXPECT_THAT(findPoolPercent(gpu, 815), Optional(91));
  EXPECT_THAT(findPoolPercent(gpu, 816), Optional(92));
  // 1000 * .97 * .896 = 869.1
  EXPECT_THAT(findPoolPercent(gpu, 869), Optional(97));
  EXPECT_EQ(findPoolPercent(gpu, 870), std::nullopt);
  EXPECT_EQ(findPoolPercent(makeMachine("tpu"), 910), std::nullopt);
}

TEST(MemoryPool, SettingsArePrintedAsPeopleWriteThem) {
  EXPECT_EQ(printPool(92), "XLA_PYTHON_CLIENT_MEM_FRACTION=.92");
  EXPECT_EQ(printPool(6), "XLA_PYTHON_CLIENT_MEM_FRACTION=.06");
}

TEST(MemoryPool, FractionsAreReadAsJaxReadsThem) {
  EXPECT_EQ(*parsePoolFraction("V", ".92"), 920'000);
  EXPECT_EQ(*parsePoolFraction("V", " 0.5 "), 500'000);
  EXPECT_EQ(*parsePoolFraction("V", "9e-1"), 900'000);
  EXPECT_EQ(*parsePoolFraction("V", "3.2"), wholePpm);
  for (llvm::StringRef text : {"", "lots", "0", "-.5", "nan", "inf", "90%"}) {
    Result<int64_t> fraction = parsePoolFraction("XLA_CLIENT_MEM_FRACTION", text);
    ASSERT_FALSE(fraction) << text.str();
    EXPECT_EQ(fraction.error().code, ExitCode::Usage);
    EXPECT_THAT(fraction.error().str(), HasSubstr("XLA_CLIENT_MEM_FRACTION='" + text.str() + "' is not a share"));
  }
}

TEST(MemoryPool, MachineFilesMayGiveTheirOwn) {
  Result<Machine> machine = readMachine(
      R"({"base": "h100-sxm:1x8", "name": "ours", "device": {"memory_bytes": 1000, "pool_ppm": "90%"}})", "m.json");
  ASSERT_TRUE(machine) << machine.error().str();
  EXPECT_EQ(getDefaultLimit(machine->device), 806);
  Result<Machine> beyond =
      readMachine(R"({"base": "h100-sxm:1x8", "name": "ours", "device": {"pool_ppm": 1000001}})", "m.json");
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error().str(), HasSubstr("\"device.pool_ppm\" is 1000001"));
}

TEST(MemoryPool, FilesWithoutOneHaveThatOfTheirPlatform) {
  auto read = [](llvm::StringRef platform) {
    Result<Machine> machine = readMachine((R"({"partita_machine": 1, "name": "mine", )" + platform + R"("device": {
      "peak_flops_per_second": {"f32": 1}, "memory_bytes": 1000, "memory_bytes_per_second": 1, "launch_ps": 0},
      "levels": []})")
                                              .str(),
                                          "m.json");
    EXPECT_TRUE(machine) << machine.error().str();
    return machine ? getDefaultLimit(machine->device) : 0;
  };
  EXPECT_EQ(read(R"("platform": "cuda", )"), 672);
  EXPECT_EQ(read(R"("platform": "tpu", )"), 900);
  EXPECT_EQ(read(""), 900);
}
