//===- PropagationTest.cpp ------------------------------------------------===//

#include "partita/Testing/TestProgram.h"

#include <gmock/gmock.h>

namespace partita::propagate {

using namespace fixtures;
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr const char *dot = "([a,b],[b,c])->([a,c]) reduce(add)={b}";

TEST(PropagationTest, GoesForwardBackwardAndAcross) {
  TestProgram program("x=2");
  CellId a = program.argument({8, 4}), w1 = program.argument({4, 6}), w2 = program.argument({6, 4});
  CellId h = program.op({a, w1}, {8, 6}, dot);
  CellId out = program.op({program.elementwise(h), w2}, {8, 4}, dot);
  // Megatron: the columns of one are the rows of the other.
  EXPECT_THAT(program.tile(w1, 1, "x"), IsEmpty());
  EXPECT_EQ(program.print(a), "[{}, {}]");
  EXPECT_EQ(program.print(h), "[{}, {x}]");
  EXPECT_EQ(program.print(w2), "[{x}, {}]");
  EXPECT_EQ(program.print(out), "[{}, {}]");
  EXPECT_TRUE(program.isPartial(out, "x"));
}

TEST(PropagationTest, EarlierStepsWin) {
  TestProgram program("x=2");
  CellId a = program.argument({8, 4}), w = program.argument({4, 6});
  CellId h = program.op({a, w}, {8, 6}, dot);
  program.tile(a, 0, "x");
  program.tile(w, 0, "x");
  EXPECT_EQ(program.print(w), "[{x}, {}]");
  EXPECT_EQ(program.print(h), "[{x}, {}]");
  EXPECT_FALSE(program.isPartial(h, "x"));
}

TEST(PropagationTest, SizesThatDoNotDivideStay) {
  TestProgram program("x=4,y=2");
  CellId a = program.argument({8}), b = program.argument({6});
  CellId both = program.op({a, b}, {8, 6}, "([a],[b])->([a,b])");
  program.tile(both, 0, "x");
  EXPECT_EQ(program.print(a), "[{x}]");
  EXPECT_EQ(program.whyNot(b, 0, "x"), "its dim 0 of size 6 does not divide by the 4 devices of 'x'");
  program.tile(b, 0, "y");
  EXPECT_EQ(program.print(both), "[{x}, {y}]");
  EXPECT_EQ(program.whyNot(both, 1, "x"), "'x' already splits its dim 0");
}

TEST(PropagationTest, CellsThatStayWholeAreNotEntered) {
  TestProgram program("x=2");
  CellId a = program.argument({8});
  CellId b = program.elementwise(a), c = program.elementwise(b);
  program.atomic(b, "x");
  program.tile(a, 0, "x");
  // The op next to the cell is not restricted.
  EXPECT_EQ(program.printGiven(b), "[{x}]");
  EXPECT_EQ(program.print(b), "[{}]");
  EXPECT_EQ(program.print(c), "[{}]");
  EXPECT_EQ(program.whyNot(b, 0, "x"), "it is replicated over 'x'");
}

TEST(PropagationTest, CutsEndWithTheirTactic) {
  TestProgram program("x=2,y=2");
  CellId a = program.argument({8});
  CellId b = program.elementwise(a), c = program.elementwise(b);
  program.state().propagation.addCut(b, program.axis("x"));
  EXPECT_EQ(program.whyNot(b, 0, "x"), "it is cut on 'x' in this tactic");
  program.tile(a, 0, "x");
  EXPECT_EQ(program.print(c), "[{}]");
  program.state().propagation.clearCuts();
  program.tile(c, 0, "x");
  EXPECT_EQ(program.print(c), "[{x}]");
}

TEST(PropagationTest, ClosedDimsTakeNothing) {
  TestProgram program("x=2");
  CellId a = program.argument({8, 8});
  CellId b = program.elementwise(a);
  program.state().assignment.close(program.dim(a, 0));
  EXPECT_EQ(program.whyNot(a, 0, "x"), "its dim 0 is closed by the sharding that is given for it");
  program.tile(b, 0, "x");
  EXPECT_EQ(program.print(a), "[{}, {}]");
  EXPECT_EQ(program.print(b), "[{x}, {}]");
}

/// Scores of all pairs of 8 positions: softmax-like ops between two dots.
struct Attention {
  explicit Attention(TestProgram &program, uint32_t layers = 1) {
    stream = program.argument({8, 4});
    CellId x = stream;
    for (uint32_t i = 0; i < layers; ++i) {
      q = program.elementwise(x);
      k = program.elementwise(x);
      CellId scores = program.op({q, k}, {8, 8}, "([a,c],[b,c])->([a,b]) reduce(add)={c}");
      CellId weights = program.elementwise(program.elementwise(scores)), v = program.elementwise(x);
      x = program.add(x, program.op({weights, v}, {8, 4}, dot));
    }
    out = x;
  }
  CellId stream, q, k, out;
};

TEST(PropagationTest, AttentionIsOneConflictOfTwoSides) {
  TestProgram program("x=2");
  Attention attention(program);
  std::vector<Conflict> conflicts = program.tile(attention.stream, 0, "x");
  ASSERT_THAT(conflicts, SizeIs(1));
  // Both dots and the two ops between them.
  EXPECT_THAT(conflicts[0].nodes, SizeIs(4));
  EXPECT_THAT(conflicts[0].sides, SizeIs(2));
  EXPECT_EQ(program.print(attention.q), "[{x}, {}]");
  EXPECT_EQ(program.print(attention.k), "[{x}, {}]");
  EXPECT_EQ(program.print(attention.out), "[{x}, {}]");
  EXPECT_EQ(conflicts[0].axis, program.axis("x"));
}

TEST(PropagationTest, ASideIsChosenByATileOnIt) {
  for (bool isKeys : {false, true}) {
    TestProgram program("x=2");
    Attention attention(program);
    CellId chosen = isKeys ? attention.k : attention.q;
    program.state().assignment.choose(program.dim(chosen, 0), program.axis("x"));
    EXPECT_THAT(program.tile(attention.stream, 0, "x"), IsEmpty());
    CellId scores(attention.k.get() + 1);
    EXPECT_EQ(program.print(scores), isKeys ? "[{}, {x}]" : "[{x}, {}]");
  }
}

TEST(PropagationTest, ATileOnBothSidesDecidesNothing) {
  TestProgram program("x=2");
  Attention attention(program);
  for (CellId cell : {attention.q, attention.k})
    program.state().assignment.choose(program.dim(cell, 0), program.axis("x"));
  EXPECT_THAT(program.tile(attention.stream, 0, "x"), SizeIs(1));
}

TEST(PropagationTest, WhatOnlyALosingSideReachesIsNoConflict) {
  // p is reached only through the keys' side; with the queries' side chosen, `sum` has one choice left.
  TestProgram program("x=2");
  CellId a = program.argument({8}), b = program.argument({8});
  CellId q = program.elementwise(a), k = program.elementwise(a);
  CellId scores = program.op({q, k}, {8, 8}, "([a],[b])->([a,b])");
  CellId keys = program.op(scores, {8}, "([a,b])->([b]) replicate={a}");
  CellId pairs = program.op({keys, a}, {8, 8}, "([b],[a])->([b,a])");
  program.state().assignment.choose(program.dim(q, 0), program.axis("x"));
  EXPECT_THAT(program.tile(a, 0, "x"), IsEmpty());
  EXPECT_EQ(program.print(scores), "[{x}, {}]");
  EXPECT_EQ(program.print(keys), "[{}]");
  EXPECT_EQ(program.print(pairs), "[{}, {x}]");
  EXPECT_EQ(program.print(b), "[{}]");
}

TEST(PropagationTest, LayersHaveAConflictEach) {
  TestProgram program("x=2");
  Attention attention(program, 3);
  EXPECT_THAT(program.tile(attention.stream, 0, "x"), SizeIs(3));
  EXPECT_EQ(program.print(attention.out), "[{x}, {}]");
}

TEST(PropagationTest, AMirroredSideIsNoWayOut) {
  // x + transpose(x): both dims of everything have the same color, so a tile on one is a tile on both.
  TestProgram program("x=2");
  CellId a = program.argument({8, 8});
  CellId flipped = program.op(a, {8, 8}, "([a,b])->([b,a])");
  CellId sum = program.op({a, flipped}, {8, 8}, "([a,b],[a,b])->([a,b])");
  std::vector<Conflict> conflicts = program.tile(sum, 0, "x");
  EXPECT_EQ(program.print(sum), "[{x}, {}]");
  ASSERT_THAT(conflicts, SizeIs(1));
  EXPECT_THAT(conflicts[0].sides, SizeIs(1));
  EXPECT_EQ(program.print(a), "[{}, {}]");
}

TEST(PropagationTest, LoopsCarryOneSharding) {
  TestProgram program("x=2");
  CellId initial = program.argument({8, 4}), w = program.argument({4, 4});
  CellId carried = program.beginLoop(initial);
  CellId next = program.op({carried, w}, {8, 4}, dot);
  program.endLoop(carried, next);
  CellId out = program.result(carried);
  program.tile(out, 0, "x");
  for (CellId cell : {initial, carried, next, out})
    EXPECT_EQ(program.print(cell), "[{x}, {}]");
  EXPECT_EQ(program.print(w), "[{}, {}]");
}

TEST(PropagationTest, ATilePointBehindAReducedDefinition) {
  TestProgram program("x=2");
  CellId a = program.argument({8, 4}), w = program.argument({4, 4});
  CellId h = program.op({a, w}, {8, 4}, dot);
  CellId norm = program.elementwise(h);
  program.tile(w, 0, "x");
  program.tile(h, 0, "x");
  EXPECT_EQ(program.printGiven(h), "[{}, {}]");
  EXPECT_EQ(program.print(h), "[{x}, {}]");
  EXPECT_FALSE(program.isPartial(h, "x"));
  EXPECT_EQ(program.print(norm), "[{x}, {}]");
}

TEST(PropagationTest, OnlyTheMajorFactorOfACompoundDimOpens) {
  TestProgram program("x=2");
  CellId a = program.argument({4, 6});
  CellId flat = program.op(a, {24}, "([a,b])->([(ab)])");
  program.tile(flat, 0, "x");
  EXPECT_EQ(program.print(a), "[{x}, {}]");
}

} // namespace
} // namespace partita::propagate
