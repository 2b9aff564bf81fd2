//===- PresetsTest.cpp ----------------------------------------------------===//

#include "partita/Machine/Presets.h"
#include "partita/Machine/ProductPrice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::machine;
using testing::HasSubstr;

static Machine build(llvm::StringRef text) {
  Result<Machine> machine = buildPreset(text);
  EXPECT_TRUE(machine) << text.str() << ": " << (machine ? "" : machine.error().str());
  return machine ? *machine : Machine();
}

static std::string refuse(llvm::StringRef text) {
  Result<Machine> machine = buildPreset(text);
  EXPECT_FALSE(machine) << text.str();
  if (machine)
    return "";
  EXPECT_EQ(machine.error().code, ExitCode::Usage);
  return machine.error().str();
}

static std::string printKinds(const Machine &machine) {
  std::string text;
  for (const Level &level : machine.levels)
    text += level.name + ":" + std::to_string(level.size) + ":" + getName(level.kind).str() + " ";
  return text;
}

TEST(Presets, AllOfTheListBuildWithTheirExampleShape) {
  std::vector<std::string> names;
  for (const PresetInfo &info : listPresets()) {
    names.push_back(info.name.str());
    Machine machine = build((info.name + ":" + info.exampleShape).str());
    EXPECT_GT(machine.device.memoryBytes.value, int64_t(1) << 30);
    EXPECT_GT(getPeakFlopsPerSecond(machine.device, "bf16"), 0);
    EXPECT_FALSE(machine.sources.empty());
  }
  EXPECT_THAT(names, testing::ElementsAre("tpu-v3", "tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu-7x", "v100-sxm2",
                                          "a100-sxm-40", "a100-sxm-80", "h100-sxm", "h200-sxm", "b200", "gb200-nvl72",
                                          "mi300x", "cpu-host"));
}

TEST(Presets, EveryFigureHasASourceThatIsExplained) {
  for (const PresetInfo &info : listPresets()) {
    Machine machine = build((info.name + ":" + info.exampleShape).str());
    auto check = [&](const Figure &figure) {
      if (figure.value == 0)
        return;
      EXPECT_TRUE(llvm::any_of(machine.sources, [&](const SourceNote &note) { return note.tag == figure.source; }))
          << info.name.str() << " " << figure.value << " '" << figure.source << "'";
    };
    for (const PeakRate &peak : machine.device.peaks)
      check(peak.flopsPerSecond);
    for (const Figure *figure : {&machine.device.memoryBytes, &machine.device.memoryBytesPerSecond,
                                 &machine.device.pool.sharePpm, &machine.device.pool.plannedPpm,
                                 &machine.device.memoryPpm, &machine.device.launchPs, &machine.device.matmulTile})
      check(*figure);
    for (const Level &level : machine.levels)
      for (const Figure *figure : {&level.bytesPerSecond, &level.devicesPerPort, &level.localBytesPerSecond,
                                   &level.peerHopPs, &level.treeHopPs, &level.protocols.front().launchPs})
        check(*figure);
  }
}

TEST(Presets, GpusAreNodesAndAFastDomain) {
  EXPECT_EQ(printKinds(build("h100-sxm:4x8")), "node:4:switch nvlink:8:switch ");
  EXPECT_EQ(printKinds(build("h100-sxm:8")), "node:1:switch nvlink:8:switch ");
  EXPECT_EQ(printKinds(build("mi300x:2x8")), "node:2:switch xgmi:8:full_mesh ");
  EXPECT_EQ(build("gb200-nvl72:2x72").getNumDevices(), 144);
}

TEST(Presets, TorusDimsWrapByTheRuleOfTheirGeneration) {
  EXPECT_EQ(printKinds(build("tpu-v5e:8x16")), "slice:1:switch x:8:line y:16:ring ");
  EXPECT_EQ(printKinds(build("tpu-v6e:4x4")), "slice:1:switch x:4:line y:4:line ");
  EXPECT_EQ(printKinds(build("tpu-v5p:4x4x8")), "slice:1:switch x:4:ring y:4:ring z:8:ring ");
  EXPECT_EQ(printKinds(build("tpu-v4:2x4x4")), "slice:1:switch x:2:line y:4:line z:4:line ");
  EXPECT_EQ(printKinds(build("tpu-v5e:2*16x16")), "slice:2:switch x:16:ring y:16:ring ");
}

