//===- ReshardsTest.cpp - where reshards are and how uses share them ------===//

#include "partita/Cost/Reshards.h"

#include "partita/Graph/GraphJson.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <random>

namespace partita::cost {
static int64_t countParts(const Axes &axes, const Sharding &sharding) {
  int64_t parts = 1;
  for (const DimAxes &dim : sharding.dims)
    for (AxisId axis : dim)
      parts *= axes[axis].size;
  return parts;
}

namespace {

const AxisId x(0), y(1);

/// A graph, op by op; all cells are f32.
class Program {
public:
  uint32_t addRegion(llvm::StringRef kind, uint32_t parent, int64_t trips) {
    regions.push_back(
        ("{\"kind\":\"" + kind + "\",\"parent\":" + llvm::Twine(parent) + ",\"trips\":" + llvm::Twine(trips) + "}")
            .str());
    return static_cast<uint32_t>(regions.size());
  }

  uint32_t addCell(llvm::ArrayRef<int64_t> shape, llvm::StringRef kind = "op_result", uint32_t region = 0) {
    std::string sizes;
    for (int64_t size : shape)
      sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    cells.push_back(("{\"kind\":\"" + kind + "\",\"bits\":32,\"type\":\"f32\",\"shape\":[" + sizes +
                     "],\"region\":" + llvm::Twine(region) + "}")
                        .str());
    return static_cast<uint32_t>(cells.size() - 1);
  }

  /// `more` are members such as "phase":"backward".
  OpId addOp(llvm::StringRef rule, llvm::ArrayRef<uint32_t> operands, uint32_t result, llvm::StringRef more = "") {
    std::string list;
    for (uint32_t operand : operands)
      list += (list.empty() ? "" : ",") + std::to_string(operand);
    ops.push_back(("{\"kind\":\"op\",\"rule\":\"" + rule + "\",\"operands\":[" + list + "],\"results\":[" +
                   llvm::Twine(result) + "]" + (more.empty() ? "" : ",") + more + "}")
                      .str());
    return OpId(static_cast<uint32_t>(ops.size() - 1));
  }

  std::string ties;

  Graph build() const {
    std::string text = "{\"partita_graph\":1,\"regions\":[{\"kind\":\"program\"}";
    for (const std::string &region : regions)
      text += "," + region;
    text += "],\"cells\":[" + llvm::join(cells, ",\n") + "],\"ops\":[" + llvm::join(ops, ",\n") + "]" + ties + "}";
    Result<Graph> graph = readGraph(text, "test.json");
    EXPECT_TRUE(bool(graph)) << (graph ? "" : graph.error().str()) << text;
    return graph ? std::move(*graph) : Graph();
  }

private:
  std::vector<std::string> regions, cells, ops;
};

/// A program with axes x and y of two devices each; nothing is assigned.
struct Partition {
  explicit Partition(const Program &program)
      : graph(program.build()), topology(graph), axes(makeAxes(*parseMesh("x=2,y=2"))), assignment(topology, axes),
        planner(axes) {}

  void assign(OpId op, AxisId axis, uint8_t factor) { assignment.assign(topology.getNode(op), axis, factor, ++step); }
  /// The factors of a boundary value are its dims.
  void assign(uint32_t cell, AxisId axis, uint8_t dim) {
    assignment.assign(topology.getBoundaryNode(CellId(cell)), axis, dim, ++step);
  }

  /// `1 after 0: all_reduce {x}`: cell and op, in order; `*` means no op.
  std::string print() {
    reshards = buildReshards(assignment, planner);
    std::string text;
    for (const Reshard &reshard : reshards.list.raw()) {
      text += std::to_string(reshard.cell.get());
      text += reshard.position == ReshardPosition::AfterDefinition ? " after " : " before ";
      text += reshard.op.isValid() ? std::to_string(reshard.op.get()) : "*";
      text += ": " + printSteps(axes, planner[reshard.plan]) + "\n";
    }
    return text;
  }

