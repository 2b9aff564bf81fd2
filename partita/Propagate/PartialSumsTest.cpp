//===- PartialSumsTest.cpp ------------------------------------------------===//

#include "partita/Testing/TestProgram.h"

namespace partita::propagate {

using namespace fixtures;
namespace {

/// Reductions of arguments over a dim that will be split.
struct Reductions {
  explicit Reductions(TestProgram &program) : program(program), data(program.argument({8, 4})) {}

  CellId get() { return program.op(data, {4}, "([a,b])->([b]) reduce(add)={a}"); }
  void split() { program.tile(data, 0, "x"); }

  TestProgram &program;
  CellId data;
};

TEST(PartialSumsTest, ChainsOfAddsTakeTheSum) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId first = program.add(reductions.get(), reductions.get());
  CellId second = program.add(first, reductions.get());
  program.result(second);
  reductions.split();
  EXPECT_TRUE(program.takesSum(first, "x"));
  EXPECT_TRUE(program.takesSum(second, "x"));
  EXPECT_TRUE(program.isPartial(second, "x"));
}

TEST(PartialSumsTest, AWholeOperandEndsIt) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId whole = program.argument({4});
  CellId sum = program.add(reductions.get(), whole);
  reductions.split();
  EXPECT_FALSE(program.takesSum(sum, "x"));
  EXPECT_FALSE(program.isPartial(sum, "x"));
}

TEST(PartialSumsTest, ASumThatSavesNothingIsNotTaken) {
  // Both operands are reduced anyway, for other uses.
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId a = reductions.get(), b = reductions.get();
  program.result(program.elementwise(a));
  program.result(program.elementwise(b));
  CellId sum = program.add(a, b);
  CellId c = reductions.get();
  CellId mixed = program.add(a, c);
  reductions.split();
  EXPECT_FALSE(program.takesSum(sum, "x"));
  // One of two reductions is saved.
  EXPECT_TRUE(program.takesSum(mixed, "x"));
}

TEST(PartialSumsTest, UnaryOpsOnlyOnAChainToAnAdd) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId negated = program.elementwise(reductions.get(), Linearity::First);
  CellId sum = program.add(negated, reductions.get());
  CellId ending = program.elementwise(reductions.get(), Linearity::First);
  program.result(ending);
  reductions.split();
  EXPECT_TRUE(program.takesSum(negated, "x"));
  EXPECT_TRUE(program.takesSum(sum, "x"));
  EXPECT_FALSE(program.takesSum(ending, "x"));
}

TEST(PartialSumsTest, AChoiceOfSumsIsASum) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId predicate = program.argument({4}), whole = program.argument({4});
  auto choose = [&](CellId onTrue, CellId onFalse) {
    return program.op({predicate, onTrue, onFalse}, {4}, "([a],[a],[a])->([a])", Linearity::Choice);
  };
  CellId chosen = choose(reductions.get(), reductions.get()), mixed = choose(reductions.get(), whole);
  CellId sum = program.add(chosen, reductions.get()), other = program.add(mixed, reductions.get());
  reductions.split();
  EXPECT_TRUE(program.takesSum(chosen, "x"));
  EXPECT_TRUE(program.takesSum(sum, "x"));
  EXPECT_FALSE(program.takesSum(mixed, "x"));
  EXPECT_FALSE(program.takesSum(other, "x"));
}

TEST(PartialSumsTest, AnotherUseEndsAUnaryChain) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId negated = program.elementwise(reductions.get(), Linearity::First);
  CellId sum = program.add(negated, reductions.get());
  program.result(program.elementwise(negated));
  reductions.split();
  EXPECT_FALSE(program.takesSum(negated, "x"));
  EXPECT_FALSE(program.takesSum(sum, "x"));
}

TEST(PartialSumsTest, ScalesAreWhole) {
  // A sum times a whole scalar. A product is not linear in the scalar, so that use does not carry a partial scalar.
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId scale = program.argument({4});
  CellId scaled = program.elementwise({reductions.get(), scale}, Linearity::First);
  program.result(program.add(scaled, reductions.get()));
  CellId negated = program.elementwise(reductions.get(), Linearity::First);
  CellId wrong = program.elementwise({reductions.get(), negated}, Linearity::First);
  program.result(program.add(wrong, reductions.get()));
  reductions.split();
  EXPECT_TRUE(program.takesSum(scaled, "x"));
  EXPECT_TRUE(program.takesSum(wrong, "x"));
  EXPECT_FALSE(program.takesSum(negated, "x"));
}

