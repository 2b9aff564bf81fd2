//===- AnalysisTest.cpp - layers, groups and colors -----------------------===//

#include "partita/Analysis/Analysis.h"
#include "partita/Analysis/RepetitionMap.h"
#include "partita/Testing/RandomLayers.h"

using namespace partita;
using namespace partita::analysis;
using namespace partita::fixtures;

/// x[i+1] = x[i] + relu(x[i] @ w[i]) @ v[i], with a norm-like scale behind the last layer.
static CellId addLayers(TestProgram &program, CellId x, uint32_t count, std::vector<CellId> &w, uint32_t more = 0) {
  for (uint32_t i = 0; i < count; ++i) {
    w.push_back(program.argument({8, 32}));
    CellId v = program.argument({32, 8});
    CellId h = program.op({x, w.back()}, {4, 32}, "([a,b],[b,c])->([a,c]) reduce(add)={b}");
    program.getGraph().ops[OpId(program.getGraph().ops.size() - 1)].opClass = OpClass::Contraction;
    h = program.elementwise({h});
    for (uint32_t step = 0; step < more; ++step) {
      h = program.elementwise({h});
      // Each is of another kind, so that they are not layers themselves.
      program.getGraph().ops[OpId(program.getGraph().ops.size() - 1)].flops = step + 1;
    }
    h = program.op({h, v}, {4, 8}, "([a,b],[b,c])->([a,c]) reduce(add)={b}");
    program.getGraph().ops[OpId(program.getGraph().ops.size() - 1)].opClass = OpClass::Contraction;
    x = program.add(x, program.elementwise({h}));
  }
  return x;
}

/// All of it floats.
static const Graph &finish(TestProgram &program) {
  Graph &graph = program.getGraph();
  NameId element = graph.names.push_back("f32");
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    graph.cells[cell].element = element;
  return graph;
}

TEST(Analysis, LayersFoldAndGroup) {
  TestProgram program("x=2");
  CellId x = program.argument({4, 8});
  std::vector<CellId> w;
  program.result(addLayers(program, x, 10, w));
  Analysis analysis(finish(program));
  // 10 layers of 5 ops and a result; 4 layers stay.
  EXPECT_EQ(program.getGraph().ops.size(), 51u);
  EXPECT_EQ(analysis.getFolding().graph.ops.size(), 21u);
  EXPECT_FALSE(bool(verifyGraph(analysis.getFolding().graph)));
  GroupId group = analysis.getGroups().ofCell[w[0]];
  EXPECT_EQ(analysis.getGroups().list[group].members, w);
  // Of the four layers that stay, one represents seven.
  int64_t total = 0;
  for (int64_t weight : analysis.getFolding().multiplicity.ops.raw())
    total += weight;
  EXPECT_EQ(total, 51);
}

/// The norm of all weights is added up in the order of their names, as trees of parameters are: 0, 1, 10, ..., 2, 3.
/// From layer to layer the sums do not move alike, and must not tear what they add from its layer.
TEST(Analysis, LayersFoldBesideASumInTheOrderOfNames) {
  constexpr uint32_t numLayers = 14;
  TestProgram program("x=2");
  std::vector<CellId> w;
  program.result(addLayers(program, program.argument({4, 8}), numLayers, w));
  size_t numForward = program.getGraph().ops.size();
  std::vector<uint32_t> order;
  for (uint32_t layer = 0; layer < numLayers; ++layer)
    order.push_back(layer);
  llvm::sort(order, [](uint32_t a, uint32_t b) { return std::to_string(a) < std::to_string(b); });
  CellId sum;
  for (uint32_t layer : order) {
    CellId norm = program.op({program.elementwise({w[layer]})}, {}, "([a,b])->([]) reduce(add)={a,b}");
    sum = sum.isValid() ? program.add(sum, norm) : norm;
  }
  for (CellId weight : w)
    program.tie(weight, program.result(program.op({weight, sum}, {8, 32}, "([a,b],[])->([a,b])")));
  for (OpId op : idRange<OpId>(program.getGraph().ops.size()))
    if (op.get() >= numForward)
      program.getGraph().ops[op].phase = Phase::Update;
  Analysis analysis(finish(program));
  // Layers of 5 ops forward, 2 for the norm and 2 for the result; 13 sums and the result of the layers.
  EXPECT_EQ(program.getGraph().ops.size(), 14u * 9 + 13 + 1);
  EXPECT_EQ(analysis.getFolding().graph.ops.size(), 4u * 9 + 13 + 1);
  EXPECT_FALSE(bool(verifyGraph(analysis.getFolding().graph)));
}

