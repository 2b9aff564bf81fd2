//===- PlacementTest.cpp --------------------------------------------------===//

#include "partita/Machine/Placement.h"

#include "partita/Machine/Presets.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::machine;
using testing::ElementsAre;
using testing::HasSubstr;

static std::string place(llvm::StringRef meshText, llvm::StringRef machineText, llvm::StringRef text = "") {
  Mesh mesh = *parseMesh(meshText);
  Machine machine = *buildPreset(machineText);
  Result<Placement> placement = parsePlacement(text, mesh, machine);
  if (!placement) {
    EXPECT_EQ(placement.error().code, ExitCode::Usage);
    return placement.error().reason;
  }
  return printPlacement(*placement, mesh, machine);
}

TEST(Placement, RowMajorByDefault) {
  EXPECT_EQ(place("data=4,model=8", "h100-sxm:4x8"), "data=node,model=nvlink");
  EXPECT_EQ(place("data=8,model=4", "h100-sxm:4x8"), "data=node+nvlink:2,model=nvlink:4");
  EXPECT_EQ(place("all=32", "h100-sxm:4x8"), "all=node+nvlink");
  EXPECT_EQ(place("one=1,data=2,model=16", "h100-sxm:4x8"), "data=node:2,model=node:2+nvlink");
  EXPECT_EQ(place("data=16,model=8", "tpu-v5p:4x4x8"), "data=x+y,model=z");
}

TEST(Placement, AMachineOfTheRightSizeIsSuggested) {
  auto getRemedy = [](llvm::StringRef mesh, llvm::StringRef machine) {
    return parsePlacement("", *parseMesh(mesh), *buildPreset(machine)).error().remedy;
  };
  EXPECT_EQ(getRemedy("data=16", "h100-sxm:1x8"), "take the machine h100-sxm:2x8, or axes whose sizes multiply to 8");
  EXPECT_EQ(getRemedy("data=4", "h100-sxm:1x8"), "take the machine h100-sxm:1x4, or axes whose sizes multiply to 8");
  // No number of whole hosts, and no hosts at all.
  EXPECT_THAT(getRemedy("data=12", "h100-sxm:1x8"), HasSubstr("its levels are node (1), nvlink (8)"));
  EXPECT_THAT(getRemedy("data=8", "tpu-v5e:4x4"), HasSubstr("both have the same number"));
}

TEST(Placement, StridesFollowTheOrderOfTaking) {
  Mesh mesh = *parseMesh("data=8,model=4");
  Machine machine = *buildPreset("h100-sxm:4x8");
  Placement placement = *placeRowMajor(mesh, machine);
  EXPECT_THAT(placement.axes[0], ElementsAre(LevelPart{0, 4, 1}, LevelPart{1, 2, 4}));
  EXPECT_THAT(placement.axes[1], ElementsAre(LevelPart{1, 4, 1}));
}

TEST(Placement, AsTheUserSays) {
  EXPECT_EQ(place("data=8,model=4", "h100-sxm:4x8", "model=node,data=nvlink"), "data=nvlink,model=node");
  EXPECT_EQ(place("data=8,model=4", "h100-sxm:4x8", "data=nvlink:2+node,model=nvlink"),
            "data=nvlink:2+node,model=nvlink:4");
  // What is not named takes what is left.
  EXPECT_EQ(place("data=4,model=8", "tpu-v5p:2x4x4", "data=z"), "data=z,model=x+y");
}

// Two axes on one level: the first in the text is outside, and printing keeps that.
TEST(Placement, PrintsAsItIsParsed) {
  Mesh mesh = *parseMesh("data=2,model=4");
  Machine machine = *buildPreset("h100-sxm:1x8");
  Placement placement = *parsePlacement("model=nvlink:4,data=nvlink:2", mesh, machine);
  EXPECT_THAT(placement.axes[0], ElementsAre(LevelPart{1, 2, 1}));
  EXPECT_THAT(placement.axes[1], ElementsAre(LevelPart{1, 4, 2}));
  std::string text = printPlacement(placement, mesh, machine);
  EXPECT_EQ(text, "model=nvlink:4,data=nvlink:2");
  EXPECT_EQ(*parsePlacement(text, mesh, machine), placement);
}

TEST(Placement, GivesTheOrderOfDevices) {
  Mesh mesh = *parseMesh("a=2,b=4");
  Machine machine = *buildPreset("h100-sxm:4x2");
  EXPECT_THAT(computeDeviceOrder(*placeRowMajor(mesh, machine), mesh, machine), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  Placement swapped = *parsePlacement("a=nvlink,b=node", mesh, machine);
  EXPECT_THAT(computeDeviceOrder(swapped, mesh, machine), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

TEST(Placement, RefusesWhatDoesNotFit) {
  EXPECT_THAT(place("data=8,model=8", "h100-sxm:4x8"), HasSubstr("has 64 devices, but machine h100-sxm:4x8 has 32"));
  EXPECT_THAT(place("data=2,model=12", "h100-sxm:3x8"), HasSubstr("neither divides the other"));
  EXPECT_THAT(place("data=8,model=4", "h100-sxm:4x8", "data=rack"), HasSubstr("no level 'rack'"));
  EXPECT_THAT(place("data=8,model=4", "h100-sxm:4x8", "expert=node"), HasSubstr("no axis 'expert'"));
  EXPECT_THAT(place("data=8,model=4", "h100-sxm:4x8", "data=node"), HasSubstr("gets only 4 devices"));
  EXPECT_THAT(place("data=8,model=4", "h100-sxm:4x8", "data=node+nvlink:3"), HasSubstr("do not divide"));
  EXPECT_THAT(place("data=8,model=4", "h100-sxm:4x8", "data=nvlink,data=nvlink"), HasSubstr("stands twice"));
  EXPECT_THAT(place("data=8,model=4", "h100-sxm:4x8", "data=nvlink:x"), HasSubstr("no positive size"));
}

TEST(Placement, SubAxesTakeTheirShareOfTheParts) {
  LevelParts axis = {{0, 4, 1}, {1, 2, 4}};
  EXPECT_THAT(placeSubAxis(axis, 1, 8), ElementsAre(LevelPart{0, 4, 1}, LevelPart{1, 2, 4}));
  EXPECT_THAT(placeSubAxis(axis, 1, 2), ElementsAre(LevelPart{0, 2, 2}));
  EXPECT_THAT(placeSubAxis(axis, 2, 2), ElementsAre(LevelPart{0, 2, 1}));
  EXPECT_THAT(placeSubAxis(axis, 2, 4), ElementsAre(LevelPart{0, 2, 1}, LevelPart{1, 2, 4}));
  EXPECT_THAT(placeSubAxis(axis, 4, 2), ElementsAre(LevelPart{1, 2, 4}));
}

// 3 nodes of 2: a sub-axis of 2 that is major cuts through the nodes, so it runs over them.
TEST(Placement, SubAxesThatCutAcrossLevelsRunOverTheOutermost) {
  LevelParts axis = {{0, 3, 1}, {1, 2, 1}};
  int64_t devices = 1;
  LevelParts parts = placeSubAxis(axis, 1, 2);
  for (const LevelPart &part : parts)
    devices *= part.size;
  EXPECT_EQ(devices, 2);
}
