//===- AssignmentTest.cpp -------------------------------------------------===//

#include "partita/Testing/RandomGraph.h"
#include "partita/Testing/TestProgram.h"

#include <gmock/gmock.h>

namespace partita::propagate {

using namespace fixtures;
namespace {

constexpr const char *dot = "([a,b],[b,c])->([a,c]) reduce(add)={b}";

TEST(AssignmentTest, ShardingsFollowFromFactors) {
  TestProgram program("x=2,y=2");
  CellId a = program.argument({8, 4}), w = program.argument({4, 6});
  CellId h = program.op({a, w}, {8, 6}, dot);
  CellId out = program.result(h);
  program.tile(a, 0, "x");
  program.tile(w, 0, "y");
  EXPECT_EQ(program.print(a), "[{x}, {y}]");
  EXPECT_EQ(program.print(w), "[{y}, {}]");
  EXPECT_EQ(program.print(h), "[{x}, {}]");
  EXPECT_EQ(program.print(out), "[{x}, {}]");
  const Assignment &assignment = program.state().assignment;
  EXPECT_THAT(assignment.getReducedAxes(OpId(0)), testing::ElementsAre(AxisId(1)));
  EXPECT_EQ(assignment.getCombiner(OpId(0)), Combiner::Add);
  EXPECT_EQ(assignment.getParts(NodeId(0), 0), 2);
  EXPECT_TRUE(program.isPartial(h, "y"));
  EXPECT_FALSE(program.isPartial(out, "y"));
}

TEST(AssignmentTest, AxesOfOneDimAreInTheOrderOfTheSteps) {
  for (bool isSwapped : {false, true}) {
    TestProgram program("x=2,y=4");
    CellId a = program.argument({16});
    CellId b = program.elementwise(a);
    program.tile(a, 0, isSwapped ? "y" : "x");
    program.tile(b, 0, isSwapped ? "x" : "y");
    EXPECT_EQ(program.print(b), isSwapped ? "[{y, x}]" : "[{x, y}]");
    EXPECT_EQ(program.print(a), program.print(b));
  }
}

TEST(AssignmentTest, MinorFactorsWaitForTheirMajors) {
  TestProgram program("x=2,y=2,z=3");
  CellId a = program.argument({4, 6});
  CellId flat = program.op(a, {24}, "([a,b])->([(ab)])");
  CellId next = program.elementwise(flat);
  // 2 of 4 are split: the minor 6 stays whole in the reshape.
  program.tile(a, 0, "x");
  program.tile(a, 1, "z");
  EXPECT_EQ(program.print(a), "[{x}, {z}]");
  EXPECT_EQ(program.print(flat), "[{x}]");
  // All of 4 are split: the minor factor opens.
  program.tile(a, 0, "y");
  EXPECT_EQ(program.print(flat), "[{x, y}]");
  program.tile(next, 0, "z");
  EXPECT_EQ(program.print(flat), "[{x, y, z}]");
  EXPECT_EQ(program.printGiven(flat), "[{x, y, z}]");
  EXPECT_EQ(program.print(next), "[{x, y, z}]");
}

TEST(AssignmentTest, FewHeadsUnderAWideAxis) {
  // 4 heads of 6 under model=8: the heads take model:(1)4, their elements model:(4)2.
  TestProgram program("model=8");
  CellId w = program.argument({3, 24});
  CellId k = program.op(w, {3, 4, 6}, "([a,(bc)])->([a,b,c])");
  program.getGraph().boundaries.push_back({w, 1, 6});
  program.tile(w, 1, "model");
  EXPECT_EQ(program.print(w), "[{}, {model}]");
  EXPECT_EQ(program.print(k), "[{}, {model:(1)4}, {model:(4)2}]");
}

TEST(AssignmentTest, PinsOverride) {
  TestProgram program("x=2,y=2");
  CellId a = program.argument({8, 4});
  CellId b = program.elementwise(a), c = program.elementwise(b);
  program.tile(a, 0, "x");
  EXPECT_EQ(program.print(c), "[{x}, {}]");
  // An inner cell may be split differently: its definition keeps its factor.
  program.tile(b, 1, "x");
  EXPECT_EQ(program.printGiven(b), "[{x}, {}]");
  EXPECT_EQ(program.print(b), "[{}, {x}]");
  program.atomic(c, "x");
  EXPECT_EQ(program.printGiven(c), "[{x}, {}]");
  EXPECT_EQ(program.print(c), "[{}, {}]");
  // An argument may not.
  EXPECT_EQ(program.whyNot(a, 1, "x"), "'x' already splits its dim 0");
}

TEST(AssignmentTest, OlderPinsComeFirst) {
  TestProgram program("x=2,y=2,z=2");
  CellId a = program.argument({8, 8}), w = program.argument({8, 8});
  CellId h = program.op({a, w}, {8, 8}, dot);
  CellId next = program.elementwise(h);
  program.tile(w, 0, "x");
  // The dot reduces over x, so the pin is the cell's own; y comes through the dot, behind it.
  program.tile(h, 0, "x");
  program.tile(a, 0, "y");
  program.tile(h, 0, "z");
  EXPECT_EQ(program.printGiven(h), "[{y, z}, {}]");
  EXPECT_EQ(program.print(h), "[{x, y, z}, {}]");
  EXPECT_EQ(program.print(next), "[{x, y, z}, {}]");
}

TEST(AssignmentTest, ATileThatHoldsKeepsItsPlace) {
  TestProgram program("x=2,y=2");
  CellId a = program.argument({8, 8}), w = program.argument({8, 8});
  CellId h = program.op({a, w}, {8, 8}, dot);
  program.tile(w, 0, "x");
  program.tile(h, 0, "x");
  program.tile(h, 0, "y");
  EXPECT_EQ(program.print(h), "[{x, y}, {}]");
  program.tile(h, 0, "x");
  EXPECT_EQ(program.print(h), "[{x, y}, {}]");
}

TEST(AssignmentTest, TiedResultsAreTheirArguments) {
  TestProgram program("x=2");
  CellId w = program.argument({4, 6}), other = program.argument({4, 6});
  CellId out = program.result(program.add(w, other));
  program.tie(w, out);
  program.tile(out, 1, "x");
  EXPECT_EQ(program.print(w), "[{}, {x}]");
  EXPECT_EQ(program.print(other), "[{}, {x}]");
  EXPECT_EQ(program.whyNot(w, 0, "x"), "'x' already splits its dim 1");
}

/// The answers to all queries of an assignment.
std::string printEverything(const TestProgram::State &state) {
  const Assignment &assignment = state.assignment;
  const Topology &topology = state.topology;
  std::string text;
  for (AxisId axis : idRange<AxisId>(state.axes.size())) {
    for (NodeId node : idRange<NodeId>(topology.getNumNodes()))
      text +=
          std::to_string(assignment.getFactor(node, axis)) + "@" + std::to_string(assignment.getStep(node, axis)) + " ";
    for (CellId cell : idRange<CellId>(topology.getGraph().cells.size())) {
      Pin pin = assignment.getPin(cell, axis);
      text += std::to_string(int(pin.kind)) + "." + std::to_string(pin.dim) + "@" +
              std::to_string(assignment.getPinStep(cell, axis)) + " ";
    }
    for (DimId dim : idRange<DimId>(topology.getNumDims()))
      text += std::to_string(assignment.isChosen(dim, axis));
  }
  for (uint64_t word : assignment.getNodeStates())
    text += " " + std::to_string(word);
  for (OpFactorId opFactor : idRange<OpFactorId>(topology.getNumOpFactors()))
    text += " " + std::to_string(assignment.getPartSize(opFactor));
  for (NodeId node : idRange<NodeId>(topology.getNumNodes()))
    text += assignment.isRestricted(node) ? "r" : "-";
  for (DimId dim : idRange<DimId>(topology.getNumDims()))
    text += " " + std::to_string(assignment.getPinnedAxes(dim)) + (assignment.isClosed(dim) ? "c" : "");
  for (CellId cell : idRange<CellId>(topology.getGraph().cells.size()))
    text += printSharding(state.axes, assignment.getCellSharding(cell));
  return text;
}

TEST(AssignmentTest, TheTrailSaysWhatChanged) {
  TestProgram program("x=2,y=2");
  CellId a = program.argument({8, 4}), w = program.argument({4, 6});
  program.op({a, w}, {8, 6}, dot);
  Assignment &assignment = program.state().assignment;
  const Topology &topology = assignment.getTopology();
  size_t before = assignment.mark();
  EXPECT_TRUE(assignment.getChanges(before).empty());
  program.tile(a, 0, "x");
  size_t between = assignment.mark();
  std::vector<NodeId> nodes;
  for (const Change &change : assignment.getChanges(before)) {
    EXPECT_EQ(change.getAxis(), AxisId(0));
    if (change.kind == ChangeKind::Assign)
      nodes.push_back(change.getNode());
    if (change.kind == ChangeKind::Pin)
      EXPECT_EQ(change.getCell(), a);
  }
  EXPECT_THAT(nodes, testing::UnorderedElementsAre(topology.getBoundaryNode(a), topology.getNode(OpId(0))));
  assignment.choose(topology.getDim(w, 1), AxisId(1));
  assignment.close(topology.getDim(w, 0));
  llvm::ArrayRef<Change> changes = assignment.getChanges(between);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].kind, ChangeKind::Choose);
  EXPECT_EQ(changes[0].getDim(), topology.getDim(w, 1));
  EXPECT_EQ(changes[1].kind, ChangeKind::Close);
  EXPECT_FALSE(changes[1].getAxis().isValid());
  EXPECT_EQ(changes[1].getDim(), topology.getDim(w, 0));
  assignment.rollback(between);
  EXPECT_TRUE(assignment.getChanges(between).empty());
}

