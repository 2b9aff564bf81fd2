//===- RandomPropagationTest.cpp - propagation against its definition -----===//
//
// Random graphs, meshes and actions. After every action the state equals that of
// the slow model; renumbering cells, ops and factors gives the same state; and
// a rollback gives the same state as a replay.
//
//===----------------------------------------------------------------------===//

#include "partita/Propagate/Propagation.h"
#include "partita/Testing/RandomGraph.h"
#include "partita/Testing/SlowModel.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace partita::propagate {

using namespace fixtures;
namespace {

enum class Kind : uint8_t { Tile, Atomic, Cut, ClearCuts, Close, Choose };

struct RandomAction {
  Kind kind = Kind::Tile;
  AxisId axis;
  /// Cells and dims; an atomic and a cut ignore the dim.
  std::vector<std::pair<CellId, uint32_t>> targets;
  uint32_t step = 0;
};

/// A graph with everything needed to run actions on it.
struct Engine {
  explicit Engine(Graph given, const Mesh &mesh)
      : graph(std::move(given)), axes(refineAxes(mesh, graph)), topology(graph), assignment(topology, axes),
        propagation(assignment) {}

  std::vector<Conflict> apply(const RandomAction &action) {
    std::vector<DimId> dims;
    for (auto [cell, dim] : action.targets)
      if (action.kind != Kind::Atomic && action.kind != Kind::Cut)
        dims.push_back(topology.getDim(cell, dim));
    switch (action.kind) {
    case Kind::Tile:
      return propagation.run(dims, action.axis, action.step).conflicts;
    case Kind::Atomic:
      assignment.pin(topology.getRepresentative(action.targets[0].first), action.axis, {PinKind::Atomic, 0},
                     action.step);
      break;
    case Kind::Cut:
      propagation.addCut(action.targets[0].first, action.axis);
      break;
    case Kind::ClearCuts:
      propagation.clearCuts();
      break;
    case Kind::Close:
      assignment.close(dims[0]);
      break;
    case Kind::Choose:
      assignment.choose(dims[0], action.axis);
      break;
    }
    return {};
  }

  Graph graph;
  Axes axes;
  Topology topology;
  Assignment assignment;
  Propagation propagation;
};

slow::Dim toSlow(const Topology &topology, DimId dim) {
  return {int(topology.getCell(dim).get()), int(topology.getDimNumber(dim))};
}

slow::Node toSlow(const Topology &topology, NodeId node) {
  return topology.isOp(node) ? int(node.get()) : -1 - int(topology.getBoundaryCell(node).get());
}

std::set<slow::Conflict> toSlow(const Topology &topology, llvm::ArrayRef<Conflict> conflicts) {
  std::set<slow::Conflict> out;
  for (const Conflict &conflict : conflicts) {
    slow::Conflict sides;
    for (const ConflictSide &side : conflict.sides) {
      slow::SlowSide one;
      for (DimId dim : side.dims)
        one.dims.insert(toSlow(topology, dim));
      for (OpFactorId opFactor : side.opFactors)
        one.opFactors.insert({toSlow(topology, topology.getNode(opFactor)), topology.getFactor(opFactor)});
      sides.insert(one);
    }
    out.insert(sides);
  }
  return out;
}

std::set<slow::Conflict> apply(slow::Model &model, const RandomAction &action) {
  std::vector<slow::Dim> dims;
  dims.reserve(action.targets.size());
  for (auto [cell, dim] : action.targets)
    dims.push_back({model.getCell(int(cell.get())), int(dim)});
  int axis = action.axis.isValid() ? int(action.axis.get()) : 0;
  switch (action.kind) {
  case Kind::Tile:
    return model.tile(dims, axis, int(action.step));
  case Kind::Atomic:
    model.makeAtomic(dims[0].first, axis, int(action.step));
    break;
  case Kind::Cut:
    model.cut(dims[0].first, axis);
    break;
  case Kind::ClearCuts:
    model.clearCuts();
    break;
  case Kind::Close:
    model.close(dims[0]);
    break;
  case Kind::Choose:
    model.choose(dims[0], axis);
    break;
  }
  return {};
}

int toSlow(uint8_t factor) { return factor == noFactor ? -1 : factor == sumFactor ? slow::sum : int(factor); }

/// One line for each side: its op factors (node.factor), then its dims (cell.dim).
std::string print(const std::set<slow::Conflict> &conflicts) {
  std::string text;
  for (const slow::Conflict &conflict : conflicts) {
    text += "conflict\n";
    for (const slow::SlowSide &side : conflict) {
      text += " ";
      for (auto [node, factor] : side.opFactors)
        text += " " + std::to_string(node) + "." + std::to_string(factor);
      text += " on";
      for (auto [cell, dim] : side.dims)
        text += " " + std::to_string(cell) + "." + std::to_string(dim);
      text += "\n";
    }
  }
  return text;
}

/// How often the interesting cases occurred.
struct Seen {
  uint64_t conflicts = 0, decided = 0, sums = 0, carriedSums = 0, stackedSums = 0, reducedStacks = 0, tilePoints = 0,
           minors = 0, parts = 0;
};

/// One random case: a graph, a mesh and actions.
class RandomCase {
public:
  RandomCase(uint64_t seed, Seen &seen)
      : seen(seen), random(seed ^ 0x5EED), mesh(makeMesh()),
        graph(buildRandomGraph(seed, /*withStacks=*/seed % 2 == 1)), engine(graph, mesh) {}