  Graph graph;
  Topology topology;
  Axes axes;
  Assignment assignment;
  ReshardPlanner planner;
  Reshards reshards;
  uint32_t step = 0;
};

const char *const dot = "([a,b],[b,c])->([a,c]) reduce(add)={b}";
const char *const unary = "([a,b])->([a,b])";
const char *const binary = "([a,b],[a,b])->([a,b])";
const char *const forward = "\"phase\":\"forward\"", *const backward = "\"phase\":\"backward\"",
                  *const update = "\"phase\":\"update\"", *const sum = "\"linearity\":\"sum\"";

TEST(ReshardsTest, AParameterIsGatheredForEachPass) {
  Program program;
  uint32_t data = program.addCell({8, 8}, "argument"), weight = program.addCell({8, 8}, "argument");
  program.addOp(dot, {data, weight}, program.addCell({8, 8}), forward);
  program.addOp(dot, {data, weight}, program.addCell({8, 8}), forward);
  program.addOp(dot, {data, weight}, program.addCell({8, 8}), backward);
  OpId adam = program.addOp(unary, {weight}, program.addCell({8, 8}), update);
  Partition partition(program);
  partition.assign(weight, x, 0);
  partition.assign(adam, x, 0);
  // Once for both forward uses, again for the backward use; the update takes its piece.
  EXPECT_EQ(partition.print(), "1 before 0: all_gather {x} 0\n1 before 2: all_gather {x} 0\n");
  EXPECT_EQ(partition.reshards.uses[UseId(1)], partition.reshards.uses[UseId(3)]);
  EXPECT_FALSE(partition.reshards.uses[UseId(6)].isValid());
}

TEST(ReshardsTest, SlicesStandAtTheDefinitionForAll) {
  Program program;
  uint32_t data = program.addCell({8, 8}, "argument");
  uint32_t body = program.addRegion("loop_body", 0, 3);
  OpId first = program.addOp(unary, {data}, program.addCell({8, 8}), forward);
  OpId second =
      program.addOp(unary, {data}, program.addCell({8, 8}, "op_result", body), "\"phase\":\"backward\",\"region\":1");
  Partition partition(program);
  partition.assign(first, x, 0);
  partition.assign(second, x, 0);
  EXPECT_EQ(partition.print(), "0 after *: all_slice {x} 0\n");
  EXPECT_EQ(partition.reshards.getAfter(CellId(data)).size(), 1u);
  EXPECT_TRUE(countCollectives(partition.assignment, partition.planner, partition.reshards).empty());
}

TEST(ReshardsTest, WhatALoopUsesIsGatheredInTheLoop) {
  Program program;
  uint32_t data = program.addCell({8, 8}, "argument");
  uint32_t body = program.addRegion("loop_body", 0, 3);
  program.addOp(unary, {data}, program.addCell({8, 8}, "op_result", body), "\"region\":1");
  Partition partition(program);
  partition.assign(data, x, 1);
  EXPECT_EQ(partition.print(), "0 before 0: all_gather {x} 1\n");
  auto counts = countCollectives(partition.assignment, partition.planner, partition.reshards);
  ASSERT_EQ(counts.size(), 1u);
  // 8 * 8 * 4 bytes in each of 3 iterations; half of them are sent.
  EXPECT_EQ(counts[0], (CollectiveCount{CollectiveKind::AllGather, {x}, 3, 768, 384}));
}

class PartialSumReshardsTest : public testing::Test {
protected:
  PartialSumReshardsTest() {
    data = program.addCell({8, 8}, "argument");
    weight = program.addCell({8, 8}, "argument");
    product = program.addCell({8, 8});
    contraction = program.addOp(dot, {data, weight}, product);
  }
  /// Both arguments are split as the contraction wants them.
  Partition split() {
    Partition partition(program);
    partition.assign(contraction, x, 1);
    partition.assign(data, x, 1);
    partition.assign(weight, x, 0);
    return partition;
  }
  OpId use(llvm::StringRef more = "") { return program.addOp(unary, {product}, program.addCell({8, 8}), more); }