TEST(Presets, AChipOfTwoDevicesSharesItsLinksAndMemory) {
  Machine machine = build("tpu-7x:4x4x4");
  EXPECT_EQ(machine.getNumDevices(), 128);
  EXPECT_EQ(machine.levels[1].devicesPerPort.value, 2);
  EXPECT_EQ(machine.device.memoryBytes.value, 206'158'430'208 / 2);
  EXPECT_EQ(getPeakFlopsPerSecond(machine.device, "bf16"), 1'153'500'000'000'000);
}

TEST(Presets, CloudNamesCountCores) {
  Machine machine = build("v5p-128");
  EXPECT_EQ(machine.name, "tpu-v5p:4x4x4");
  EXPECT_THAT(machine.notes.front(), HasSubstr("counts cores: 64 chips"));
  EXPECT_EQ(build("v5litepod-16").name, "tpu-v5e:4x4");
  EXPECT_EQ(build("tpu-v4-8").name, "tpu-v4:2x2x1");
  EXPECT_EQ(build("tpu7x-8").name, "tpu-7x:2x2x1");
  EXPECT_THAT(refuse("v5p-6"), HasSubstr("no slice of tpu-v5p has 6 cores"));
}

TEST(Presets, ImpossibleShapesAreUsageErrors) {
  EXPECT_THAT(refuse("h100-sxm"), HasSubstr("has no shape"));
  EXPECT_THAT(refuse("h100-sxm:4x16"), HasSubstr("at most 8 devices"));
  EXPECT_THAT(refuse("h100-sxm:2*4x8"), HasSubstr("only TPUs have slices"));
  EXPECT_THAT(refuse("h100-sxm:1x2x4"), HasSubstr("two sizes"));
  EXPECT_THAT(refuse("tpu-v5e:4x4x4"), HasSubstr("2 dims"));
  EXPECT_THAT(refuse("tpu-v5e:32x4"), HasSubstr("no dim of 32"));
  EXPECT_THAT(refuse("tpu-v5p:3x4x4"), HasSubstr("no dim of 3"));
  EXPECT_THAT(refuse("tpu-v4:16x16x16x2"), HasSubstr("3 dims"));
  EXPECT_THAT(refuse("h100-sxm:99999999999999999999x8"), HasSubstr("not sizes"));
  EXPECT_THAT(refuse("h100-sxm:-1x8"), HasSubstr("not sizes"));
  EXPECT_THAT(refuse("h100-sxm:524288x8"), HasSubstr("at most 1048576"));
  EXPECT_THAT(refuse("nothing:4x4"), HasSubstr("known machines are tpu-v3"));
  EXPECT_THAT(refuse("h100-smx:1x8"), HasSubstr("did you mean 'h100-sxm'?"));
}

TEST(Device, F32RunsAtTheRateThatFrameworksUse) {
  EXPECT_EQ(getPeakFlopsPerSecond(build("h100-sxm:8").device, "f32"), 494'590'000'000'000);
  EXPECT_EQ(getPeakFlopsPerSecond(build("tpu-v4:4x4x4").device, "f32"), 275'000'000'000'000);
  EXPECT_EQ(getPeakFlopsPerSecond(build("h100-sxm:8").device, "f8E4M3FN"), 1'978'340'000'000'000);
  EXPECT_EQ(getPeakFlopsPerSecond(build("v100-sxm2:8").device, "bf16"), 125'000'000'000'000);
}

TEST(Device, EfficiencyGrowsOnTheLogarithmOfTheIdealTime) {
  std::vector<EfficiencyPoint> curve = {{1 << 10, 100'000}, {1 << 14, 500'000}};
  EXPECT_EQ(computeEfficiencyPpm(curve, 1), 100'000);
  EXPECT_EQ(computeEfficiencyPpm(curve, 1 << 12), 300'000);
  EXPECT_EQ(computeEfficiencyPpm(curve, 1 << 20), 500'000);
  EXPECT_EQ(computeEfficiencyPpm({}, 7), wholePpm);
}

// Microseconds in bf16, as bench/data/gpu_ops.json has them.
TEST(Device, MatmulsAreAsFastAsMeasured) {
  // On a device that rested, operands in memory (bench/gpu_ops.py).
  Device device = build("h200-sxm:1").device;
  device.products.sustainedPpm = {wholePpm, ""};
  auto price = [&](int64_t m, int64_t k, int64_t n) {
    ProductPiece piece{1, m, n, k, 2 * m * n * k, 2 * (m * k + k * n + m * n), true};
    return double(ProductPricer(device).computeTimePs(piece, "bf16", ProductPrecision::Default)) / 1e6;
  };
  EXPECT_NEAR(price(8192, 8192, 8192), 1328, 70);
  EXPECT_NEAR(price(1024, 4096, 14336), 161, 15);
  EXPECT_NEAR(price(512, 4096, 4096), 27, 4);
  EXPECT_NEAR(price(8, 4096, 4096), 12, 1);
}

TEST(Device, TimesSaturate) {
  EXPECT_EQ(computeTransferPs(INT64_MAX, 1), maxTimePs);
  EXPECT_EQ(computeTransferPs(5, 0), maxTimePs);
  EXPECT_EQ(computeTransferPs(-5, 1), 0);
  EXPECT_EQ(computeTransferPs(1, 1'000'000'000'000, 500'000), 2);
}
