//===- LoopNestTest.cpp - order of loops and levels of slices -------------===//

#include "partita/Lower/LoopNest.h"

#include "partita/Testing/TestProgram.h"

#include "llvm/ADT/StringExtras.h"

namespace partita::lower {

using namespace fixtures;
namespace {

/// `x:0 y:1`: the loops, outermost first, with the factors they split.
std::string printNest(const Axes &axes, const LoopNest &nest) {
  std::vector<std::string> words;
  for (const NestLoop &loop : nest.loops)
    words.push_back(llvm::join(getNames(axes, loop.axes), "+") + ":" + std::to_string(loop.factor));
  return llvm::join(words, " ");
}

/// `1: operand0.dim2/x`: at level 1, dim 2 of operand 0 is sliced by the loop over x.
std::string printSlices(const Axes &axes, const LoopNest &nest, llvm::ArrayRef<NestSlice> slices) {
  std::vector<std::string> words;
  for (const NestSlice &slice : slices)
    words.push_back(std::to_string(slice.level) + ": operand" + std::to_string(slice.operand) + ".dim" +
                    std::to_string(slice.dim) + "/" + llvm::join(getNames(axes, nest.loops[slice.loop].axes), "+"));
  return llvm::join(words, ", ");
}

struct BuiltNest {
  std::string loops;
  std::string slices;
};

/// The nest of the program's first op, and the slices of its first operand.
BuiltNest build(TestProgram &program) {
  const Assignment &assignment = program.state().assignment;
  Rule rule = buildRule(assignment.getGraph(), OpId(0));
  std::optional<LoopNest> nest = buildNest(assignment, OpId(0), rule);
  EXPECT_TRUE(nest.has_value());
  if (!nest)
    return {};
  return {printNest(assignment.getAxes(), *nest),
          printSlices(assignment.getAxes(), *nest, collectSlices(*nest, rule.operands[0], 0))};
}

TEST(LoopNestTest, AnOpThatIsNotSplitHasNoLoops) {
  TestProgram program("x=2");
  program.elementwise(program.argument({8}));
  EXPECT_EQ(build(program).loops, "");
}

TEST(LoopNestTest, LoopsStandInTheOrderOfTheSteps) {
  for (bool isSwapped : {false, true}) {
    TestProgram program("x=2,y=2");
    CellId a = program.argument({8, 4}), w = program.argument({4, 6});
    program.op({a, w}, {8, 6}, "([a,b],[b,c])->([a,c]) reduce(add)={b}");
    program.tile(isSwapped ? w : a, 0, isSwapped ? "y" : "x");
    program.tile(isSwapped ? a : w, 0, isSwapped ? "x" : "y");
    EXPECT_EQ(build(program).loops, isSwapped ? "y:1 x:0" : "x:0 y:1");
    EXPECT_EQ(build(program).slices,
              isSwapped ? "1: operand0.dim0/x, 0: operand0.dim1/y" : "0: operand0.dim0/x, 1: operand0.dim1/y");
  }
}

TEST(LoopNestTest, TheMajorAxisOfADimIsOutside) {
  TestProgram program("x=2,y=4");
  CellId a = program.argument({16});
  program.elementwise(a);
  program.tile(a, 0, "y");
  program.tile(a, 0, "x");
  EXPECT_EQ(build(program).loops, "y:0 x:0");
  EXPECT_EQ(build(program).slices, "0: operand0.dim0/y, 1: operand0.dim0/x");
}

TEST(LoopNestTest, FactorsOfACompoundDimCutOneAfterTheOther) {
  TestProgram program("x=2,y=3");
  CellId a = program.argument({2, 6});
  program.op(a, {12}, "([a,b])->([(ab)])");
  program.tile(a, 0, "x");
  program.tile(a, 1, "y");
  EXPECT_EQ(build(program).loops, "x:0 y:1");
  EXPECT_EQ(build(program).slices, "0: operand0.dim0/x, 1: operand0.dim1/y");
}

/// A minor slice is taken from the result of the major one, so not before it, even if its own position is known.
TEST(LoopNestTest, AMinorCutWaitsForTheMajorOne) {
  LoopNest nest;
  nest.loops = {{{AxisId(0)}, 2, 1}, {{AxisId(1)}, 3, 0}};
  // One dim of factors 0 and 1: the loop of its major factor is the inner one.
  llvm::SmallVector<NestSlice> slices = collectSlices(nest, ValueFactors{{0, 1}}, 0);
  EXPECT_EQ(printSlices(makeAxes(*parseMesh("x=2,y=3")), nest, slices), "1: operand0.dim0/y, 1: operand0.dim0/x");
}

TEST(LoopNestTest, OppositeOrdersInTwoResultsHaveNoNest) {
  TestProgram program("x=2,y=3");
  CellId a = program.argument({2, 3});
  program.op(a, {6}, "([a,b])->([(ab)])");
  program.tile(a, 0, "x");
  program.tile(a, 1, "y");
  const Assignment &assignment = program.state().assignment;
  Rule rule = buildRule(assignment.getGraph(), OpId(0));
  EXPECT_TRUE(buildNest(assignment, OpId(0), rule).has_value());
  rule.results.push_back({{1, 0}});
  EXPECT_FALSE(buildNest(assignment, OpId(0), rule).has_value());
}

TEST(LoopNestTest, PartsOfOneAxisAreOneLoopWhereTheySplitOneFactor) {
  // 4 heads of 2 in one dim of 8 under model=8: model:(1)4 and model:(4)2.
  TestProgram program("model=8");
  CellId a = program.argument({8});
  CellId b = program.elementwise(a);
  program.op(b, {4, 2}, "([(ab)])->([a,b])");
  program.getGraph().boundaries.push_back({b, 0, 2});
  program.tile(a, 0, "model");
  const Assignment &assignment = program.state().assignment;
  ASSERT_EQ(assignment.getAxes().size(), 2u);
  EXPECT_EQ(build(program).loops, "model:0");
  std::optional<LoopNest> reshape = buildNest(assignment, OpId(1), buildRule(assignment.getGraph(), OpId(1)));
  ASSERT_TRUE(reshape.has_value());
  EXPECT_EQ(printNest(assignment.getAxes(), *reshape), "model:(1)4:0 model:(4)2:1");
}

TEST(LoopNestTest, AShardingIsCutDimByDim) {
  Axes axes = makeAxes(*parseMesh("x=2,y=2,z=2"));
  Sharding sharding(2);
  sharding.dims[0] = {AxisId(2), AxisId(0)};
  sharding.dims[1] = {AxisId(1)};
  EXPECT_EQ(printNest(axes, buildNest(axes, sharding)), "z:0 x:0 y:1");
}

} // namespace
} // namespace partita::lower