  void run();

private:
  Mesh makeMesh() {
    Mesh made;
    for (const char *name : {"x", "y", "z"})
      if (made.axes.empty() || random.chance(70))
        made.axes.push_back({name, random.pick(std::vector<int64_t>{1, 2, 2, 3, 4, 4, 6, 8})});
    return made;
  }
  std::optional<RandomAction> drawAction();
  void expectSameAsModel(const slow::Model &model);
  void expectSameRoots(const slow::Model &model);
  void expectSameWhenRenumbered();
  void rollBack();

  void count(const slow::Model &model);

  Seen &seen;
  RandomNumbers random;
  Mesh mesh;
  Graph graph;
  Engine engine;
  std::vector<RandomAction> actions;
  /// Before each action.
  std::vector<size_t> marks;
  std::vector<std::set<slow::Conflict>> conflicts;
  uint32_t step = 0;
};

std::optional<RandomAction> RandomCase::drawAction() {
  RandomAction action;
  action.step = ++step;
  action.axis = AxisId(random.below(engine.axes.size()));
  uint32_t what = random.below(100);
  action.kind = what < 55   ? Kind::Tile
                : what < 67 ? Kind::Atomic
                : what < 77 ? Kind::Cut
                : what < 82 ? Kind::ClearCuts
                : what < 88 ? Kind::Close
                            : Kind::Choose;
  std::set<CellId> seen;
  uint32_t count = action.kind == Kind::Tile ? 1 + random.below(3) : 1;
  for (uint32_t tries = 0; tries < 20 && action.targets.size() < count; ++tries) {
    CellId cell(random.below(graph.cells.size()));
    uint32_t rank = graph.cells[cell].rank;
    if (rank == 0 || !seen.insert(engine.topology.getRepresentative(cell)).second)
      continue;
    uint32_t dim = random.below(rank);
    if (action.kind == Kind::Tile &&
        !engine.propagation.explainRoot(engine.topology.getDim(cell, dim), action.axis).empty())
      continue;
    if (action.kind == Kind::Atomic && !engine.propagation.explainAtomic(cell, action.axis).empty())
      continue;
    action.targets.push_back({cell, dim});
  }
  if (action.targets.empty() && action.kind != Kind::ClearCuts)
    return std::nullopt;
  return action;
}

void RandomCase::expectSameAsModel(const slow::Model &model) {
  const Topology &topology = engine.topology;
  for (AxisId axis : idRange<AxisId>(engine.axes.size())) {
    for (NodeId node : idRange<NodeId>(topology.getNumNodes()))
      ASSERT_EQ(toSlow(engine.assignment.getFactor(node, axis)),
                model.getFactor(toSlow(topology, node), int(axis.get())))
          << "node " << toSlow(topology, node) << " axis " << axis.get();
    for (CellId cell : idRange<CellId>(graph.cells.size()))
      ASSERT_EQ(engine.assignment.isPartialSum(cell, axis), model.isPartial(int(cell.get()), int(axis.get())));
  }
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    std::vector<std::vector<int>> sharding;
    for (const DimAxes &dim : engine.assignment.getCellSharding(cell).dims) {
      sharding.emplace_back();
      for (AxisId axis : dim)
        sharding.back().push_back(int(axis.get()));
    }
    ASSERT_EQ(sharding, model.getSharding(int(cell.get()))) << "cell " << cell.get();
    // Every dim divides by its axes, whatever the actions were.
    getLocalShape(engine.axes, graph.getShape(cell), engine.assignment.getCellSharding(cell));
  }
  ASSERT_TRUE(model.isSound());
}

