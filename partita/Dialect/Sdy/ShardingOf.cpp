//===- ShardingOf.cpp - finds the sharding of a value ---------------------===//

#include "partita/Dialect/Sdy/ShardingOf.h"

#include "partita/Dialect/Sdy/CollectiveOps.h"
#include "partita/Dialect/Sdy/RegionOps.h"
#include "partita/Dialect/Sdy/ShardingOps.h"
#include "partita/Dialect/StableHlo/ControlFlowOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::sdy {

MeshAttr lookupMesh(Attribute meshOrRef, Operation *op) {
  if (auto mesh = dyn_cast<MeshAttr>(meshOrRef))
    return mesh;
  auto symbol = dyn_cast<FlatSymbolRefAttr>(meshOrRef);
  auto module = op->getParentOfType<ModuleOp>();
  if (!symbol || !module)
    return {};
  for (auto mesh : module.getOps<MeshOp>())
    if (mesh.getSymNameAttr() == symbol.getAttr())
      return mesh.getMesh();
  return {};
}

MeshAttr lookupMesh(TensorShardingAttr sharding, Operation *op) { return lookupMesh(sharding.getMeshOrRef(), op); }

MeshAttr lookupCommonMesh(ArrayRef<TensorShardingAttr> shardings, Operation *op) {
  MeshAttr common;
  for (TensorShardingAttr sharding : shardings) {
    MeshAttr mesh = lookupMesh(sharding, op);
    if (!mesh)
      return {};
    if (!common || common.empty())
      common = mesh;
    else if (!mesh.empty() && mesh != common)
      return {};
  }
  return common;
}

TensorShardingPerValueAttr getShardingPerResult(Operation *op) {
  return op->getAttrOfType<TensorShardingPerValueAttr>(kShardingName);
}

TensorShardingAttr dropManualAxes(TensorShardingAttr sharding, ArrayRef<StringAttr> manualAxes) {
  auto keepFree = [&](ArrayRef<AxisRefAttr> axes) {
    return llvm::filter_to_vector(axes, [&](AxisRefAttr axis) {
      return llvm::none_of(manualAxes, [&](StringAttr manual) { return manual.getValue() == axis.getName(); });
    });
  };
  SmallVector<DimensionShardingAttr> dims;
  for (DimensionShardingAttr dim : sharding.getDimShardings())
    dims.push_back(
        DimensionShardingAttr::get(dim.getContext(), keepFree(dim.getAxes()), dim.getIsClosed(), dim.getPriority()));
  return TensorShardingAttr::get(sharding.getContext(), sharding.getMeshOrRef(), dims,
                                 keepFree(sharding.getReplicatedAxes()), keepFree(sharding.getUnreducedAxes()));
}

//===----------------------------------------------------------------------===//
// Data-flow edges
//===----------------------------------------------------------------------===//

bool isDataFlowOp(Operation *op) {
  return isa<ManualComputationOp, NamedComputationOp, stablehlo::WhileOp, stablehlo::CaseOp,
             stablehlo::OptimizationBarrierOp>(op);
}

/// The value that carries the sharding of `target` and of all values tied to it: a loop's result stands for the
/// matching arguments of its regions. Null for a region argument without such a value.
static Value getEdgeOwner(Value target) {
  auto argument = dyn_cast<BlockArgument>(target);
  if (!argument)
    return target;
  Operation *op = argument.getOwner()->getParentOp();
  if (isa_and_present<stablehlo::WhileOp>(op))
    return argument.getArgNumber() < op->getNumResults() ? op->getResult(argument.getArgNumber()) : Value();
  return isa_and_present<FunctionOpInterface, ManualComputationOp, NamedComputationOp>(op) ? target : Value();
}

/// The edge op that uses `owner`, if there is one.
static DataFlowEdgeOp getEdge(Value owner) {
  Operation *op = owner.getDefiningOp() ? owner.getDefiningOp() : owner.getParentBlock()->getParentOp();
  if (!isDataFlowOp(op) || !owner.hasOneUse())
    return {};
  return dyn_cast<DataFlowEdgeOp>(*owner.user_begin());
}

//===----------------------------------------------------------------------===//
// getSharding
//===----------------------------------------------------------------------===//

static TensorShardingAttr getArgumentSharding(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  return TypeSwitch<Operation *, TensorShardingAttr>(argument.getOwner()->getParentOp())
      .Case([&](FunctionOpInterface function) {
        return function.getArgAttrOfType<TensorShardingAttr>(index, kShardingName);
      })
      .Case([&](ManualComputationOp op) {
        TensorShardingAttr sharding = op.getInShardings().getSharding(index);
        return sharding ? dropManualAxes(sharding, op.getManualAxes()) : sharding;
      })
      .Case([&](NamedComputationOp op) {
        return op.getInShardings() ? op.getInShardings()->getSharding(index) : TensorShardingAttr();
      })
      .Default([](Operation *) { return TensorShardingAttr(); });
}

static TensorShardingAttr getResultSharding(OpResult result) {
  unsigned index = result.getResultNumber();
  return TypeSwitch<Operation *, TensorShardingAttr>(result.getOwner())
      .Case<ShardingConstraintOp, ReshardOp>([](auto op) { return op.getSharding(); })
      .Case([](DataFlowEdgeOp op) { return op.getShardingAttr(); })
      .Case([&](ManualComputationOp op) { return op.getOutShardings().getSharding(index); })
      .Case([&](NamedComputationOp op) {
        return op.getOutShardings() ? op.getOutShardings()->getSharding(index) : TensorShardingAttr();
      })
      .Default([&](Operation *op) {
        if (TensorShardingAttr sharding = getOutSharding(op))
          return sharding;
        TensorShardingPerValueAttr perResult = getShardingPerResult(op);
        return perResult ? perResult.getSharding(index) : TensorShardingAttr();
      });
}

TensorShardingAttr getSharding(Value value) {
  Value owner = getEdgeOwner(value);
  if (!owner)
    return {};
  if (DataFlowEdgeOp edge = getEdge(owner))
    return edge.getShardingAttr();
  if (auto result = dyn_cast<OpResult>(owner))
    return getResultSharding(result);
  return getArgumentSharding(cast<BlockArgument>(owner));
}

} // namespace partita::sdy
