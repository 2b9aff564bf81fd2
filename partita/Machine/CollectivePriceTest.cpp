//===- CollectivePriceTest.cpp --------------------------------------------===//
//
// Closed forms on machines without launches or hops, unless a test is about
// them; 1 byte at 1 TB/s is one picosecond.
//
//===----------------------------------------------------------------------===//

#include "partita/Machine/CollectivePrice.h"

#include "partita/Machine/PermutePrice.h"
#include "partita/Machine/Presets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::machine;

static constexpr int64_t terabyte = 1'000'000'000'000;

static Level makeLevel(llvm::StringRef name, LevelKind kind, int64_t size, int64_t bytesPerSecond,
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

static Machine makeMachine(std::vector<Level> levels, bool isHierarchical = false) {
  Machine machine;
  machine.name = "test";
  machine.levels = std::move(levels);
  machine.hierarchicalCollectives = isHierarchical;
  return machine;
}

static int64_t price(const Machine &machine, Collective kind, const LevelParts &parts, int64_t bytes) {
  std::vector<int64_t> sources = computeShiftSources(machine, parts, 1);
  return priceCollective(machine, {kind, parts, bytes, sources}).timePs;
}

TEST(CollectivePrice, RingsOnASwitch) {
  Machine machine = makeMachine({makeLevel("s", LevelKind::Switch, 8, terabyte)});
  // n = 4, S = 4000, B = 1 byte/ps: gather and scatter 3/4 S, reduce 2 * 3/4 S.
  EXPECT_EQ(price(machine, Collective::AllGather, {{0, 4, 1}}, 4000), 3000);
  EXPECT_EQ(price(machine, Collective::ReduceScatter, {{0, 4, 2}}, 4000), 3000);
  EXPECT_EQ(price(machine, Collective::AllReduce, {{0, 4, 1}}, 4000), 6000);
  EXPECT_EQ(price(machine, Collective::AllToAll, {{0, 4, 1}}, 4000), 3000);
  EXPECT_EQ(price(machine, Collective::CollectivePermute, {{0, 4, 1}}, 4000), 4000);
  EXPECT_EQ(priceCollective(machine, {Collective::AllReduce, LevelParts{{0, 4, 1}}, 4000}).getWireBytes(), 6000);
}

TEST(CollectivePrice, HopsTreesAndTheNetworksOwnReduction) {
  Level level = makeLevel("s", LevelKind::Switch, 64, terabyte);
  level.protocols = {{{100, ""}, {10, ""}, {wholePpm, ""}}};
  level.treeHopPs.value = 20;
  Machine machine = makeMachine({level});
  // Ring: 100 + 2 * 63 * 10 + 2; tree: 100 + 2 * 6 * 20 + 2 * 1.
  CollectivePrice tiny = priceCollective(machine, {Collective::AllReduce, LevelParts{{0, 64, 1}}, 1});
  EXPECT_EQ(tiny.algorithm, CollectiveAlgorithm::Tree);
  EXPECT_EQ(tiny.timePs, 342);
  // Large: 2 * 63/64 S against 2 S.
  CollectivePrice large = priceCollective(machine, {Collective::AllReduce, LevelParts{{0, 64, 1}}, 64'000'000});
  EXPECT_EQ(large.algorithm, CollectiveAlgorithm::Ring);
  EXPECT_EQ(large.timePs, 126'000'000 + 100 + 1260);
  // In the network 65/64 S.
  machine.levels[0].inNetwork = InNetworkReduction{{50, ""}, {wholePpm, ""}};
  CollectivePrice reduced = priceCollective(machine, {Collective::AllReduce, LevelParts{{0, 64, 1}}, 64'000'000});
  EXPECT_EQ(reduced.algorithm, CollectiveAlgorithm::InNetwork);
  EXPECT_EQ(reduced.timePs, 65'000'000 + 150);
}

TEST(CollectivePrice, TreesOverTwoNodesAreHalvedWhereTheSwitchInsideReduces) {
  Level node = makeLevel("node", LevelKind::Switch, 2, terabyte),
        inside = makeLevel("gpu", LevelKind::Switch, 8, terabyte);
  node.treeHopPs.value = inside.treeHopPs.value = 1;
  LevelParts all = {{0, 2, 1}, {1, 8, 1}};
  // Inside, a tree passes 2 S; a ring 2 * 15/16 S.
  CollectivePrice ring = priceCollective(makeMachine({node, inside}), {Collective::AllReduce, all, 16'000'000});
  EXPECT_EQ(ring.algorithm, CollectiveAlgorithm::Ring);
  inside.inNetwork = InNetworkReduction{{0, ""}, {wholePpm, ""}};
  node.bytesPerSecond.value = terabyte / 16;
  CollectivePrice tree = priceCollective(makeMachine({node, inside}), {Collective::AllReduce, all, 16'000'000});
  EXPECT_EQ(tree.algorithm, CollectiveAlgorithm::Tree);
  // Each of eight cards passes an eighth of S, once.
  EXPECT_EQ(tree.wireBytes[0], 2'000'000);
  // Without it, twice.
  inside.inNetwork.reset();
  for (const CollectivePrice &price :
       priceAlgorithms(makeMachine({node, inside}), {Collective::AllReduce, all, 16'000'000}))
    if (price.algorithm == CollectiveAlgorithm::Tree)
      EXPECT_EQ(price.wireBytes[0], 4'000'000);
}

TEST(CollectivePrice, TheCheapestProtocolCounts) {
  Level level = makeLevel("s", LevelKind::Switch, 2, terabyte);
  level.protocols = {{{10, ""}, {0, ""}, {500'000, ""}}, {{1000, ""}, {0, ""}, {wholePpm, ""}}};
  Machine machine = makeMachine({level});
  EXPECT_EQ(price(machine, Collective::AllGather, {{0, 2, 1}}, 200), 10 + 200);
  EXPECT_EQ(price(machine, Collective::AllGather, {{0, 2, 1}}, 200'000), 1000 + 100'000);
}

// Every pair has its link, so n - 1 of them carry S/n each.
TEST(CollectivePrice, FullMeshIsDirect) {
  Machine machine = makeMachine({makeLevel("m", LevelKind::FullMesh, 8, terabyte)});
  EXPECT_EQ(price(machine, Collective::AllGather, {{0, 8, 1}}, 8000), 1000);
  EXPECT_EQ(price(machine, Collective::AllGather, {{0, 2, 1}}, 8000), 4000);
  EXPECT_EQ(price(machine, Collective::AllReduce, {{0, 8, 1}}, 8000), 2000);
  EXPECT_EQ(price(machine, Collective::CollectivePermute, {{0, 8, 1}}, 8000), 8000);
}

TEST(CollectivePrice, HybridMeshHasLinksByGroupSize) {
  Level level = makeLevel("m", LevelKind::HybridMesh, 4, terabyte);
  level.groupLinks = {1, 2, 3};
  Machine machine = makeMachine({level});
  EXPECT_EQ(price(machine, Collective::AllReduce, {{0, 2, 1}}, 3000), 3000);
  EXPECT_EQ(price(machine, Collective::AllReduce, {{0, 4, 1}}, 4000), 2000);
}

TEST(CollectivePrice, ClosedDimsGatherBothWays) {
  Machine machine =
      makeMachine({makeLevel("x", LevelKind::Ring, 4, terabyte), makeLevel("y", LevelKind::Ring, 4, terabyte)});
  EXPECT_EQ(price(machine, Collective::AllGather, {{0, 4, 1}}, 8000), 4000);
  EXPECT_EQ(price(machine, Collective::AllGather, {{0, 4, 1}, {1, 4, 1}}, 8000), 2000);
  EXPECT_EQ(price(machine, Collective::AllReduce, {{0, 4, 1}}, 8000), 8000);
  // An all_to_all of S a device is a quarter of the gather of the whole array, n S.
  EXPECT_EQ(price(machine, Collective::AllToAll, {{0, 4, 1}}, 8000), 4 * 4000 / 4);
}

TEST(CollectivePrice, OpenDimsGatherOneWay) {
  Machine machine = makeMachine({makeLevel("x", LevelKind::Line, 4, terabyte)});
  EXPECT_EQ(price(machine, Collective::AllGather, {{0, 4, 1}}, 8000), 6000);
  // Half of a closed dim is open: its ends are not joined.
  Machine closed = makeMachine({makeLevel("x", LevelKind::Ring, 8, terabyte)});
  EXPECT_EQ(price(closed, Collective::AllGather, {{0, 4, 1}}, 8000), 6000);
  // Every second device of it is closed, but two such groups share the links.
  EXPECT_EQ(price(closed, Collective::AllGather, {{0, 4, 2}}, 8000), 8000);
}

// The corner of a 2 x 2 mesh receives 3/4 S through two links.
TEST(CollectivePrice, SmallMeshesAreBoundByTheLinksOfACorner) {
  Machine machine =
      makeMachine({makeLevel("x", LevelKind::Line, 2, terabyte), makeLevel("y", LevelKind::Line, 2, terabyte)});
  EXPECT_EQ(price(machine, Collective::AllGather, {{0, 2, 1}, {1, 2, 1}}, 8000), 3000);
}

// Eight groups over one card: each has an eighth of it.
TEST(CollectivePrice, GroupsShareACard) {
  Machine shared = makeMachine(
      {makeLevel("node", LevelKind::Switch, 4, terabyte, 8), makeLevel("gpu", LevelKind::Switch, 8, terabyte)});
  Machine own = makeMachine(
      {makeLevel("node", LevelKind::Switch, 4, terabyte, 1), makeLevel("gpu", LevelKind::Switch, 8, terabyte)});
  EXPECT_EQ(price(shared, Collective::AllReduce, {{0, 4, 1}}, 8000),
            8 * price(own, Collective::AllReduce, {{0, 4, 1}}, 8000));
}

/// Nodes with one card each, which is the only bottleneck.
static Machine makeNodes(int64_t nodes, int64_t devices, bool isHierarchical) {
  return makeMachine({makeLevel("node", LevelKind::Switch, nodes, terabyte / 100'000, devices),
                      makeLevel("gpu", LevelKind::Switch, devices, terabyte)},
                     isHierarchical);
}

// A flat ring against reduce inside, across, gather inside: ((N-1)/N) / ((n0-1)/n0).
TEST(CollectivePrice, HierarchicalBeatsFlatByTheClosedForm) {
  struct {
    int64_t nodes, devices;
    double ratio;
  } rows[] = {{2, 8, 1.875}, {2, 16, 1.9375}, {4, 8, 1.2917}, {4, 16, 1.3125}, {8, 8, 1.125}};
  for (auto [nodes, devices, ratio] : rows) {
    LevelParts all = {{0, nodes, 1}, {1, devices, 1}};
    double flat = price(makeNodes(nodes, devices, false), Collective::AllReduce, all, 1 << 20);
    double hierarchical = price(makeNodes(nodes, devices, true), Collective::AllReduce, all, 1 << 20);
    EXPECT_NEAR(flat / hierarchical, ratio, 0.001) << nodes << "x" << devices;
  }
}

// (n-1) m p on a level of n positions with m devices each; bytes (n-1)/n S; the slowest level counts.
TEST(CollectivePrice, AnExchangeAcrossNodesWaitsForEveryPeer) {
  std::vector<Level> levels = {makeLevel("node", LevelKind::Switch, 4, terabyte),
                               makeLevel("gpu", LevelKind::Switch, 8, terabyte)};
  levels[0].peerHopPs.value = 1000;
  levels[1].peerHopPs.value = 10;
  Machine machine = makeMachine(levels);
  EXPECT_EQ(price(machine, Collective::AllToAll, {{0, 4, 1}, {1, 8, 1}}, 8000), 3 * 8 * 1000 + 6000);
  EXPECT_EQ(price(machine, Collective::AllToAll, {{0, 4, 1}, {1, 2, 1}}, 8000), 3 * 2 * 1000 + 6000);
  EXPECT_EQ(price(machine, Collective::AllToAll, {{0, 4, 1}}, 8000), 3 * 1000 + 6000);
  EXPECT_EQ(price(machine, Collective::AllToAll, {{1, 8, 1}}, 8000), 7 * 10 + 7000);
  // Level by level each device sends to one peer in each other node.
  Machine levelByLevel = makeMachine(levels, /*isHierarchical=*/true);
  EXPECT_EQ(price(levelByLevel, Collective::AllToAll, {{0, 4, 1}, {1, 8, 1}}, 8000), 3 * 1000 + 6000);
}

// g groups a node through one card against the same axis inside: g * inside / across.
TEST(CollectivePrice, ABadPlacementCostsWhatTheCardsSay) {
  Machine a100 = makeMachine({makeLevel("node", LevelKind::Switch, 4, 8'000'000'000, 16),
                              makeLevel("nvlink", LevelKind::Switch, 16, 270'000'000'000)});
  double across = price(a100, Collective::AllReduce, {{0, 4, 1}}, 1 << 30);
  double inside = price(a100, Collective::AllReduce, {{1, 4, 1}}, 1 << 30);
  EXPECT_NEAR(across / inside, 540, 0.1);
}

// Moving a factor of the reduced axis from the slow to the fast level never makes it slower.
TEST(CollectivePrice, MoreOnTheFastLevelIsNeverSlower) {
  for (llvm::StringRef name : {"h100-sxm:4x8", "a100-sxm-80:4x16", "b200:8x8", "cpu-host:4x8"}) {
    Machine machine = *buildPreset(name);
    for (int64_t bytes = 1 << 10; bytes < int64_t(1) << 34; bytes *= 4) {
      int64_t slow = price(machine, Collective::AllReduce, {{0, 4, 1}, {1, 2, 1}}, bytes);
      int64_t middle = price(machine, Collective::AllReduce, {{0, 2, 1}, {1, 4, 1}}, bytes);
      int64_t fast = price(machine, Collective::AllReduce, {{1, 8, 1}}, bytes);
      EXPECT_LE(middle, slow) << name.str() << " " << bytes;
      EXPECT_LE(fast, middle) << name.str() << " " << bytes;
    }
  }
}

TEST(CollectivePrice, PricesGrowWithBytesOnEveryPreset) {
  for (const PresetInfo &info : listPresets()) {
    Machine machine = *buildPreset((info.name + ":" + info.exampleShape).str());
    LevelParts all;
    for (uint32_t level = 0; level < machine.levels.size(); ++level)
      all.push_back({level, machine.levels[level].size, 1});
    for (Collective kind : {Collective::AllGather, Collective::AllReduce, Collective::ReduceScatter,
                            Collective::AllToAll, Collective::CollectivePermute}) {
      int64_t last = 0;
      for (int shift = 0; shift < 62; ++shift) {
        int64_t time = price(machine, kind, all, int64_t(1) << shift);
        EXPECT_GE(time, last) << info.name.str() << " " << getName(kind).str() << " 2^" << shift;
        EXPECT_LE(time, maxTimePs);
        last = time;
      }
    }
  }
}

TEST(CollectivePrice, NothingCostsNothing) {
  Machine machine = *buildPreset("h100-sxm:4x8");
  EXPECT_EQ(price(machine, Collective::AllReduce, {}, 1000), 0);
  EXPECT_EQ(price(machine, Collective::AllReduce, {{1, 1, 1}}, 1000), 0);
  EXPECT_EQ(price(machine, Collective::AllReduce, {{1, 8, 1}}, 0), 0);
  EXPECT_EQ(price(machine, Collective::AllReduce, {{1, 8, 1}}, -1), 0);
}

/// Without launch, at the book's rates.
static int64_t priceBook(llvm::StringRef name, Collective kind, const LevelParts &parts, int64_t bytes) {
  Machine machine = *buildPreset(name);
  for (Level &level : machine.levels)
    level.protocols = {{{0, ""}, level.protocols.front().hopPs, {wholePpm, ""}}};
  return price(machine, kind, parts, bytes) / 1'000'000;
}

// The TPU scaling book's examples, in microseconds. Levels: slice, x, y, z.
TEST(CollectivePrice, TorusExamplesOfTheScalingBook) {
  // bf16[1024, 4096] on 4x4x4 v4: gathered over X from X,Y 2 MiB; over X,Y 8 MiB.
  EXPECT_EQ(priceBook("tpu-v4:4x4x4", Collective::AllGather, {{1, 4, 1}}, 2 << 20), 23);
  EXPECT_EQ(priceBook("tpu-v4:4x4x4", Collective::AllGather, {{1, 4, 1}, {2, 4, 1}}, 8 << 20), 46);
  // The book says about 190: 2 * 8 MiB / 90 GB/s.
  EXPECT_EQ(priceBook("tpu-v4:4x4x4", Collective::AllReduce, {{3, 4, 1}}, 8 << 20), 186);
  // Two hops of a microsecond.
  EXPECT_EQ(priceBook("tpu-v4:4x4x4", Collective::AllGather, {{1, 4, 1}}, 256), 2);
  // bf16[2048, 8192] over a line of 4 on v5e: 3 steps of 8 MiB one way, 560.
  EXPECT_EQ(priceBook("tpu-v5e:4x4", Collective::AllGather, {{1, 4, 1}}, 32 << 20), 559);
}

TEST(CollectivePrice, SlicesReduceInsideFirst) {
  Machine machine = *buildPreset("tpu-v5e:2*16x16");
  LevelParts all = {{0, 2, 1}, {1, 16, 1}, {2, 16, 1}};
  CollectivePrice price = priceCollective(machine, {Collective::AllReduce, all, 1 << 30});
  EXPECT_EQ(price.algorithm, CollectiveAlgorithm::Hierarchical);
  // 2 * 1/2 of a 256th crosses the data-center network.
  EXPECT_EQ(price.wireBytes[0], (1 << 30) / 256);
}