TEST(PartialSumsTest, ZerosAreSums) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId sum = program.add(program.zeros({4}), reductions.get());
  program.result(program.add(sum, reductions.get()));
  CellId nothing = program.add(program.zeros({4}), program.zeros({4}));
  program.result(nothing);
  reductions.split();
  EXPECT_TRUE(program.takesSum(sum, "x"));
  EXPECT_FALSE(program.takesSum(nothing, "x"));
  EXPECT_TRUE(program.state().topology.isZero(nothing));
}

TEST(PartialSumsTest, GradientsAccumulateBeforeTheyAreReduced) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId carried = program.beginLoop(program.zeros({4}));
  CellId next = program.add(carried, reductions.get());
  program.endLoop(carried, next);
  CellId out = program.result(program.elementwise(carried));
  reductions.split();
  EXPECT_TRUE(program.takesSum(next, "x"));
  EXPECT_TRUE(program.isPartial(carried, "x"));
  EXPECT_FALSE(program.isPartial(out, "x"));
}

TEST(PartialSumsTest, ACarryThatStartsWholeIsReducedEachTime) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId carried = program.beginLoop(program.argument({4}));
  CellId next = program.add(carried, reductions.get());
  program.endLoop(carried, next);
  reductions.split();
  EXPECT_FALSE(program.takesSum(next, "x"));
  EXPECT_FALSE(program.isPartial(carried, "x"));
}

TEST(PartialSumsTest, ACarryThatTheBodyLooksAtIsReducedEachTime) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId carried = program.beginLoop(program.zeros({4}));
  CellId next = program.add(carried, reductions.get());
  program.elementwise(carried);
  program.endLoop(carried, next);
  reductions.split();
  EXPECT_FALSE(program.takesSum(next, "x"));
  EXPECT_FALSE(program.isPartial(carried, "x"));
}

/// A loop that writes a reduction into one row of a carried value in each iteration; the value starts at zero.
struct Stack {
  explicit Stack(Reductions &reductions, bool isStepped = true) {
    TestProgram &program = reductions.program;
    carried = program.beginLoop(program.zeros({3, 4}));
    gradient = reductions.get();
    row = program.op(gradient, {1, 4}, "([a])->([_,a])", Linearity::First);
    next = program.op({carried, row}, {3, 4}, "([c,a],[_,a])->([c,a]) replicate={c}", Linearity::Update);
    if (isStepped)
      program.step(carried, 0);
    program.endLoop(carried, next);
  }

  CellId carried, gradient, row, next;
};

TEST(PartialSumsTest, GradientsOfLayersAreReducedSliceBySlice) {
  TestProgram program("x=2");
  Reductions reductions(program);
  Stack stack(reductions);
  program.result(stack.carried);
  reductions.split();
  EXPECT_TRUE(program.isPartial(stack.gradient, "x"));
  EXPECT_FALSE(program.takesSum(stack.row, "x"));
  EXPECT_FALSE(program.takesSum(stack.next, "x"));
  EXPECT_FALSE(program.isPartial(stack.carried, "x"));
}

TEST(PartialSumsTest, StacksOfScatteredGradientsAreTiles) {
  // ZeRO: the state that the stacked gradients update is split, so the gradients are split, and each slice too.
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId state = program.argument({3, 4});
  Stack stack(reductions);
  CellId updated = program.elementwise({state, stack.carried});
  program.tie(state, program.result(updated));
  reductions.split();
  program.tile(state, 1, "x");
  EXPECT_EQ(program.print(stack.carried), "[{}, {x}]");
  EXPECT_EQ(program.print(stack.row), "[{}, {x}]");
  EXPECT_TRUE(program.isPartial(stack.gradient, "x"));
}

