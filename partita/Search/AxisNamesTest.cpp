//===- AxisNamesTest.cpp --------------------------------------------------===//

#include "partita/Search/AxisNames.h"

#include "partita/Testing/TestProgram.h"

#include "gmock/gmock.h"

using namespace partita::fixtures;
using testing::ElementsAre;

namespace partita::search {
namespace {

/// Uses that are written down, of colors with words.
class Uses {
public:
  explicit Uses(llvm::StringRef mesh) : program(mesh) { uses.ofAxis.resize(axes().size()); }

  const Axes &axes() { return program.state().axes; }
  Uses &work(uint32_t axis, llvm::StringRef word, double amount) {
    ColorId color(colors.list.size());
    colors.list.push_back(Color());
    colors.list[color].word = word.str();
    uses.ofAxis[AxisId(axis)].work[color] += amount;
    return *this;
  }
  Uses &store(uint32_t axis) {
    uses.parameterBytes = 100;
    uses.ofAxis[AxisId(axis)].parameters.inParts = 90;
    return *this;
  }
  std::vector<std::string> name(llvm::StringRef pipelineAxis = "") {
    return chooseAxisNames(uses, axes(), colors, pipelineAxis);
  }

private:
  TestProgram program;
  AxisUses uses;
  Colors colors;
};

TEST(AxisNames, AxesAreCalledByWhatTheySplitMost) {
  EXPECT_THAT(Uses("a=2,b=2").work(0, "heads", 60).work(0, "batch", 40).work(1, "batch", 1).name(),
              ElementsAre("model", "data"));
  EXPECT_THAT(Uses("a=2,b=2").work(0, "sequence", 1).work(1, "space", 1).name(), ElementsAre("sequence", "sequence2"));
  EXPECT_THAT(Uses("a=2,b=2").work(0, "nodes", 1).work(1, "", 1).name(), ElementsAre("data", "model"));
}

TEST(AxisNames, AFewExpertsAreEnough) {
  EXPECT_THAT(
      Uses("a=2,b=2").work(0, "batch", 90).work(0, "experts", 10).work(1, "batch", 98).work(1, "experts", 2).name(),
      ElementsAre("expert", "data"));
}

TEST(AxisNames, StoredPartsAreFsdpBesideData) {
  EXPECT_THAT(Uses("a=2,b=2").work(0, "batch", 1).work(1, "batch", 1).store(1).name(), ElementsAre("data", "fsdp"));
  // One alone, and several that do the same.
  EXPECT_THAT(Uses("a=2").work(0, "batch", 1).store(0).name(), ElementsAre("data"));
  EXPECT_THAT(Uses("a=2,b=2").work(0, "batch", 1).work(1, "batch", 1).store(0).store(1).name(),
              ElementsAre("data", "data2"));
  // No work at all.
  EXPECT_THAT(Uses("a=2,b=2").work(0, "batch", 1).store(1).name(), ElementsAre("data", "fsdp"));
}

TEST(AxisNames, APipelineIsCalledSo) {
  EXPECT_THAT(Uses("a=2,b=2").work(0, "heads", 1).work(1, "batch", 1).name("a"), ElementsAre("pipe", "data"));
}

TEST(AxisRenaming, NamesChangePlacesEverywhere) {
  AxisRenaming renaming(*parseMesh("data=4,model=2"), {"model", "expert"});
  EXPECT_EQ(renaming.getMesh().str(), "model=4,expert=2");
  EXPECT_EQ(renaming.renameAxis("data:(2)2"), "model:(2)2");
  EXPECT_EQ(renaming.renamePlacement("data=node+nvlink:2,model=nvlink:2"), "model=node+nvlink:2,expert=nvlink:2");
  EXPECT_EQ(renaming.renamePlacement(""), "");
  EXPECT_EQ(renaming.renameSeed("BP(data)+MP(model)+Z3(data)"), "BP(model)+MP(expert)+Z3(model)");
}

TEST(AxisRenaming, TextsNameAxesBehindOver) {
  AxisRenaming renaming(*parseMesh("data=4,model=2"), {"model", "expert"});
  EXPECT_EQ(renaming.renameText("batch over data and part of model; data over both"),
            "batch over model and part of expert; data over both");
  EXPECT_EQ(renaming.renameText("parameters over model and 83% of them over data (ZeRO-3)"),
            "parameters over expert and 83% of them over model (ZeRO-3)");
  EXPECT_EQ(renaming.renameText("params['model']['w'] along dim 1 over model:(1)2"),
            "params['model']['w'] along dim 1 over expert:(1)2");
  EXPECT_EQ(renaming.renameText("inputs over data (2)"), "inputs over model (2)");
}

} // namespace
} // namespace partita::search