void RandomCase::expectSameRoots(const slow::Model &model) {
  for (AxisId axis : idRange<AxisId>(engine.axes.size()))
    for (CellId cell : idRange<CellId>(graph.cells.size())) {
      ASSERT_EQ(engine.propagation.explainAtomic(cell, axis).empty(),
                model.mayBeAtomic(int(cell.get()), int(axis.get())))
          << "cell " << cell.get() << " axis " << axis.get();
      for (uint32_t dim = 0; dim < graph.cells[cell].rank; ++dim)
        ASSERT_EQ(engine.propagation.explainRoot(engine.topology.getDim(cell, dim), axis).empty(),
                  model.mayTile({model.getCell(int(cell.get())), int(dim)}, int(axis.get())))
            << "cell " << cell.get() << " dim " << dim << " axis " << axis.get();
    }
}

void RandomCase::expectSameWhenRenumbered() {
  Renumbered other = renumber(graph, random);
  Engine again(other.graph, mesh);
  ASSERT_EQ(again.axes.list, engine.axes.list);
  for (const auto &[number, action] : llvm::enumerate(actions)) {
    RandomAction renamed = action;
    for (auto &[cell, dim] : renamed.targets)
      cell = other.cells[cell];
    random.shuffle(renamed.targets);
    ASSERT_EQ(again.apply(renamed).size(), conflicts[number].size());
  }
  for (AxisId axis : idRange<AxisId>(engine.axes.size())) {
    for (OpId op : idRange<OpId>(graph.ops.size())) {
      uint8_t factor = engine.assignment.getFactor(engine.topology.getNode(op), axis);
      uint8_t found = again.assignment.getFactor(again.topology.getNode(other.ops[op]), axis);
      ASSERT_EQ(factor >= sumFactor ? factor : other.factors[op][factor], found) << "op " << op.get();
    }
    for (CellId cell : idRange<CellId>(graph.cells.size()))
      ASSERT_EQ(engine.assignment.isPartialSum(cell, axis), again.assignment.isPartialSum(other.cells[cell], axis));
  }
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    ASSERT_EQ(engine.assignment.getCellSharding(cell), again.assignment.getCellSharding(other.cells[cell]));
}

void RandomCase::rollBack() {
  size_t kept = random.below(actions.size() + 1);
  if (kept < actions.size())
    engine.assignment.rollback(marks[kept]);
  actions.resize(kept);
  marks.resize(kept);
  conflicts.resize(kept);
  // Cuts belong to a tactic and are not undone.
  RandomAction clear;
  clear.kind = Kind::ClearCuts;
  engine.apply(clear);
  actions.push_back(clear);
  marks.push_back(engine.assignment.mark());
  conflicts.emplace_back();
  Engine replayed(graph, mesh);
  for (const RandomAction &action : actions)
    replayed.apply(action);
  ASSERT_TRUE(engine.assignment.isEquivalent(replayed.assignment));
}