TEST(AssignmentTest, RollbackRestoresEverything) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Graph graph = buildRandomGraph(seed);
    TestProgram::State state(graph, *parseMesh("x=2,y=4,z=3"));
    RandomNumbers random(seed);
    std::vector<std::pair<size_t, std::string>> marks;
    for (uint32_t step = 1; step < 12; ++step) {
      marks.push_back({state.assignment.mark(), printEverything(state)});
      DimId dim(random.below(std::max<size_t>(1, state.topology.getNumDims())));
      AxisId axis(random.below(state.axes.size()));
      if (dim.get() >= state.topology.getNumDims())
        break;
      CellId cell = state.topology.getCell(dim);
      uint32_t what = random.below(6);
      if (what < 3 && state.propagation.explainRoot(dim, axis).empty())
        state.propagation.run(dim, axis, step);
      else if (what == 3)
        state.assignment.close(dim);
      else if (what == 4)
        state.assignment.choose(dim, axis);
      else if (what == 5)
        state.assignment.pin(cell, axis, {PinKind::Atomic, 0}, step);
    }
    while (!marks.empty()) {
      size_t kept = random.below(marks.size());
      state.assignment.rollback(marks[kept].first);
      ASSERT_EQ(printEverything(state), marks[kept].second);
      marks.resize(kept);
    }
  }
}

} // namespace
} // namespace partita::propagate