  Program program;
  uint32_t data, weight, product;
  OpId contraction;
};

TEST_F(PartialSumReshardsTest, OneAllReduceServesAllUses) {
  use(forward), use(backward);
  EXPECT_EQ(split().print(), "2 after 0: all_reduce {x}\n");
}

TEST_F(PartialSumReshardsTest, UsesThatWantSlicesGetAReduceScatter) {
  OpId first = use(forward), second = use(backward);
  Partition partition = split();
  partition.assign(first, x, 1);
  partition.assign(second, x, 1);
  EXPECT_EQ(partition.print(), "2 after 0: reduce_scatter {x} 1\n");
}

TEST_F(PartialSumReshardsTest, GatheringBehindAScatterCostsNoMoreThanAllReduce) {
  use(forward);
  OpId second = use(backward);
  Partition partition = split();
  partition.assign(second, x, 0);
  EXPECT_EQ(partition.print(), "2 after 0: reduce_scatter {x} 0\n2 before 1: all_gather {x} 0\n");
}

TEST_F(PartialSumReshardsTest, ButTwoGathersWouldCostMore) {
  use(forward), use(backward);
  OpId third = use(update);
  Partition partition = split();
  partition.assign(third, x, 0);
  EXPECT_EQ(partition.print(), "2 after 0: all_reduce {x}\n2 after 0: all_slice {x} 0\n");
}

TEST_F(PartialSumReshardsTest, WhatNobodyUsesIsNotReduced) { EXPECT_EQ(split().print(), ""); }

TEST_F(PartialSumReshardsTest, APinnedCellIsScatteredAndGathered) {
  use(forward);
  Partition partition = split();
  partition.assignment.pin(CellId(product), x, {PinKind::Tile, 0}, 9);
  EXPECT_EQ(partition.print(), "2 after 0: reduce_scatter {x} 0\n2 before 1: all_gather {x} 0\n");
  EXPECT_EQ(partition.reshards.getDefinition(partition.graph, contraction, 0), ReshardId(0));
}

TEST_F(PartialSumReshardsTest, AnAddOfSumsIsReducedOnce) {
  uint32_t other = program.addCell({8, 8});
  OpId second = program.addOp(dot, {data, weight}, other);
  uint32_t total = program.addCell({8, 8});
  OpId add = program.addOp(binary, {product, other}, total, sum);
  program.addOp(unary, {total}, program.addCell({8, 8}));
  {
    Partition partition = split();
    partition.assign(second, x, 1);
    partition.assign(add, x, sumFactor);
    EXPECT_EQ(partition.print(), "4 after 2: all_reduce {x}\n");
  }
  // A use of one of them alone gets it reduced; the add takes the partial sum.
  use();
  Partition partition = split();
  partition.assign(second, x, 1);
  partition.assign(add, x, sumFactor);
  EXPECT_EQ(partition.print(), "2 after 0: all_reduce {x}\n4 after 2: all_reduce {x}\n");
  EXPECT_FALSE(partition.reshards.uses[UseId(4)].isValid());
}

TEST_F(PartialSumReshardsTest, OnlyTheLinearOperandIsTakenPartial) {
  // Scaled by a partial value: that one is reduced first.
  OpId scale = program.addOp(binary, {product, product}, program.addCell({8, 8}), "\"linearity\":\"first\"");
  Partition partition = split();
  partition.assign(scale, x, sumFactor);
  EXPECT_EQ(partition.print(), "2 after 0: all_reduce {x}\n");
  EXPECT_FALSE(partition.reshards.uses[UseId(2)].isValid());
  EXPECT_EQ(partition.reshards.uses[UseId(3)], ReshardId(0));
}

TEST(ReshardsTest, ALoopThatAccumulatesIsReducedBehindIt) {
  Program program;
  uint32_t data = program.addCell({8, 8}, "argument"), weight = program.addCell({8, 8}, "argument");
  program.addRegion("loop_condition", 0, 5);
  uint32_t body = program.addRegion("loop_body", 0, 4);
  uint32_t zero = program.addCell({8, 8}), carried = program.addCell({8, 8}, "carried", body);
  program.addOp("()->([a,b])", {}, zero, "\"linearity\":\"zero\"");
  OpId entry = program.addOp(unary, {zero}, carried, "\"linearity\":\"sum\",\"role\":\"entry\"");
  uint32_t product = program.addCell({8, 8}, "op_result", body), next = program.addCell({8, 8}, "op_result", body);
  OpId contraction = program.addOp(dot, {data, weight}, product, "\"region\":2");
  OpId add = program.addOp(binary, {carried, product}, next, "\"linearity\":\"sum\",\"region\":2");
  OpId yield = program.addOp(unary, {next}, carried, "\"linearity\":\"sum\",\"region\":2,\"role\":\"yield\"");
  program.addOp(unary, {carried}, program.addCell({8, 8}));
  program.addOp(unary, {carried}, program.addCell({8, 8}), update);
  Partition partition(program);
  partition.assign(data, x, 1);
  partition.assign(weight, x, 0);
  partition.assign(contraction, x, 1);
  for (OpId op : {entry, add, yield})
    partition.assign(op, x, sumFactor);
  partition.assign(carried, x, sumFactor);
  EXPECT_EQ(partition.print(), "3 after *: all_reduce {x}\n");
  // It is outside the loop, and nothing is reduced inside.
  EXPECT_EQ(partition.reshards[ReshardId(0)].region, RegionId(0));
  EXPECT_FALSE(partition.reshards.uses[UseId(3)].isValid());
}

TEST(ReshardsTest, WhatEntersALoopAndIsYieldedTakesTheShardingOfTheCarriedValue) {
  Program program;
  uint32_t data = program.addCell({8, 8}, "argument");
  program.addRegion("loop_condition", 0, 5);
  uint32_t body = program.addRegion("loop_body", 0, 4);
  uint32_t carried = program.addCell({8, 8}, "carried", body);
  OpId entry = program.addOp(unary, {data}, carried, "\"role\":\"entry\"");
  uint32_t next = program.addCell({8, 8}, "op_result", body);
  OpId inner = program.addOp(unary, {carried}, next, "\"region\":2");
  OpId yield = program.addOp(unary, {next}, carried, "\"region\":2,\"role\":\"yield\"");
  OpId outer = program.addOp(unary, {carried}, program.addCell({8, 8}));
  Partition partition(program);
  partition.assign(carried, x, 0);
  for (OpId op : {inner, yield, outer})
    partition.assign(op, x, 1);
  EXPECT_EQ(partition.print(), "1 after 0: all_slice {x} 0\n"
                               "1 before 1: all_to_all {x} 0 -> 1\n"
                               "1 after 2: all_to_all {x} 1 -> 0\n"
                               "1 before 3: all_to_all {x} 0 -> 1\n");
  EXPECT_TRUE(partition.reshards.getDefinition(partition.graph, entry, 0).isValid());
  EXPECT_TRUE(partition.reshards.getDefinition(partition.graph, yield, 0).isValid());
}

TEST(ReshardsTest, ATiedResultLeavesAsItsArgumentCame) {
  Program program;
  uint32_t state = program.addCell({8, 8}, "argument"), next = program.addCell({8, 8});
  OpId step = program.addOp(unary, {state}, next);
  uint32_t result = program.addCell({8, 8}, "result");
  OpId identity = program.addOp(unary, {next}, result, "\"role\":\"result\"");
  program.ties = ",\"ties\":[[0,2]]";
  Partition partition(program);
  partition.assign(state, x, 0);
  partition.assign(step, x, 0);
  EXPECT_EQ(partition.print(), "1 before 1: all_gather {x} 0\n2 after 1: all_slice {x} 0\n");
  partition.assign(identity, x, 0);
  EXPECT_EQ(partition.print(), "");
}

TEST(ReshardsTest, OtherCombinersAreReducedAtOnce) {
  Program program;
  uint32_t data = program.addCell({8, 8}, "argument"), peak = program.addCell({8});
  OpId reduce = program.addOp("([a,b])->([a]) reduce(maximum)={b}", {data}, peak);
  program.addOp("([a])->([a])", {peak}, program.addCell({8}));
  Partition partition(program);
  partition.assign(data, x, 1);
  partition.assign(reduce, x, 1);
  EXPECT_EQ(partition.print(), "1 after 0: all_reduce {x}\n");
  EXPECT_EQ(partition.planner[partition.reshards[ReshardId(0)].plan].from.combiner, Combiner::Maximum);
}

/// Straight code with random ops under a random assignment.
struct RandomPartition {
  static Program makeProgram(std::mt19937 &random) {
    Program program;
    std::vector<uint32_t> values{program.addCell({8, 8}, "argument"), program.addCell({8, 8}, "argument")};
    const char *const phases[] = {forward, backward, update};
    for (unsigned i = 0; i < 12; ++i) {
      uint32_t a = values[random() % values.size()], b = values[random() % values.size()];
      std::string more = phases[i / 4];
      uint32_t result = program.addCell({8, 8});
      if (random() % 2 == 0)
        program.addOp(dot, {a, b}, result, more);
      else
        program.addOp(binary, {a, b}, result, more + (random() % 4 ? std::string(",") + sum : ""));
      values.push_back(result);
    }
    return program;
  }