void RandomCase::count(const slow::Model &model) {
  const Topology &topology = engine.topology;
  for (const std::set<slow::Conflict> &found : conflicts)
    seen.conflicts += found.size();
  seen.decided += model.countDecided();
  seen.parts += llvm::any_of(engine.axes.list.raw(), [](const Axis &axis) { return axis.preSize > 1; });
  for (AxisId axis : idRange<AxisId>(engine.axes.size())) {
    for (NodeId node : idRange<NodeId>(topology.getNumNodes())) {
      uint8_t factor = engine.assignment.getFactor(node, axis);
      seen.sums += factor == sumFactor;
      seen.carriedSums += factor == sumFactor && !topology.isOp(node);
      bool isStack = !topology.isOp(node) && topology.isStack(topology.getBoundaryCell(node));
      seen.stackedSums += isStack && factor == sumFactor;
      seen.minors += factor < sumFactor && topology.isMinor(topology.getOpFactor(node, factor));
    }
    for (OpId op : idRange<OpId>(graph.ops.size())) {
      bool isWrite = graph.ops[op].linearity == Linearity::Update && topology.isStack(graph.getOperands(op)[0]);
      seen.reducedStacks += isWrite && engine.assignment.isPartialSum(graph.getOperands(op)[1], axis) &&
                            engine.assignment.getFactor(topology.getNode(op), axis) != sumFactor;
    }
    for (CellId cell : idRange<CellId>(graph.cells.size())) {
      OpId definition = topology.getDefinition(cell);
      Pin pin = engine.assignment.getPin(cell, axis);
      if (definition.isValid() && pin.kind == PinKind::Tile)
        seen.tilePoints +=
            engine.assignment
                .getValueSharding(definition, graph.ops[definition].numUses + topology.getResultNumber(cell))
                .findAxis(axis) != pin.dim;
    }
  }
}

void RandomCase::run() {
  ASSERT_FALSE(bool(verifyGraph(graph))) << verifyGraph(graph)->str();
  if (engine.axes.size() == 0)
    return;
  auto model = std::make_unique<slow::Model>(graph, engine.axes);
  for (uint32_t i = 0, count = 3 + random.below(8); i < count; ++i) {
    if (random.chance(12)) {
      ASSERT_NO_FATAL_FAILURE(rollBack());
      model = std::make_unique<slow::Model>(graph, engine.axes);
      for (const RandomAction &action : actions)
        apply(*model, action);
    }
    std::optional<RandomAction> action = drawAction();
    if (!action)
      continue;
    marks.push_back(engine.assignment.mark());
    actions.push_back(*action);
    conflicts.push_back(toSlow(engine.topology, engine.apply(*action)));
    ASSERT_EQ(print(conflicts.back()), print(apply(*model, *action)));
    ASSERT_NO_FATAL_FAILURE(expectSameAsModel(*model));
  }
  ASSERT_NO_FATAL_FAILURE(expectSameRoots(*model));
  count(*model);
  expectSameWhenRenumbered();
}

uint64_t getNumber(const char *variable, uint64_t otherwise) {
  const char *given = std::getenv(variable);
  return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

/// PARTITA_SEED and PARTITA_CASES select other cases.
TEST(RandomPropagationTest, EqualsTheDefinition) {
  uint64_t first = getNumber("PARTITA_SEED", 0), count = getNumber("PARTITA_CASES", 3000);
  Seen seen;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCase(seed, seen).run();
    if (testing::Test::HasFailure())
      return;
  }
  if (count < 1000)
    return;
  // No check is vacuous.
  EXPECT_GT(seen.conflicts, count / 4);
  EXPECT_GT(seen.decided, count / 20);
  EXPECT_GT(seen.sums, count / 4);
  EXPECT_GT(seen.carriedSums, count / 200);
  EXPECT_GT(seen.stackedSums, count / 400);
  EXPECT_GT(seen.reducedStacks, count / 200);
  EXPECT_GT(seen.tilePoints, count / 20);
  EXPECT_GT(seen.minors, count / 40);
  EXPECT_GT(seen.parts, count / 40);
  RecordProperty("conflicts", int(seen.conflicts));
  llvm::outs() << "conflicts " << seen.conflicts << ", sides chosen " << seen.decided << ", sums " << seen.sums
               << ", carried " << seen.carriedSums << ", stacked " << seen.stackedSums << " (and " << seen.reducedStacks
               << " reduced), tile points " << seen.tilePoints << ", minor factors " << seen.minors << ", refined axes "
               << seen.parts << "\n";
}

} // namespace
} // namespace partita::propagate