/// In the folded program, corresponding arguments of layers are one group; in the unfolded one, each is decided alone.
TEST(Analysis, FoldedAndUnfoldedProgramsHaveTheirGroups) {
  TestProgram program("x=2");
  std::vector<CellId> w;
  program.result(addLayers(program, program.argument({4, 8}), 10, w));
  Analysis analysis(finish(program));
  const FoldedProgram &folded = analysis.getFolded();
  EXPECT_EQ(&folded.folding, &analysis.getFolding());
  GroupId group = folded.wholeGroups.ofCell[w[0]];
  EXPECT_EQ(folded.wholeGroups.list[group].members, w);
  // Of ten layers four stay.
  EXPECT_EQ(folded.groups.list[group].members.size(), 4u);
  EXPECT_EQ(folded.groups.list[group].bytes, folded.wholeGroups.list[group].bytes);
  const FoldedProgram &unfolded = analysis.getUnfolded();
  EXPECT_EQ(unfolded.getGraph(), program.getGraph());
  for (CellId cell : w) {
    const ArgumentGroup &alone = unfolded.groups.list[unfolded.groups.ofCell[cell]];
    EXPECT_EQ(alone.members, std::vector<CellId>{cell});
    EXPECT_EQ(alone.bytes * 10, folded.groups.list[group].bytes);
  }
  // A second call returns the same value.
  EXPECT_EQ(&analysis.getFolded(), &folded);
  EXPECT_EQ(&analysis.getUnfolded(), &unfolded);
}

/// Regions belong to one map as ops do: two maps that move the same loops differently would lead in circles.
TEST(Analysis, RegionsOfAnEarlierMapAreLeftAlone) {
  TestProgram program("x=2");
  std::vector<CellId> w;
  program.result(addLayers(program, program.argument({4, 8}), 3, w));
  Graph graph = finish(program);
  constexpr uint32_t opsPerLayer = 5;
  for (uint32_t layer = 0; layer < 3; ++layer) {
    RegionId region = graph.regions.push_back(graph.regions[RegionId(0)]);
    graph.regions[region].parent = RegionId(0);
    for (uint32_t op = 0; op < opsPerLayer; ++op)
      graph.ops[OpId(layer * opsPerLayer + op)].region = region;
  }
  Topology topology(graph);
  StructuralHash hash(topology);
  ClaimedItems claimed;
  claimed.ops.resize(graph.ops.size(), 0);
  claimed.cells.resize(graph.cells.size(), 0);
  claimed.regions.resize(graph.regions.size(), 0);
  OpId first(0), second(opsPerLayer);
  RepetitionMap map = growRepetitionMap(topology, hash, claimed, first, second);
  EXPECT_EQ(map.nextOps[first], second);
  EXPECT_EQ(map.nextRegions[RegionId(1)], RegionId(2));
  claimed.regions[RegionId(2)] = 1;
  EXPECT_EQ(growRepetitionMap(topology, hash, claimed, first, second).numPairs, 0U);
}

TEST(Analysis, TooFewLayersStayWhole) {
  TestProgram program("x=2");
  std::vector<CellId> w;
  // Layers with few ops have no inside in which hashes would be equal.
  program.result(addLayers(program, program.argument({4, 8}), 3, w, 12));
  Analysis analysis(finish(program));
  EXPECT_FALSE(analysis.getFolding().isFolded());
  EXPECT_EQ(analysis.getFolding().graph, program.getGraph());
  EXPECT_EQ(analysis.getGroups().list[analysis.getGroups().ofCell[w[0]]].members, w);
}

TEST(Analysis, BranchesThatLookAlikeAreNoLayers) {
  TestProgram program("x=2");
  CellId x = program.argument({4, 8});
  std::vector<CellId> w;
  CellId sum;
  for (int i = 0; i < 2; ++i) {
    w.push_back(program.argument({8, 32}));
    CellId h = program.op({x, w.back()}, {4, 32}, "([a,b],[b,c])->([a,c]) reduce(add)={b}");
    for (int step = 0; step < 9; ++step)
      h = program.elementwise({h});
    sum = sum.isValid() ? program.elementwise({sum, h}) : h;
  }
  program.result(sum);
  Analysis analysis(finish(program));
  EXPECT_NE(analysis.getGroups().ofCell[w[0]], analysis.getGroups().ofCell[w[1]]);
}

