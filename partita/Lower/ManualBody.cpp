//===- ManualBody.cpp - code that is already per device -------------------===//

#include "partita/Lower/ManualBody.h"

#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Lower/MeshAttrs.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace partita::lower {

bool isMark(Operation *op) {
  return isa<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
             sdy::FuncDataFlowEdgeOp>(op);
}

/// Whether the plan's sharding of a value is the one that a manual computation states.
static bool isSameSharding(const Axes &axes, const Sharding &sharding, sdy::TensorShardingAttr given) {
  for (auto [dim, stated] : llvm::zip_equal(sharding.dims, given.getDimShardings())) {
    DimAxes expected;
    for (sdy::AxisRefAttr axis : stated.getAxes())
      llvm::append_range(expected, axes.find(axis.getName().str()));
    if (dim != expected)
      return false;
  }
  return true;
}

/// Whether the given mesh numbers devices as the plan's mesh does.
static bool isSameMesh(const Mesh &mesh, sdy::MeshAttr given) {
  SmallVector<std::pair<std::string, int64_t>> ours, theirs;
  for (const MeshAxis &axis : mesh.axes)
    if (axis.size > 1)
      ours.push_back({axis.name, axis.size});
  for (sdy::MeshAxisAttr axis : given.getAxes())
    if (axis.getSize() > 1)
      theirs.push_back({axis.getName().str(), axis.getSize()});
  return ours == theirs && given.getDeviceIds().empty();
}

/// The mesh that a collective's groups name; null if it names none.
static FlatSymbolRefAttr getGroupMesh(Operation *op) {
  auto groups = op->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>("replica_groups");
  return groups ? dyn_cast<FlatSymbolRefAttr>(groups.getMesh()) : nullptr;
}

/// Whether all groups in the body that name a mesh name one equal to the plan's.
static bool areGroupsOfMesh(sdy::ManualComputationOp op, const Mesh &mesh) {
  WalkResult result = op.getBody().walk([&](Operation *inner) {
    FlatSymbolRefAttr name = getGroupMesh(inner);
    if (!name)
      return WalkResult::advance();
    auto given = SymbolTable::lookupNearestSymbolFrom<sdy::MeshOp>(op, name);
    return given && isSameMesh(mesh, given.getMesh()) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

void nameGroupMeshes(Operation *op) {
  op->walk([](Operation *inner) {
    if (!getGroupMesh(inner))
      return;
    auto groups = inner->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>("replica_groups");
    MLIRContext *context = inner->getContext();
    inner->setAttr("replica_groups", stablehlo::ReplicaGroupMeshAxesAttr::get(
                                         context, FlatSymbolRefAttr::get(context, meshSymbol), groups.getAxes()));
  });
}

std::string findManualFault(sdy::ManualComputationOp op, const Assignment &assignment, OpId id, ValueRange operands) {
  const Axes &axes = assignment.getAxes();
  unsigned numOperands = op->getNumOperands();
  for (auto [index, sharding] : llvm::enumerate(op.getInShardings().getShardings()))
    if (!isSameSharding(axes, assignment.getValueSharding(id, index), sharding))
      return "operand " + std::to_string(index) + " cannot be sharded as it says";
  for (auto [index, sharding] : llvm::enumerate(op.getOutShardings().getShardings()))
    if (!isSameSharding(axes, assignment.getValueSharding(id, numOperands + index), sharding))
      return "result " + std::to_string(index) + " cannot be sharded as it says";
  if (TypeRange(operands) != TypeRange(op.getBody().getArgumentTypes()))
    return "it takes pieces of other sizes";
  SmallVector<sdy::TensorShardingAttr> shardings(op.getInShardings().getShardings());
  llvm::append_range(shardings, op.getOutShardings().getShardings());
  sdy::MeshAttr mesh = sdy::lookupCommonMesh(shardings, op);
  if (!mesh || !isSameMesh(axes.mesh, mesh))
    return "its mesh and the one that is asked for must have the same axes, in the same order";
  if (!areGroupsOfMesh(op, axes.mesh))
    return "a collective in it is over another mesh";
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getBody(), captured);
  if (!captured.empty())
    return "its region uses a value from outside, which is not supported";
  WalkResult known = op.getBody().walk([](Operation *inner) {
    bool isOfSdy = isa<sdy::SdyDialect>(inner->getDialect()) && !isa<sdy::ReturnOp>(inner) && !isMark(inner);
    return isOfSdy || isa<stablehlo::ReplicaIdOp, stablehlo::AsyncStartOp>(inner) ? WalkResult::interrupt()
                                                                                  : WalkResult::advance();
  });
  return known.wasInterrupted() ? "its body has ops over other axes, or of several replicas" : "";
}

} // namespace partita::lower
