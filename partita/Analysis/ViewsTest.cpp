//===- ViewsTest.cpp ------------------------------------------------------===//

#include "partita/Analysis/Views.h"

#include "partita/Testing/TestProgram.h"

using namespace partita::fixtures;

namespace partita::analysis {
namespace {

/// A loop over layers: each iteration slices a stack of matrices, casts the slice and multiplies with it. Behind it, an
/// update by the gradient of the stack.
class Layers {
public:
  Layers() : program("data=2") {
    stack = program.argument({4, 8, 8});
    CellId x = program.argument({8, 8});
    carried = program.beginLoop(stack);
    slice = mark(program.op(carried, {8, 8}, "([l,a,b])->([a,b]) reduce(add)={l}"), OpClass::Indexing,
                 "stablehlo.dynamic_slice");
    cast = mark(program.elementwise(slice), OpClass::Elementwise, "stablehlo.convert");
    product = mark(program.op({x, cast}, {8, 8}, "([a,b],[b,c])->([a,c]) reduce(add)={b}"), OpClass::Contraction);
    program.endLoop(carried, carried);
    gradient = mark(program.op({x, product}, {4, 8, 8}, "([a,b],[a,c])->([l,b,c]) reduce(add)={a}"),
                    OpClass::Contraction, "", Phase::Backward);
    next = mark(program.elementwise({stack, gradient}), OpClass::Elementwise, "", Phase::Update);
    result = program.result(next);
    program.tie(stack, result);
    Graph &graph = program.getGraph();
    for (OpId op : idRange<OpId>(graph.ops.size()))
      if (graph.ops[op].role != IdentityRole::None)
        graph.ops[op].opClass = OpClass::Identity;
  }

  TestProgram program;
  CellId stack, carried, slice, cast, product, gradient, next, result;

private:
  CellId mark(CellId cell, OpClass opClass, llvm::StringRef name = "", Phase phase = Phase::Forward) {
    Graph &graph = program.getGraph();
    OpId id(graph.ops.size() - 1);
    graph.ops[id].opClass = opClass;
    graph.ops[id].phase = phase;
    if (!name.empty())
      graph.setOpName(id, graph.names.push_back(name.str()));
    return cell;
  }
};

TEST(Views, SlicesAndCastsAreFollowedIntoLoops) {
  Layers layers;
  std::vector<CellId> whole, slices;
  for (const ValueView &view : findViews(layers.program.state().topology, layers.stack))
    (view.isSlice ? slices : whole).push_back(view.cell);
  EXPECT_TRUE(llvm::is_contained(whole, layers.carried));
  EXPECT_EQ(slices, (std::vector{layers.slice, layers.cast}));
}

TEST(Views, GradientsAreFoundBehindTheNextState) {
  Layers layers;
  const Topology &topology = layers.program.state().topology;
  EXPECT_EQ(findGradientPath(topology, layers.stack), (std::vector{layers.gradient, layers.next, layers.result}));
  EXPECT_TRUE(findGradientPath(topology, layers.slice).empty());
}

} // namespace
} // namespace partita::analysis
