//===- CollectiveOps.cpp - collectives that change the sharding of a value ===//
//
// An op's axes, applied to the operand's sharding, give the result's sharding.
// The verifiers apply them and compare.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Sdy/CollectiveOps.h"

#include "partita/Dialect/Sdy/Axes.h"
#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Dialect/Sdy/ShardingVerify.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/Sdy/CollectiveOps.cpp.inc"

namespace partita::sdy {

void SdyDialect::registerCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/Sdy/CollectiveOps.cpp.inc"
      >();
}

TensorShardingAttr getOutSharding(Operation *op) {
  if (!op->hasTrait<trait::CollectiveSpec>())
    return {};
  return op->getAttrOfType<TensorShardingAttr>("out_sharding");
}

LogicalResult verifyCollective(Operation *op, CollectiveOperand allowed) {
  ErrorAt error(op);
  TensorShardingAttr operand = getSharding(op->getOperand(0)), result = getOutSharding(op);
  if (!operand && !allowed.allowsUnsharded)
    return error() << "the operand has no sharding";
  if (failed(verifySharding(result, op->getResult(0).getType(), error.with("out_sharding"))))
    return failure();
  if (!operand)
    return success();
  MeshAttr operandMesh = lookupMesh(operand, op);
  if (!allowed.allowsOtherMesh && operandMesh && operandMesh != lookupMesh(result, op))
    return error() << "operand and result are on different meshes";
  if (operand.getRank() != result.getRank())
    return error() << "the operand's sharding has " << operand.getRank() << " dims, the result's " << result.getRank();
  return success();
}

namespace {

/// A collective with both its shardings.
struct Transition {
  ErrorAt error;
  TensorShardingAttr operand, result;
  MeshAttr mesh;
};

using Axes = SmallVector<AxisRefAttr>;

} // namespace

/// Shardings of operand and result, both valid for the tensor. An operand without sharding is replicated.
static FailureOr<Transition> getTransition(Operation *op) {
  ErrorAt error(op);
  TensorShardingAttr result = getOutSharding(op), operand = getSharding(op->getOperand(0));
  if (!operand)
    operand = TensorShardingAttr::getReplicated(result.getMeshOrRef(), result.getRank(), /*isClosed=*/true);
  if (failed(verifySharding(operand, op->getOperand(0).getType(), error.with("operand"))))
    return failure();
  if (operand.getRank() != result.getRank())
    return error() << "operand and result have shardings of different ranks";
  return Transition{error, operand, result, lookupMesh(result, op)};
}

//===----------------------------------------------------------------------===//
// Axes of a dim
//===----------------------------------------------------------------------===//

/// The axes of `dim` without `gathered`, which must be the minor ones.
static FailureOr<Axes> gatherAxes(const Transition &transition, int64_t dim, ArrayRef<AxisRefAttr> gathered) {
  Axes axes(transition.operand.getDimSharding(dim).getAxes());
  for (AxisRefAttr axis : llvm::reverse(gathered)) {
    if (axes.empty() || !isSuffix(axis, axes.back(), transition.mesh))
      return transition.error() << "axis " << toString(axis) << " is not the minor one of dim " << dim;
    if (AxisRefAttr rest = getPrefixWithout(axes.pop_back_val(), axis))
      axes.push_back(rest);
  }
  return axes;
}

/// The axes of `dim` followed by `sliced`.
static FailureOr<Axes> sliceAxes(const Transition &transition, int64_t dim, ArrayRef<AxisRefAttr> sliced) {
  Axes axes(transition.operand.getDimSharding(dim).getAxes());
  for (AxisRefAttr axis : sliced)
    appendOrMerge(axes, axis, transition.mesh);
  return axes;
}

static LogicalResult verifyDim(const Transition &transition, int64_t dim, FailureOr<Axes> expected) {
  if (failed(expected))
    return failure();
  if (ArrayRef(*expected) != transition.result.getDimSharding(dim).getAxes())
    return transition.error() << "out_sharding must have {" << toString(*expected) << "} in dim " << dim;
  return success();
}

