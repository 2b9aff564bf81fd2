//===- GradientsTest.cpp --------------------------------------------------===//

#include "partita/Analysis/Gradients.h"

#include "partita/Testing/TestProgram.h"

using namespace partita;
using namespace partita::analysis;
using namespace partita::fixtures;

namespace {

/// A loop over microbatches that sums up the gradients of a matrix and of a bias, then an update by both.
class Training {
public:
  explicit Training(bool startsAtZero) : program("data=2") {
    w = program.argument({16, 32}), b = program.argument({32});
    CellId x = program.argument({8, 16}), dy = program.argument({8, 32});
    CellId start = startsAtZero ? program.zeros({16, 32}) : program.elementwise(program.argument({16, 32}));
    sum = program.beginLoop(start);
    gradient = mark(program.op({x, dy}, {16, 32}, "([a,b],[a,c])->([b,c]) reduce(add)={a}"), OpClass::Contraction);
    CellId scaled = mark(program.elementwise(gradient), OpClass::Elementwise);
    program.endLoop(sum, mark(program.add(sum, scaled), OpClass::Elementwise));
    CellId ofBias = mark(program.op(dy, {32}, "([a,b])->([b]) reduce(add)={a}"), OpClass::Reduction);
    update(w, sum);
    update(b, ofBias);
  }

  std::vector<Gradients> find() {
    ArgumentGroups groups;
    groups.ofCell.resize(program.getGraph().cells.size());
    for (CellId cell : {w, b})
      groups.ofCell[cell] = groups.list.push_back({GroupKind::Parameter, {cell}, GroupId(), 1});
    return findGradients(program.state().topology, groups);
  }

  CellId w, b, sum, gradient;

private:
  CellId mark(CellId cell, OpClass opClass, Phase phase = Phase::Backward) {
    Graph &graph = program.getGraph();
    Op &op = graph.ops[OpId(graph.ops.size() - 1)];
    op.opClass = opClass;
    op.phase = phase;
    return cell;
  }
  void update(CellId parameter, CellId by) {
    CellId next = mark(program.elementwise({parameter, by}), OpClass::Elementwise, Phase::Update);
    program.tie(parameter, program.result(next));
  }

  TestProgram program;
};

} // namespace

TEST(Gradients, AreKeptInLoopsAndComeOfContractions) {
  Training training(true);
  std::vector<Gradients> found = training.find();
  // The bias has one gradient, which no loop carries.
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].parameter, GroupId(0));
  EXPECT_EQ(found[0].kept, std::vector{training.sum});
  EXPECT_EQ(found[0].sources, std::vector{training.gradient});
}

/// A carried value that does not start at zero is state, not a sum of gradients.
TEST(Gradients, StartAtZero) { EXPECT_TRUE(Training(false).find().empty()); }
