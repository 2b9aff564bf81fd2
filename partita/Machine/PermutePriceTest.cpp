//===- PermutePriceTest.cpp -----------------------------------------------===//
//
// Machines without launches or hops, unless a test is about them; 1 byte at
// 1 TB/s is one picosecond.
//
//===----------------------------------------------------------------------===//

#include "partita/Machine/PermutePrice.h"

#include "partita/Machine/Presets.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::machine;
using testing::ElementsAre;

static constexpr int64_t terabyte = 1'000'000'000'000;

static Level makeLevel(llvm::StringRef name, LevelKind kind, int64_t size, int64_t bytesPerSecond = terabyte,
                       int64_t devicesPerPort = 1) {
  Level level;
  level.name = name.str();
  level.kind = kind;
  level.size = size;
  level.bytesPerSecond.value = bytesPerSecond;
  level.devicesPerPort.value = devicesPerPort;
  level.protocols = {{{0, ""}, {0, ""}, {wholePpm, ""}}};
  return level;
}

static Machine makeMachine(std::vector<Level> levels) {
  Machine machine;
  machine.levels = std::move(levels);
  return machine;
}

static int64_t priceShift(const Machine &machine, const LevelParts &parts, int64_t shift, int64_t bytes = 1000) {
  return pricePermute(machine, computeShiftSources(machine, parts, shift), bytes).timePs;
}

TEST(PermutePrice, ShiftsGoAroundTheGroup) {
  Machine machine = makeMachine({makeLevel("node", LevelKind::Switch, 2), makeLevel("gpu", LevelKind::Switch, 4)});
  EXPECT_THAT(computeShiftSources(machine, {{1, 4, 1}}, 1), ElementsAre(3, 0, 1, 2, 7, 4, 5, 6));
  EXPECT_THAT(computeShiftSources(machine, {{0, 2, 1}, {1, 2, 2}}, 1), ElementsAre(6, 7, 0, 1, 2, 3, 4, 5));
}

TEST(PermutePrice, RingsPayForTheShorterWay) {
  Machine machine = makeMachine({makeLevel("x", LevelKind::Ring, 8)});
  EXPECT_EQ(priceShift(machine, {{0, 8, 1}}, 1), 1000);
  EXPECT_EQ(priceShift(machine, {{0, 8, 1}}, 3), 3000);
  EXPECT_EQ(priceShift(machine, {{0, 8, 1}}, 7), 1000);
  // Half around: half of each message either way, four links far.
  EXPECT_EQ(priceShift(machine, {{0, 8, 1}}, 4), 2000);
  // Two groups, each other's neighbors, share every link.
  EXPECT_EQ(priceShift(machine, {{0, 4, 2}}, 1), 2000);
  EXPECT_EQ(priceShift(machine, {{0, 8, 1}}, 8), 0);
}

TEST(PermutePrice, LinesCarryWhatGoesAroundAllTheWayBack) {
  Machine machine = makeMachine({makeLevel("x", LevelKind::Line, 8)});
  // Forward one message a link; back the one that goes around. Both directions of a link work at once.
  EXPECT_EQ(priceShift(machine, {{0, 8, 1}}, 1), 1000);
  // Of a shift by three, three go back over every link, and three forward over those in the middle.
  EXPECT_EQ(priceShift(machine, {{0, 8, 1}}, 3), 3000);
  machine.levels[0].protocols[0].hopPs.value = 500;
  // The one that goes around has seven hops.
  EXPECT_EQ(priceShift(machine, {{0, 8, 1}}, 1), 3500);
}

TEST(PermutePrice, MessagesOverSeveralDimsUseAllOfThem) {
  Machine machine = makeMachine({makeLevel("x", LevelKind::Line, 4), makeLevel("y", LevelKind::Line, 4)});
  // From corner to corner, half starting along x and half along y.
  std::vector<int64_t> sources;
  for (int64_t device = 0; device < 16; ++device)
    sources.push_back(device == 15 ? 0 : device);
  CollectivePrice price = pricePermute(machine, sources, 1000);
  EXPECT_EQ(price.timePs, 500);
  EXPECT_EQ(price.algorithm, CollectiveAlgorithm::Torus);
  EXPECT_THAT(price.wireBytes, ElementsAre(63, 63));
}

// x and y are swapped: (x, y) receives from (y, x).
TEST(PermutePrice, TransposedAxesOfATorus) {
  Machine machine = makeMachine({makeLevel("x", LevelKind::Ring, 4), makeLevel("y", LevelKind::Ring, 4)});
  std::vector<int64_t> sources;
  for (int64_t x = 0; x < 4; ++x)
    for (int64_t y = 0; y < 4; ++y)
      sources.push_back(4 * y + x);
  // Of each message half starts along x and half along y; messages to the opposite corner go both ways around. Twelve
  // messages, 32 link lengths in all, leave three quarters of a message on the busiest of the 64 links.
  EXPECT_EQ(pricePermute(machine, sources, 1000).timePs, 750);
}

TEST(PermutePrice, AShiftCrossesTheNetworkAtTheEdge) {
  Machine machine =
      makeMachine({makeLevel("node", LevelKind::Switch, 2, terabyte / 10, 4), makeLevel("gpu", LevelKind::Switch, 4)});
  LevelParts all = {{0, 2, 1}, {1, 4, 1}};
  // Only one GPU of a node sends over its card, then all four.
  EXPECT_EQ(priceShift(machine, all, 1), 10'000);
  EXPECT_EQ(priceShift(machine, all, 4), 40'000);
  EXPECT_THAT(pricePermute(machine, computeShiftSources(machine, all, 1), 1000).wireBytes, ElementsAre(250, 750));
  // Inside nodes the card is not used at all.
  EXPECT_EQ(priceShift(machine, {{1, 4, 1}}, 1), 1000);
  EXPECT_THAT(pricePermute(machine, computeShiftSources(machine, {{1, 4, 1}}, 1), 1000).wireBytes,
              ElementsAre(0, 1000));
}

TEST(PermutePrice, PairsOfAFullMeshHaveTheirOwnLinks) {
  Machine machine = makeMachine({makeLevel("m", LevelKind::FullMesh, 8)});
  for (int64_t shift = 1; shift < 8; ++shift)
    EXPECT_EQ(priceShift(machine, {{0, 8, 1}}, shift), 1000);
}

// Two devices to a chip, and one set of links.
TEST(PermutePrice, DevicesOfAChipShareItsLinks) {
  Machine listed =
      makeMachine({makeLevel("x", LevelKind::Ring, 4, terabyte, 2), makeLevel("core", LevelKind::Switch, 2)});
  Machine unlisted = makeMachine({makeLevel("x", LevelKind::Ring, 4, terabyte, 2)});
  EXPECT_EQ(priceShift(listed, {{0, 4, 1}}, 1), 2000);
  EXPECT_EQ(priceShift(unlisted, {{0, 4, 1}}, 1), 2000);
}

// The book's example: 16 MiB from corner to corner of a v5e 4x4, 188 us on two ports and six hops.
TEST(PermutePrice, TheBooksCornerToCorner) {
  Machine machine = *buildPreset("tpu-v5e:4x4");
  for (Level &level : machine.levels)
    level.protocols = {{{0, ""}, level.protocols.front().hopPs, {wholePpm, ""}}};
  std::vector<int64_t> sources;
  for (int64_t device = 0; device < 16; ++device)
    sources.push_back(device == 15 ? 0 : device);
  int64_t time = pricePermute(machine, sources, int64_t(8) * 128 * 8192 * 2).timePs / 1'000'000;
  EXPECT_NEAR(static_cast<double>(time), 194, 10);
}
