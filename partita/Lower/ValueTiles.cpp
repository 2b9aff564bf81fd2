//===- ValueTiles.cpp - tiles of values that no op's loops show -----------===//

#include "partita/Lower/ValueTiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partita::lower {

namespace {

class ValueTiles {
public:
  ValueTiles(func::FuncOp main, const Flattened &flattened, const Assignment &assignment)
      : main(main), flattened(flattened), graph(flattened.graph), assignment(assignment),
        topology(assignment.getTopology()) {}

  std::vector<ValueTile> run();

private:
  void addArgument(BlockArgument argument, CellId cell);
  void addResults(OpId id);
  void addIdentity(OpId id);
  /// The operand that an identity passes on; null for predicates, which are never split.
  OpOperand *findUse(OpId id);

  func::FuncOp main;
  const Flattened &flattened;
  const Graph &graph;
  const Assignment &assignment;
  const Topology &topology;
  /// How many of a branch's yields were seen for each of its results.
  llvm::DenseMap<std::pair<Operation *, unsigned>, unsigned> branches;
  std::vector<ValueTile> tiles;
};

} // namespace

/// Adds tiles for ops that take the argument in another sharding than it is stored in.
void ValueTiles::addArgument(BlockArgument argument, CellId cell) {
  Sharding sharding = assignment.getCellSharding(cell);
  if (sharding.isReplicated())
    return;
  for (UseId use : topology.getUses(cell)) {
    OpId user = topology.getUser(use);
    // These include uses of a tied result.
    if (graph.uses[use] != cell || isBundle(graph.ops[user]))
      continue;
    if (assignment.getValueSharding(user, use.get() - graph.ops[user].firstUse) != sharding) {
      tiles.push_back({argument, nullptr, std::move(sharding)});
      return;
    }
  }
}

/// Adds tiles for results that are pinned to another sharding than the op gives.
void ValueTiles::addResults(OpId id) {
  for (auto [number, cell] : llvm::enumerate(graph.getResults(id))) {
    Sharding sharding = assignment.getCellSharding(cell);
    if (!sharding.isReplicated() && sharding != assignment.getValueSharding(id, graph.ops[id].numUses + number))
      tiles.push_back({flattened.origins[id]->getResult(number), nullptr, std::move(sharding)});
  }
}

OpOperand *ValueTiles::findUse(OpId id) {
  Operation *origin = flattened.origins[id];
  unsigned number = graph.cells[graph.getResults(id).front()].number;
  switch (graph.ops[id].role) {
  case IdentityRole::Entry:
  case IdentityRole::Barrier:
  case IdentityRole::Result:
    return &origin->getOpOperand(number);
  case IdentityRole::Yield:
    return &origin->getRegion(1).front().getTerminator()->getOpOperand(number);
  case IdentityRole::BranchYield:
    return &origin->getRegion(branches[{origin, number}]++).front().getTerminator()->getOpOperand(number);
  case IdentityRole::None:
  case IdentityRole::Boundary:
  case IdentityRole::Constraint:
    return nullptr;
  }
  llvm_unreachable("unknown role");
}

/// Adds tiles for values that change their sharding at a loop, branch, barrier or the program's end.
void ValueTiles::addIdentity(OpId id) {
  OpOperand *use = findUse(id);
  Sharding to = assignment.getCellSharding(graph.getResults(id).front());
  if (use && !to.isReplicated() && to != assignment.getCellSharding(graph.getOperands(id).front()))
    tiles.push_back({use->get(), use, std::move(to)});
}

std::vector<ValueTile> ValueTiles::run() {
  for (size_t number = graph.arguments.size(); number-- > 0;)
    addArgument(main.getArgument(number), graph.arguments[number]);
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    if (isBundle(graph.ops[id]))
      addIdentity(id);
    else if (!flattened.freeOps.contains(flattened.origins[id]))
      addResults(id);
  }
  return std::move(tiles);
}

std::vector<ValueTile> collectValueTiles(func::FuncOp main, const Flattened &flattened, const Assignment &assignment) {
  return ValueTiles(main, flattened, assignment).run();
}

} // namespace partita::lower
