//===- TestProgram.h - programs written as einsums, for tests -------------===//
//
//   TestProgram program("x=2,y=2");
//   CellId x = program.argument({8, 4}), w = program.argument({4, 6});
//   CellId h = program.op({x, w}, {8, 6}, "([a,b],[b,c])->([a,c]) reduce(add)={b}");
//   program.result(h);
//   program.tile(w, 1, "x");
//   EXPECT_EQ(program.print(h), "[{}, {x}]");
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TESTING_TESTPROGRAM_H
#define PARTITA_TESTING_TESTPROGRAM_H

#include "partita/Graph/RulePool.h"
#include "partita/Propagate/Propagation.h"
#include "partita/Testing/Rooms.h"

#include <gtest/gtest.h>

namespace partita::fixtures {

class TestProgram {
public:
  explicit TestProgram(llvm::StringRef mesh) : mesh(std::move(*parseMesh(mesh))), rules(graph), shapes(graph) {
    region = graph.regions.push_back({});
  }

  // Building the program. This must be complete before the first action or query.

  CellId cell(CellKind kind, llvm::ArrayRef<int64_t> shape) {
    Cell made;
    made.kind = kind;
    made.elementBits = 32;
    made.firstDim = shapes.add(shape);
    made.rank = shape.size();
    made.region = region;
    return graph.cells.push_back(made);
  }
  CellId argument(llvm::ArrayRef<int64_t> shape) {
    graph.arguments.push_back(cell(CellKind::Argument, shape));
    return graph.arguments.back();
  }
  OpId addOp(llvm::ArrayRef<CellId> operands, llvm::ArrayRef<CellId> results, llvm::StringRef text,
             Linearity linearity = Linearity::None, IdentityRole role = IdentityRole::None) {
    Op op;
    op.linearity = linearity;
    op.role = role;
    op.region = region;
    op.firstUse = graph.uses.size();
    op.numUses = operands.size();
    for (CellId operand : operands)
      graph.uses.push_back(operand);
    op.firstDefinition = graph.definitions.size();
    op.numDefinitions = results.size();
    llvm::append_range(graph.definitions, results);
    Result<Rule> rule = parseRule(text, shapesOf(operands), shapesOf(results), {});
    EXPECT_TRUE(bool(rule)) << (rule ? "" : rule.error().str());
    if (rule)
      rules.add(*rule).setOn(op);
    return graph.ops.push_back(op);
  }
  /// An op with one result of `shape`.
  CellId op(llvm::ArrayRef<CellId> operands, llvm::ArrayRef<int64_t> shape, llvm::StringRef text,
            Linearity linearity = Linearity::None) {
    CellId made = cell(CellKind::OpResult, shape);
    addOp(operands, made, text, linearity);
    return made;
  }
  /// An elementwise op on values of one shape.
  CellId elementwise(llvm::ArrayRef<CellId> operands, Linearity linearity = Linearity::None) {
    llvm::SmallVector<int64_t> shape(graph.getShape(operands.front()));
    CellId made = cell(CellKind::OpResult, shape);
    addOp(operands, made, identityRule(shape.size(), operands.size()), linearity);
    return made;
  }
  CellId add(CellId a, CellId b) { return elementwise({a, b}, Linearity::Sum); }
  CellId zeros(llvm::ArrayRef<int64_t> shape) {
    CellId made = cell(CellKind::OpResult, shape);
    addOp({}, made, identityRule(shape.size(), 0), Linearity::Zero);
    return made;
  }
  OpId identity(CellId from, CellId to, IdentityRole role) {
    return addOp(from, to, identityRule(graph.cells[from].rank, 1), Linearity::Sum, role);
  }
  CellId result(CellId from) {
    CellId made = cell(CellKind::Result, llvm::SmallVector<int64_t>(graph.getShape(from)));
    graph.results.push_back(made);
    identity(from, made, IdentityRole::Result);
    return made;
  }
  /// Begins a loop with a carried value; ops belong to its body until `endLoop`.
  CellId beginLoop(CellId initial) {
    RegionId outside = region;
    region = graph.regions.push_back({RegionKind::LoopBody, outside, 4, {}});
    CellId carried = cell(CellKind::Carried, llvm::SmallVector<int64_t>(graph.getShape(initial)));
    std::swap(region, outside);
    identity(initial, carried, IdentityRole::Entry);
    region = outside;
    return carried;
  }
  void endLoop(CellId carried, CellId next) {
    identity(next, carried, IdentityRole::Yield);
    region = graph.regions[region].parent;
  }
  /// The current loop steps through the dim, one slice in each iteration.
  void step(CellId carried, uint32_t dim) { graph.steppedDims.push_back({carried, dim, region}); }
  void tie(CellId argument, CellId result) { graph.ties.push_back({argument, result}); }
  Graph &getGraph() { return graph; }

