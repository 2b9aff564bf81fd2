//===- Annotate.cpp - the plan as shardings of the original program -------===//

#include "partita/Lower/Annotate.h"

#include "partita/Lower/Boundary.h"

using namespace mlir;

namespace partita::lower {

namespace {

class Annotation {
public:
  Annotation(ModuleOp module, const Flattened &flattened, const Assignment &assignment)
      : module(module), main(module.lookupSymbol<func::FuncOp>("main")), flattened(flattened), graph(flattened.graph),
        assignment(assignment), builder(module.getContext()), shardings(module.getContext(), assignment.getAxes()),
        isDone(graph.cells.size(), 0) {}

  void run() {
    Donation donation = pairDonors(assignment);
    dropOwn();
    if (assignment.getAxes().size() != 0) {
      addMesh(module, assignment.getAxes().mesh);
      constrainInner();
    }
    annotateBoundary(main, assignment, donation, shardings);
  }

private:
  void dropOwn();
  void constrainInner();
  void constrainResults(OpId id);
  void constrain(Value value, CellId cell);
  bool isHeld(CellId cell, const Sharding &sharding) const;
  bool isCarriedOn(CellId cell) const;
  void constrainIdentity(OpId id);

  ModuleOp module;
  func::FuncOp main;
  const Flattened &flattened;
  const Graph &graph;
  const Assignment &assignment;
  OpBuilder builder;
  ShardingAttrs shardings;
  IdVector<CellId, uint8_t> isDone;
};

} // namespace

/// Removes the shardings that the program itself states. Constraints stay for now: they are ops of the flat program.
void Annotation::dropOwn() {
  for (auto mesh : llvm::make_early_inc_range(module.getOps<sdy::MeshOp>()))
    mesh.erase();
  main.walk([](Operation *op) {
    if (!isa<func::FuncOp>(op))
      dropShardingAttrs(op);
  });
}

/// Whether a use takes the value as a partial sum: a constraint would force the reduction before it.
bool Annotation::isCarriedOn(CellId cell) const {
  const Topology &topology = assignment.getTopology();
  for (AxisId axis : idRange<AxisId>(assignment.getAxes().size()))
    if (assignment.isPartialSum(cell, axis))
      for (UseId use : topology.getUses(cell))
        if (assignment.getFactor(topology.getNode(topology.getUser(use)), axis) == sumFactor)
          return true;
  return false;
}

bool Annotation::isHeld(CellId cell, const Sharding &sharding) const {
  if (isCarriedOn(cell))
    return false;
  if (!sharding.isReplicated())
    return true;
  for (AxisId axis : idRange<AxisId>(assignment.getAxes().size()))
    if (assignment.getPin(cell, axis).kind != PinKind::None)
      return true;
  return false;
}

void Annotation::constrain(Value value, CellId cell) {
  Sharding sharding = assignment.getCellSharding(cell);
  if (!isa<RankedTensorType>(value.getType()) || !isHeld(cell, sharding))
    return;
  builder.setInsertionPointAfterValue(value);
  auto held =
      sdy::ShardingConstraintOp::create(builder, value.getLoc(), value.getType(), value, shardings.get(sharding));
  value.replaceAllUsesExcept(held.getResult(), held);
}

void Annotation::constrainResults(OpId id) {
  Operation *op = flattened.origins[id];
  for (auto [number, cell] : llvm::enumerate(graph.getResults(id)))
    constrain(op->getResult(number), cell);
}

/// Constrains what a bundle defines once, not once for each value that flows into it.
void Annotation::constrainIdentity(OpId id) {
  Operation *op = flattened.origins[id];
  CellId cell = graph.getResults(id).front();
  unsigned number = graph.cells[cell].number;
  switch (graph.ops[id].role) {
  case IdentityRole::Entry:
    constrain(op->getResult(number), cell);
    constrain(cast<stablehlo::WhileOp>(op).getBody().front().getArgument(number), cell);
    break;
  case IdentityRole::BranchYield:
    if (!std::exchange(isDone[cell], 1))
      constrain(op->getResult(number), cell);
    break;
  case IdentityRole::Barrier:
    constrain(op->getResult(number), cell);
    break;
  default:
    break;
  }
}

void Annotation::constrainInner() {
  SmallVector<Operation *> own;
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    IdentityRole role = graph.ops[id].role;
    Operation *op = flattened.origins[id];
    if (role != IdentityRole::None && role != IdentityRole::Constraint)
      constrainIdentity(id);
    else if (!flattened.freeOps.contains(op))
      constrainResults(id);
    if (role == IdentityRole::Constraint)
      own.push_back(op);
  }
  for (Operation *op : own) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
}

void annotateProgram(ModuleOp module, const Flattened &flattened, const Assignment &assignment) {
  Annotation(module, flattened, assignment).run();
}

} // namespace partita::lower