TEST(Analysis, ColorsAreOneForAllLayers) {
  TestProgram program("x=2");
  CellId x = program.argument({4, 8});
  std::vector<CellId> w;
  program.result(addLayers(program, x, 6, w));
  Analysis analysis(finish(program));
  auto colorOf = [&](CellId cell, uint32_t dim) {
    return analysis.getColors().ofDim[analysis.getTopology().getDim(cell, dim)];
  };
  EXPECT_EQ(colorOf(w[0], 1), colorOf(w[5], 1));
  EXPECT_EQ(colorOf(w[0], 0), colorOf(x, 1));
  EXPECT_NE(colorOf(w[0], 0), colorOf(w[0], 1));
  EXPECT_EQ(analysis.getColors().list[colorOf(x, 0)].word, "batch");
  EXPECT_EQ(analysis.getColors().list[colorOf(w[0], 1)].word, "hidden");
  EXPECT_TRUE(analysis.getColors().conflicts.empty());
}

/// What padding makes of an input is called what the input is called.
TEST(Analysis, PaddedDimsKeepTheirWords) {
  TestProgram program("x=2");
  CellId x = program.argument({7, 8}), w = program.argument({8, 8}), zero = program.argument({});
  CellId padded = program.op({x, zero}, {8, 8}, "([a,b],[])->([c,b]) replicate={a,c}");
  CellId y = program.op({padded, w}, {8, 8}, "([a,b],[b,c])->([a,c]) reduce(add)={b}");
  program.getGraph().ops[OpId(program.getGraph().ops.size() - 1)].opClass = OpClass::Contraction;
  program.result(y);
  Analysis analysis(finish(program));
  ColorId rows = analysis.getColors().ofDim[analysis.getTopology().getDim(padded, 0)];
  ASSERT_TRUE(rows.isValid());
  EXPECT_EQ(analysis.getColors().list[rows].word, "batch");
}

/// The rows of x meet themselves in x @ x^T: one conflict, a side for each operand.
TEST(Analysis, ConflictHasTwoSides) {
  TestProgram program("x=2");
  CellId x = program.argument({4, 8});
  CellId y = program.elementwise({x});
  CellId scores = program.op({y, y}, {4, 4}, "([a,b],[c,b])->([a,c]) reduce(add)={b}");
  program.result(program.elementwise({scores}));
  Analysis analysis(finish(program));
  ASSERT_EQ(analysis.getColors().conflicts.size(), 1u);
  EXPECT_EQ(analysis.getColors().conflicts[0].sides.size(), 2u);
  // The color is what a step on the rows of x reaches while nothing is decided.
  std::vector<Conflict> conflicts = program.tile(x, 0, "x");
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].nodes, analysis.getColors().conflicts[0].first.nodes);
}

/// Where there are no conflicts, each dim of an argument, tiled, splits exactly the dims of its color.
TEST(Analysis, ColorsAreWhatPropagationReaches) {
  TestProgram program("x=2");
  std::vector<CellId> w;
  program.result(addLayers(program, program.argument({4, 8}), 3, w));
  const Graph &graph = finish(program);
  Analysis analysis(graph);
  ASSERT_TRUE(analysis.getColors().conflicts.empty());
  const Topology &topology = analysis.getTopology();
  Axes axes = makeAxes(*parseMesh("x=2"));
  for (CellId cell : graph.arguments)
    for (uint32_t dim = 0; dim < graph.cells[cell].rank; ++dim) {
      Assignment assignment(topology, axes);
      DimId root = topology.getDim(cell, dim);
      Propagation(assignment).run(root, AxisId(0), 1);
      // Layers are one color, but a tile on one of them does not reach the hidden dims of the others.
      for (CellId other : graph.arguments) {
        Sharding sharding = assignment.getCellSharding(other);
        for (uint32_t number = 0; number < graph.cells[other].rank; ++number)
          if (!sharding.dims[number].empty())
            EXPECT_EQ(analysis.getColors().ofDim[topology.getDim(other, number)], analysis.getColors().ofDim[root]);
      }
    }
}