  // Actions.

  struct State {
    State(const Graph &graph, const Mesh &mesh)
        : axes(refineAxes(mesh, graph)), topology(graph), assignment(topology, axes), propagation(assignment) {}
    Axes axes;
    Topology topology;
    Assignment assignment;
    Propagation propagation;
  };
  State &state() {
    if (!made) {
      EXPECT_FALSE(bool(verifyGraph(graph))) << verifyGraph(graph)->str();
      made = std::make_unique<State>(graph, mesh);
    }
    return *made;
  }
  AxisId axis(llvm::StringRef name) { return state().axes.find(name).front(); }
  DimId dim(CellId of, uint32_t number) { return state().topology.getDim(of, number); }

  /// Splits the dim over all parts of the axis; returns the conflicts.
  std::vector<Conflict> tile(CellId of, uint32_t number, llvm::StringRef name) {
    std::vector<Conflict> conflicts;
    for (AxisId part : state().axes.find(name)) {
      EXPECT_EQ(state().propagation.explainRoot(dim(of, number), part), "");
      llvm::append_range(conflicts, state().propagation.run(dim(of, number), part, ++numSteps).conflicts);
    }
    return conflicts;
  }
  void atomic(CellId of, llvm::StringRef name) {
    for (AxisId part : state().axes.find(name)) {
      EXPECT_EQ(state().propagation.explainAtomic(of, part), "");
      state().assignment.pin(state().topology.getRepresentative(of), part, {PinKind::Atomic, 0}, ++numSteps);
    }
  }
  std::string whyNot(CellId of, uint32_t number, llvm::StringRef name) {
    return state().propagation.explainRoot(dim(of, number), axis(name));
  }

  // Queries.

  std::string print(CellId of) { return printSharding(state().axes, state().assignment.getCellSharding(of)); }
  /// The sharding in which the op that defines the cell gives it.
  std::string printGiven(CellId of) {
    OpId definition = state().topology.getDefinition(of);
    uint32_t value = graph.ops[definition].numUses + state().topology.getResultNumber(of);
    return printSharding(state().axes, state().assignment.getValueSharding(definition, value));
  }
  bool isPartial(CellId of, llvm::StringRef name) { return state().assignment.isPartialSum(of, axis(name)); }
  /// Whether the op that defines the cell carries the partial sum over the axis.
  bool takesSum(CellId of, llvm::StringRef name) {
    return state().assignment.getFactor(NodeId(state().topology.getDefinition(of).get()), axis(name)) == sumFactor;
  }

private:
  static std::string identityRule(size_t rank, size_t numOperands) {
    std::string dims;
    for (size_t i = 0; i < rank; ++i)
      dims += std::string(i ? "," : "") + char('a' + i);
    std::string operands;
    for (size_t i = 0; i < numOperands; ++i)
      operands += (i ? ",[" : "[") + dims + "]";
    return "(" + operands + ")->([" + dims + "])";
  }
  std::vector<llvm::SmallVector<int64_t>> shapesOf(llvm::ArrayRef<CellId> cells) {
    std::vector<llvm::SmallVector<int64_t>> list;
    for (CellId one : cells)
      list.emplace_back(graph.getShape(one));
    return list;
  }

  Mesh mesh;
  Graph graph;
  RulePool rules;
  ShapePool shapes;
  RegionId region;
  std::unique_ptr<State> made;
  uint32_t numSteps = 0;
};

} // namespace partita::fixtures

#endif