/// Verifies the axes of each dim, and that `apply` to the operand's gives the result's.
static LogicalResult verifyAxesPerDim(const Transition &transition, ArrayRef<AxisRefListAttr> axesPerDim,
                                      FailureOr<Axes> (*apply)(const Transition &, int64_t dim,
                                                               ArrayRef<AxisRefAttr>)) {
  AxisLists lists(transition.mesh, transition.error);
  for (AxisRefListAttr axes : axesPerDim)
    if (failed(lists.add(axes)))
      return failure();
  if (transition.result.getRank() != static_cast<int64_t>(axesPerDim.size()))
    return transition.error() << axesPerDim.size() << " lists of axes for " << transition.result.getRank() << " dims";
  for (auto [dim, axes] : llvm::enumerate(axesPerDim))
    if (failed(verifyDim(transition, dim, apply(transition, dim, axes))))
      return failure();
  return success();
}

/// The result is unreduced along what the operand is and along `added`.
static LogicalResult verifyUnreducedAxes(const Transition &transition, ArrayRef<AxisRefAttr> added) {
  Axes expected(transition.operand.getUnreducedAxes());
  llvm::append_range(expected, added);
  sortAndMerge(expected, transition.mesh);
  if (ArrayRef(expected) != transition.result.getUnreducedAxes())
    return transition.error() << "out_sharding must have unreduced={" << toString(expected) << '}';
  return success();
}

static bool overlapsDims(TensorShardingAttr sharding, AxisRefAttr axis) {
  return llvm::any_of(sharding.getDimShardings(),
                      [&](DimensionShardingAttr dim) { return overlap(dim.getAxes(), axis); });
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<Transition> transition = getTransition(*this);
  return failed(transition) ? failure() : verifyAxesPerDim(*transition, getGatheringAxes(), gatherAxes);
}

LogicalResult AllSliceOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<Transition> transition = getTransition(*this);
  return failed(transition) ? failure() : verifyAxesPerDim(*transition, getSlicingAxes(), sliceAxes);
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<Transition> transition = getTransition(*this);
  return failed(transition) ? failure() : verifyAxesPerDim(*transition, getReduceScatterAxes(), sliceAxes);
}

LogicalResult ShardedToUnreducedOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<Transition> transition = getTransition(*this);
  if (failed(transition) || failed(verifyAxesPerDim(*transition, getAxes(), gatherAxes)))
    return failure();
  Axes moved;
  for (AxisRefListAttr axes : getAxes())
    llvm::append_range(moved, axes);
  return verifyUnreducedAxes(*transition, moved);
}

LogicalResult ReplicatedToUnreducedOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<Transition> transition = getTransition(*this);
  if (failed(transition))
    return failure();
  const auto &[error, operand, result, mesh] = *transition;
  if (operand.getDimShardings() != result.getDimShardings())
    return error() << "operand and result must have the same dim shardings";
  if (getAxes().empty())
    return error() << "there must be axes that become unreduced";
  AxisLists lists(mesh, error);
  if (failed(lists.addSorted(getAxes(), "the op's")))
    return failure();
  for (AxisRefAttr axis : getAxes())
    if (overlapsDims(operand, axis) || overlap(operand.getUnreducedAxes(), axis))
      return error() << "the operand is not replicated along axis " << toString(axis);
  return verifyUnreducedAxes(*transition, getAxes());
}

