//===- SynthesisTest.cpp --------------------------------------------------===//

#include "partita/Machine/Reduce/Synthesis.h"

#include "partita/Machine/Presets.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace partita;
using namespace partita::machine;

static const StepKind goals[] = {StepKind::AllReduce, StepKind::ReduceScatter, StepKind::AllGather, StepKind::AllToAll};

static std::string print(const ReductionProgram &program) {
  std::string text;
  for (const ReductionStep &step : program.steps) {
    text += (text.empty() ? "" : "; ") + getName(step.kind).str();
    for (uint32_t factor : step.factors)
      text += " " + std::to_string(factor);
  }
  return text + (program.isReordered ? "; reordered" : "");
}

TEST(Reduction, StepsHaveConditions) {
  llvm::SmallVector<int64_t> sizes = {2, 3};
  State start = makeStart(StepKind::AllReduce, sizes);
  std::optional<State> summed = apply({StepKind::AllReduce, {1}}, start, sizes);
  ASSERT_TRUE(summed);
  EXPECT_EQ((*summed)[4][5], (ReductionPiece{5, 0b111000}));
  // The same values would be added twice.
  EXPECT_FALSE(apply({StepKind::AllReduce, {0, 1}}, *summed, sizes));
  // All hold all chunks: nothing to gather. They differ: nothing to slice.
  EXPECT_FALSE(apply({StepKind::AllGather, {1}}, *summed, sizes));
  EXPECT_FALSE(apply({StepKind::Slice, {0}}, *summed, sizes));
  std::optional<State> sliced = apply({StepKind::Slice, {1}}, *summed, sizes);
  ASSERT_TRUE(sliced);
  EXPECT_EQ((*sliced)[4], (std::vector<ReductionPiece>{{2, 0b111000}, {3, 0b111000}}));
}

TEST(Reduction, ProgramsOfAnAllReduce) {
  Synthesizer synthesizer;
  std::vector<std::string> texts;
  for (const ReductionProgram &program : synthesizer.list(StepKind::AllReduce, 2, 1000))
    texts.push_back(print(program));
  EXPECT_EQ(texts.front(), "all_reduce 0 1");
  for (const char *wanted :
       {"reduce_scatter 1; all_reduce 0; all_gather 1", "all_reduce 1; all_reduce 0",
        "reduce_scatter 0 1; all_gather 0 1", "reduce_scatter 1; reduce_scatter 0; all_gather 0; all_gather 1"})
    EXPECT_THAT(texts, testing::Contains(wanted));
  // Gathers in another order than chunks were scattered would mix them up.
  EXPECT_THAT(texts, testing::Not(testing::Contains("reduce_scatter 1; reduce_scatter 0; all_gather 0 1")));
}

// What was found with primes holds for other sizes.
TEST(Reduction, EveryProgramIsProvenForOtherSizes) {
  Synthesizer synthesizer;
  for (StepKind goal : goals)
    for (llvm::SmallVector<int64_t> sizes :
         {llvm::SmallVector<int64_t>{2, 4}, {4, 2}, {3, 5}, {8, 8}, {2, 2, 2}, {2, 3, 4}, {4, 4, 4}, {64, 8, 2}}) {
      std::vector<ReductionProgram> programs = synthesizer.list(goal, sizes.size(), 3000);
      EXPECT_GT(programs.size(), 1U);
      for (const ReductionProgram &program : programs)
        EXPECT_TRUE(isProven(program, goal, sizes)) << print(program);
    }
}

TEST(Reduction, WrongProgramsAreNotProven) {
  llvm::SmallVector<int64_t> sizes = {2, 4};
  EXPECT_FALSE(isProven({{{StepKind::AllReduce, {0}}}}, StepKind::AllReduce, sizes));
  EXPECT_FALSE(isProven({{{StepKind::ReduceScatter, {0, 1}}}}, StepKind::AllReduce, sizes));
  EXPECT_FALSE(isProven({{{StepKind::AllReduce, {0, 1}}, {StepKind::AllReduce, {1}}}}, StepKind::AllReduce, sizes));
  // Inner factors first leave chunks in another order, which has to be said.
  ReductionProgram inner{{{StepKind::ReduceScatter, {1}}, {StepKind::ReduceScatter, {0}}}};
  EXPECT_FALSE(isProven(inner, StepKind::ReduceScatter, sizes));
  inner.isReordered = true;
  EXPECT_TRUE(isProven(inner, StepKind::ReduceScatter, sizes));
  EXPECT_FALSE(isProven(inner, StepKind::AllReduce, sizes));
}

static Machine makeSharedCard(int64_t nodes, int64_t inside) {
  Machine machine = *buildPreset("a100-sxm-40:4x16");
  machine.levels[0].size = nodes;
  machine.levels[0].devicesPerPort.value = inside;
  machine.levels[0].bytesPerSecond.value = 8'000'000'000;
  machine.levels[1].size = inside;
  return machine;
}