  explicit RandomPartition(std::mt19937 &random) : partition(makeProgram(random)) {
    for (AxisId axis : {x, y}) {
      for (uint32_t place : {0U, 1U})
        if (random() % 2)
          partition.assign(place, axis, random() % 2);
      for (OpId op : idRange<OpId>(partition.graph.ops.size()))
        assign(op, axis, random() % 4);
      for (uint32_t cell = 2; cell < partition.graph.cells.size(); ++cell)
        if (random() % 8 == 0)
          partition.assignment.pin(CellId(cell), axis, {PinKind::Tile, uint8_t(random() % 2)}, ++partition.step);
    }
  }

  void assign(OpId op, AxisId axis, uint32_t draw) {
    auto isPartial = [&](CellId cell) { return partition.assignment.isPartialSum(cell, axis); };
    if (partition.graph.ops[op].linearity == Linearity::Sum && llvm::all_of(partition.graph.getOperands(op), isPartial))
      partition.assign(op, axis, sumFactor);
    else if (draw < partition.graph.getFactors(op).size())
      partition.assign(op, axis, static_cast<uint8_t>(draw));
  }

  Partition partition;
};

/// The sharding of a reshard's result or, without a reshard, of the definition.
PartialSharding getSharding(const Partition &partition, CellId cell, ReshardId reshard) {
  if (reshard.isValid())
    return partition.planner[partition.reshards[reshard].plan].to;
  const Assignment &assignment = partition.assignment;
  OpId op = partition.topology.getDefinition(cell);
  PartialSharding sharding;
  sharding.sharding = op.isValid() ? assignment.getValueSharding(op, 2) : assignment.getCellSharding(cell);
  for (AxisId axis : {x, y}) {
    uint8_t factor = op.isValid() ? assignment.getFactor(partition.topology.getNode(op), axis) : noFactor;
    bool isReduced =
        factor < noFactor && factor != sumFactor && partition.graph.getFactors(op)[factor].kind == FactorKind::Reduce;
    if (factor == sumFactor || isReduced)
      sharding.partial.push_back(axis);
  }
  sharding.combiner = sharding.partial.empty() ? Combiner::None : Combiner::Add;
  return sharding;
}

TEST(ReshardsTest, EveryUseGetsWhatItNeeds) {
  std::mt19937 random(5);
  size_t numReshards = 0, numPartialUses = 0;
  for (unsigned round = 0; round < 500; ++round) {
    RandomPartition example(random);
    Partition &partition = example.partition;
    std::string text = partition.print();
    const Reshards &reshards = partition.reshards;
    numReshards += reshards.size();
    for (ReshardId id : idRange<ReshardId>(reshards.size())) {
      const Reshard &reshard = reshards[id];
      EXPECT_FALSE(partition.planner[reshard.plan].steps.empty());
      EXPECT_TRUE(!reshard.source.isValid() || reshard.source < id);
      EXPECT_EQ(partition.planner[reshard.plan].from, getSharding(partition, reshard.cell, reshard.source));
    }
    for (UseId use : idRange<UseId>(partition.graph.uses.size())) {
      OpId op = partition.topology.getUser(use);
      uint32_t operand = use.get() - partition.graph.ops[op].firstUse;
      PartialSharding sharding = getSharding(partition, partition.graph.uses[use], reshards.uses[use]);
      ASSERT_EQ(sharding.sharding, partition.assignment.getValueSharding(op, operand)) << text;
      for (AxisId axis : {x, y}) {
        bool takes = partition.assignment.getFactor(partition.topology.getNode(op), axis) == sumFactor;
        bool pinned = partition.assignment.getPin(partition.graph.uses[use], axis).kind != PinKind::None;
        ASSERT_EQ(llvm::is_contained(sharding.partial, axis), takes && !pinned) << text;
        numPartialUses += takes;
      }
      if (!reshards.uses[use].isValid())
        continue;
      const Reshard &reshard = reshards[reshards.uses[use]];
      if (reshard.position == ReshardPosition::BeforeUse) {
        EXPECT_LE(reshard.op, op);
        // All phases of a region share a reshard that does not grow the value.
        const ReshardPlan &plan = partition.planner[reshard.plan];
        if (countParts(partition.axes, plan.to.sharding) < countParts(partition.axes, plan.from.sharding))
          EXPECT_EQ(reshard.phase, partition.graph.ops[op].phase);
      }
    }
  }
  EXPECT_GT(numReshards, 3000u);
  EXPECT_GT(numPartialUses, 100u);
}

} // namespace
} // namespace partita::cost