/// Dims and their order: each at most once, as source or target; sources ascend.
static LogicalResult verifyAllToAllDims(const Transition &transition, ArrayRef<AllToAllParamAttr> params) {
  AxisLists lists(transition.mesh, transition.error);
  llvm::SmallSet<int64_t, 8> dims;
  int64_t previousSource = -1;
  for (AllToAllParamAttr param : params) {
    if (failed(lists.add(param.getAxes())))
      return failure();
    for (int64_t dim : {param.getSrcDim(), param.getTgtDim()}) {
      if (dim < 0 || dim >= transition.result.getRank())
        return transition.error() << "there is no dim " << dim;
      if (!dims.insert(dim).second)
        return transition.error() << "dim " << dim << " is source or target twice";
    }
    if (param.getSrcDim() <= previousSource)
      return transition.error() << "source dims must ascend";
    previousSource = param.getSrcDim();
  }
  return success();
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<Transition> transition = getTransition(*this);
  if (failed(transition))
    return failure();
  if (getParams().empty())
    return transition->error() << "there must be axes to move";
  if (failed(verifyAllToAllDims(*transition, getParams())))
    return failure();
  llvm::SmallSet<int64_t, 8> moved;
  for (AllToAllParamAttr param : getParams()) {
    int64_t source = param.getSrcDim(), target = param.getTgtDim();
    if (failed(verifyDim(*transition, source, gatherAxes(*transition, source, param.getAxes()))) ||
        failed(verifyDim(*transition, target, sliceAxes(*transition, target, param.getAxes()))))
      return failure();
    moved.insert(source);
    moved.insert(target);
  }
  for (int64_t dim = 0; dim < transition->result.getRank(); ++dim)
    if (!moved.contains(dim) && failed(verifyDim(*transition, dim, sliceAxes(*transition, dim, {}))))
      return failure();
  return success();
}

/// The operand's mesh is the result's, or has the same axes with other device ids.
static LogicalResult verifyPermutedMesh(const Transition &transition) {
  MeshAttr operandMesh = lookupMesh(transition.operand, transition.error.getOp());
  if (operandMesh.getAxes() != transition.mesh.getAxes())
    return transition.error() << "the meshes of operand and result have different axes";
  if (transition.operand.getMeshOrRef() != transition.result.getMeshOrRef() &&
      operandMesh.getDeviceIds() == transition.mesh.getDeviceIds())
    return transition.error() << "the meshes of operand and result differ only by name";
  return success();
}

LogicalResult CollectivePermuteOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<Transition> transition = getTransition(*this);
  if (failed(transition) || failed(verifyPermutedMesh(*transition)))
    return failure();
  const auto &[error, operand, result, mesh] = *transition;
  for (auto [index, from, to] : llvm::enumerate(operand.getDimShardings(), result.getDimShardings()))
    if (from.getShardedSize(mesh) != to.getShardedSize(mesh))
      return error() << "dim " << index << " is cut into " << from.getShardedSize(mesh) << " pieces before and "
                     << to.getShardedSize(mesh) << " after";
  return success();
}

/// Whether both split all dims along the same axes of the same mesh.
static bool haveSameDimAxes(TensorShardingAttr a, TensorShardingAttr b) {
  if (a.isFullyReplicated() || b.isFullyReplicated())
    return a.isFullyReplicated() && b.isFullyReplicated();
  return a.getMeshOrRef() == b.getMeshOrRef() &&
         llvm::all_of_zip(a.getDimShardings(), b.getDimShardings(),
                          [](auto dimA, auto dimB) { return dimA.getAxes() == dimB.getAxes(); });
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<Transition> transition = getTransition(*this);
  if (failed(transition))
    return failure();
  const auto &[error, operand, result, mesh] = *transition;
  if (!haveSameDimAxes(operand, result))
    return error() << "operand and result must have the same axes in each dim";
  AxisLists lists(mesh, error);
  if (failed(lists.addSorted(getReductionAxes(), "reduction")))
    return failure();
  for (AxisRefAttr axis : getReductionAxes()) {
    if (overlapsDims(operand, axis) || overlap(operand.getReplicatedAxes(), axis))
      return error() << "the operand is not unreduced along reduction axis " << toString(axis);
    if (overlap(result.getUnreducedAxes(), axis))
      return error() << "the result is unreduced along reduction axis " << toString(axis);
  }
  return success();
}

} // namespace partita::sdy
