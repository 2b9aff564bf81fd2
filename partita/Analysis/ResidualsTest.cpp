//===- ResidualsTest.cpp --------------------------------------------------===//

#include "partita/Analysis/Residuals.h"

#include "partita/Testing/TestProgram.h"

using namespace partita;
using namespace partita::analysis;
using namespace partita::fixtures;

namespace {

/// Blocks of x + f(x). Inside, f adds a bias that all blocks share, as T5 does to attention scores, and a sum of a
/// value and its cube, as in an activation function; f ends in a mask, as dropout does. The last weight of all blocks
/// has gone through `steps` ops.
class Network {
public:
  explicit Network(int steps = 0) : program("data=2") {
    CellId last = program.argument({32, 16});
    for (int step = 0; step < steps; ++step)
      last = mark(program.elementwise(last), OpClass::Elementwise);
    CellId table = program.argument({8, 32});
    CellId x = mark(program.elementwise(program.argument({8, 16})), OpClass::Elementwise);
    CellId bias = mark(program.elementwise(table), OpClass::Elementwise);
    for (int block = 0; block < 3; ++block) {
      CellId scores = multiply(x, program.argument({16, 32}), {8, 32});
      inner.push_back(sum(scores, bias));
      CellId cubes = mark(program.elementwise({inner.back(), inner.back(), inner.back()}), OpClass::Elementwise);
      inner.push_back(sum(inner.back(), cubes));
      CellId branch = multiply(inner.back(), last, {8, 16});
      x = sum(x, mark(program.elementwise({branch, program.argument({8, 16})}), OpClass::Elementwise));
      sums.push_back(x);
    }
    program.result(x);
  }

  bool isResidual(CellId cell) {
    const Topology &topology = program.state().topology;
    return findResiduals(topology)[topology.getDefinition(cell)] != 0;
  }

  std::vector<CellId> inner, sums;

private:
  CellId mark(CellId cell, OpClass opClass) {
    Graph &graph = program.getGraph();
    graph.ops[OpId(graph.ops.size() - 1)].opClass = opClass;
    return cell;
  }
  CellId multiply(CellId a, CellId b, llvm::ArrayRef<int64_t> shape) {
    return mark(program.op({a, b}, shape, "([a,b],[b,c])->([a,c]) reduce(add)={b}"), OpClass::Contraction);
  }
  CellId sum(CellId a, CellId b) { return mark(program.add(a, b), OpClass::Elementwise); }

  TestProgram program;
};

} // namespace

TEST(Residuals, AreSumsOfAValueAndABranchOfIt) {
  Network network;
  for (CellId cell : network.sums)
    EXPECT_TRUE(network.isResidual(cell));
}

/// Ops before the value are not visited, however many there are.
TEST(Residuals, AreFoundBehindWeightsThatManyStepsLeadTo) {
  Network network(3000);
  for (CellId cell : network.sums)
    EXPECT_TRUE(network.isResidual(cell));
}

/// From the second block on, scores depend on the bias, but only through the sums between blocks.
TEST(Residuals, AreNotSumsWithABiasThatBlocksShare) {
  Network network;
  for (CellId cell : network.inner)
    EXPECT_FALSE(network.isResidual(cell));
}
