//===- ArgumentKindsTest.cpp ----------------------------------------------===//

#include "partita/Schedule/ArgumentKinds.h"

#include "partita/Testing/TestProgram.h"

#include <gtest/gtest.h>

using namespace partita::fixtures;

namespace partita::schedule {
namespace {

constexpr GroupKind input = GroupKind::Input, parameter = GroupKind::Parameter, counter = GroupKind::Counter;

/// The kinds of the program's arguments.
std::vector<GroupKind> findKinds(TestProgram &program) {
  ArgumentKinds found = findArgumentKinds(Topology(program.getGraph()));
  std::vector<GroupKind> kinds;
  for (CellId cell : program.getGraph().arguments)
    kinds.push_back(found.kinds[cell]);
  return kinds;
}

struct Typed : TestProgram {
  Typed() : TestProgram("x=2") {}
  CellId argument(llvm::ArrayRef<int64_t> shape, llvm::StringRef element, uint32_t bits = 32) {
    CellId made = TestProgram::argument(shape);
    Cell &cell = getGraph().cells[made];
    cell.element = getGraph().names.push_back(element.str());
    cell.elementBits = bits;
    return made;
  }
};

/// Weights stand on either side of a product, and a bias in none; only the batch tells what is fed.
TEST(ArgumentKinds, WeightsHaveNoDimOfTheBatch) {
  Typed program;
  CellId w = program.argument({4, 6}, "f32"), x = program.argument({8, 4}, "f32"), b = program.argument({6}, "f32");
  CellId quantized = program.argument({6, 5}, "i8", 8), mask = program.argument({8}, "i1", 1);
  program.argument({8, 3}, "f32"); // used by nothing
  CellId y = program.op({w, x}, {6, 8}, "([k,j],[i,k])->([j,i]) reduce(add)={k}");
  y = program.op({y, b, mask}, {8, 6}, "([j,i],[j],[i])->([i,j])");
  y = program.op({y, quantized}, {8, 5}, "([i,j],[j,l])->([i,l]) reduce(add)={j}");
  program.result(y);
  EXPECT_EQ(findKinds(program), (std::vector<GroupKind>{parameter, input, parameter, parameter, input, input}));
}

TEST(ArgumentKinds, IntegersThatComeBackAreCounters) {
  Typed program;
  CellId step = program.argument({}, "i32"), keys = program.argument({3, 2}, "ui32"),
         fed = program.argument({2}, "ui32");
  CellId x = program.argument({8}, "f32"), ids = program.argument({8}, "i32");
  program.tie(step, program.result(program.elementwise({step})));
  program.tie(keys, program.result(program.elementwise({keys})));
  program.result(program.elementwise({x, ids}));
  program.result(program.elementwise({fed}));
  EXPECT_EQ(findKinds(program), (std::vector<GroupKind>{counter, counter, counter, input, input}));
}

} // namespace
} // namespace partita::schedule