// One card for all GPUs of a node: it should carry each byte once.
TEST(Reduction, TheFastestRunsInsideFirst) {
  Machine machine = makeSharedCard(4, 16);
  std::vector<ReductionFactor> factors = listFactors({{1, 16, 1}, {0, 4, 1}});
  ASSERT_EQ(factors.size(), 2U);
  EXPECT_EQ(factors[0].parts.front().level, 0U);
  Synthesizer synthesizer;
  SynthesisRequest request{StepKind::AllReduce, factors, 1 << 28};
  PricedProgram fastest = synthesizer.findFastest(machine, request);
  EXPECT_EQ(print(fastest.program), "reduce_scatter 1; all_reduce 0; all_gather 1");
  EXPECT_EQ(fastest.timePs, priceProgram(machine, request, fastest.program));
  // Of all programs.
  for (const ReductionProgram &program : synthesizer.list(StepKind::AllReduce, 2, 1000))
    EXPECT_GE(priceProgram(machine, request, program), fastest.timePs) << print(program);
  // A small one is one collective, and so is one that stays inside.
  request.payloadBytes = 1024;
  EXPECT_EQ(synthesizer.findFastest(machine, request).program.steps.size(), 1U);
  std::vector<ReductionFactor> inside = listFactors({{1, 16, 1}});
  EXPECT_EQ(synthesizer.findFastest(machine, {StepKind::AllReduce, inside, 1 << 28}).program.steps.size(), 1U);
}

// Two axes that both take part of nodes and of their links: four parts, of which neighbors are taken for one.
TEST(Reduction, MoreFactorsThanProgramsHave) {
  Machine machine = makeSharedCard(4, 16);
  std::vector<ReductionFactor> factors(4);
  llvm::SmallVector<int64_t> sizes = {4, 2, 2, 4};
  for (auto [factor, part] : llvm::zip_equal(factors, LevelParts{{0, 4, 1}, {1, 2, 8}, {1, 2, 4}, {1, 4, 1}}))
    factor.parts.push_back(part);
  Synthesizer synthesizer;
  EXPECT_TRUE(synthesizer.list(StepKind::AllReduce, 4, 10).empty());
  SynthesisRequest request{StepKind::AllReduce, factors, 1 << 28};
  PricedProgram fastest = synthesizer.findFastest(machine, request);
  EXPECT_EQ(print(fastest.program), "reduce_scatter 1 2 3; all_reduce 0; all_gather 1 2 3");
  EXPECT_EQ(fastest.timePs, priceProgram(machine, request, fastest.program));
  EXPECT_TRUE(isProven(fastest.program, StepKind::AllReduce, sizes));
}

/// Over all devices of the machine.
static PricedProgram findFastestExchange(const Machine &machine, int64_t bytes) {
  LevelParts parts;
  for (uint32_t level = 0; level < machine.levels.size(); ++level)
    parts.push_back({level, machine.levels[level].size, 1});
  return Synthesizer().findFastest(machine, {StepKind::AllToAll, listFactors(parts), bytes});
}

// Every step of an exchange moves nearly all bytes again. That never pays where nothing waits for single peers, or
// where one exchange runs level by level.
TEST(Reduction, ExchangesThatWaitForNoPeersAreFastestAsOne) {
  std::vector<Machine> machines = {makeSharedCard(4, 16), makeSharedCard(2, 8)};
  for (Machine &machine : machines)
    machine.levels[0].peerHopPs.value = machine.levels[1].peerHopPs.value = 0;
  for (const char *name : {"tpu-v5e:2*8x8", "tpu-v5p:4x4x8"})
    machines.push_back(*buildPreset(name));
  for (const Machine &machine : machines)
    for (int64_t bytes = 1 << 12; bytes <= 1 << 30; bytes *= 16)
      EXPECT_EQ(findFastestExchange(machine, bytes).program.steps.size(), 1U) << machine.name << " " << bytes;
}

// As one, each device of 8 nodes waits for 7 x 8 peers across; in two steps, for 7 across and 7 inside.
TEST(Reduction, SmallExchangesAcrossNodesRunInTwoSteps) {
  Machine machine = *buildPreset("h100-sxm:8x8");
  int64_t across = machine.levels[0].peerHopPs.value, inside = machine.levels[1].peerHopPs.value;
  PricedProgram small = findFastestExchange(machine, 1 << 12);
  ASSERT_EQ(small.program.steps.size(), 2U);
  EXPECT_TRUE(small.program.isReordered);
  EXPECT_TRUE(isProven(small.program, StepKind::AllToAll, {8, 8}));
  LevelParts whole = {{0, 8, 1}, {1, 8, 1}};
  int64_t asOne = priceCollective(machine, {Collective::AllToAll, whole, 1 << 12}).timePs;
  EXPECT_GT(asOne, 56 * across);
  EXPECT_GT(small.timePs, 7 * (across + inside));
  EXPECT_LT(small.timePs, asOne);
  EXPECT_EQ(findFastestExchange(machine, 1 << 30).program.steps.size(), 1U);
}

TEST(Reduction, MachinesThatRunLevelByLevelNeedNoPrograms) {
  Machine machine = *buildPreset("tpu-v5e:2*16x16");
  std::vector<ReductionFactor> factors = listFactors({{0, 2, 1}, {1, 16, 1}});
  Synthesizer synthesizer;
  EXPECT_EQ(synthesizer.findFastest(machine, {StepKind::AllReduce, factors, 1 << 28}).program.steps.size(), 1U);
}
