//===- ReducedChoiceTest.cpp ----------------------------------------------===//

#include "partita/Search/ReducedChoice.h"

#include "partita/Machine/Presets.h"

#include "gtest/gtest.h"

using namespace partita;
using namespace partita::search;

// Where links are one level, or run level by level, no program can be faster than the collective; where all devices of
// a node share a card, some is.
TEST(ReducedChoice, ProgramsPayWhereLevelsDiffer) {
  for (const char *name : {"h100-sxm:1x8", "tpu-v5e:4x4", "tpu-v5e:2*8x8", "cpu-host:1x8"})
    EXPECT_FALSE(mayProgramsPay(*machine::buildPreset(name))) << name;
  machine::Machine shared = *machine::buildPreset("v100-sxm2:2x4");
  shared.levels.front().devicesPerPort.value = 4;
  EXPECT_TRUE(mayProgramsPay(shared));
}