TEST(PartialSumsTest, StacksThatAreAddedUpAreReducedOnce) {
  // Layers in microbatches: the inner loop stacks, the outer one adds.
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId total = program.beginLoop(program.zeros({3, 4}));
  Stack stack(reductions);
  CellId next = program.add(total, stack.carried);
  program.endLoop(total, next);
  program.result(program.elementwise(total));
  reductions.split();
  EXPECT_TRUE(program.isPartial(stack.carried, "x"));
  EXPECT_TRUE(program.takesSum(stack.next, "x"));
  EXPECT_TRUE(program.isPartial(total, "x"));
}

TEST(PartialSumsTest, StacksOfStacksAreReducedInTheInnermostLoop) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId outer = program.beginLoop(program.zeros({2, 3, 4}));
  Stack stack(reductions);
  CellId group = program.op(stack.carried, {1, 3, 4}, "([c,a])->([_,c,a])", Linearity::First);
  CellId next = program.op({outer, group}, {2, 3, 4}, "([g,c,a],[_,c,a])->([g,c,a]) replicate={g}", Linearity::Update);
  program.step(outer, 0);
  program.endLoop(outer, next);
  program.result(outer);
  reductions.split();
  EXPECT_FALSE(program.isPartial(stack.carried, "x"));
  EXPECT_FALSE(program.takesSum(group, "x"));
  EXPECT_FALSE(program.isPartial(outer, "x"));
}

TEST(PartialSumsTest, WhatIsWrittenAgainAndAgainIsReducedBehindTheLoop) {
  // It is not known that each iteration writes another row.
  TestProgram program("x=2");
  Reductions reductions(program);
  Stack stack(reductions, /*isStepped=*/false);
  program.result(stack.carried);
  reductions.split();
  EXPECT_TRUE(program.takesSum(stack.row, "x"));
  EXPECT_TRUE(program.takesSum(stack.next, "x"));
  EXPECT_TRUE(program.isPartial(stack.carried, "x"));
}

TEST(PartialSumsTest, PinsEndIt) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId sum = program.add(reductions.get(), reductions.get());
  CellId next = program.add(sum, reductions.get());
  program.result(next);
  program.atomic(sum, "x");
  reductions.split();
  // The add carries the sum of its operands and is reduced behind it; the next add has a whole operand.
  EXPECT_TRUE(program.takesSum(sum, "x"));
  EXPECT_FALSE(program.isPartial(sum, "x"));
  EXPECT_FALSE(program.takesSum(next, "x"));
}

TEST(PartialSumsTest, APinThatComesTooLateIsRefused) {
  TestProgram program("x=2");
  Reductions reductions(program);
  CellId gradient = reductions.get();
  CellId sum = program.add(gradient, reductions.get());
  program.result(sum);
  reductions.split();
  ASSERT_TRUE(program.takesSum(sum, "x"));
  const char *reason = "it is a partial sum over 'x', which its uses take on";
  EXPECT_EQ(program.whyNot(gradient, 0, "x"), reason);
  EXPECT_EQ(program.state().propagation.explainAtomic(gradient, program.axis("x")), reason);
  // Behind the last add the sum may be scattered.
  program.tile(sum, 0, "x");
  EXPECT_EQ(program.print(sum), "[{x}]");
}

TEST(PartialSumsTest, OtherCombinersAreNoSums) {
  TestProgram program("x=2");
  CellId data = program.argument({8, 4});
  auto getMaximum = [&] { return program.op(data, {4}, "([a,b])->([b]) reduce(maximum)={a}"); };
  CellId sum = program.add(getMaximum(), getMaximum());
  program.result(sum);
  program.tile(data, 0, "x");
  EXPECT_FALSE(program.takesSum(sum, "x"));
}

TEST(PartialSumsTest, OneAxisDoesNotSpeakForAnother) {
  TestProgram program("x=2,y=2");
  Reductions reductions(program);
  CellId other = program.argument({8, 4});
  CellId sum = program.add(reductions.get(), program.op(other, {4}, "([a,b])->([b]) reduce(add)={a}"));
  program.result(sum);
  program.tile(reductions.data, 0, "x");
  program.tile(other, 0, "y");
  EXPECT_FALSE(program.takesSum(sum, "x"));
  EXPECT_FALSE(program.takesSum(sum, "y"));
  // A later step may complete it.
  program.tile(other, 0, "x");
  EXPECT_TRUE(program.takesSum(sum, "x"));
}

} // namespace
} // namespace partita::propagate
