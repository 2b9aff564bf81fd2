//===- ShardingVerify.cpp - verifies shardings ----------------------------===//

#include "partita/Dialect/Sdy/ShardingVerify.h"

#include "partita/Dialect/Sdy/Axes.h"
#include "partita/Dialect/Sdy/RegionOps.h"
#include "partita/Dialect/Sdy/ShardingOf.h"

using namespace mlir;

namespace partita::sdy {

InFlightDiagnostic ErrorAt::operator()() const {
  InFlightDiagnostic diagnostic = op->emitOpError();
  if (!subject.empty())
    diagnostic << subject << ": ";
  return diagnostic;
}

ErrorAt ErrorAt::with(const Twine &more) const {
  return ErrorAt(op, subject.empty() ? more : Twine(subject) + " " + more);
}

//===----------------------------------------------------------------------===//
// Lists of axes
//===----------------------------------------------------------------------===//

LogicalResult AxisLists::add(ArrayRef<AxisRefAttr> axes) {
  AxisRefAttr previous;
  for (AxisRefAttr axis : axes) {
    if (!mesh.hasAxis(axis.getName()))
      return error() << "the mesh has no axis \"" << axis.getName() << '"';
    if (llvm::is_contained(seen, axis))
      return error() << "axis " << toString(axis) << " is used twice";
    if (previous && canMerge(previous, axis))
      return error() << "sub-axes " << toString(previous) << " and " << toString(axis) << " must be written as one";
    seen.push_back(axis);
    previous = axis;
  }
  return success();
}

LogicalResult AxisLists::addSorted(ArrayRef<AxisRefAttr> axes, StringRef what) {
  if (!llvm::is_sorted(axes, MeshOrder{mesh}))
    return error() << what << " axes are not in the order of the mesh";
  return add(axes);
}

/// (pre-size)size is a proper part of the axis: the size is more than 1 and less than all, the whole divides the axis.
LogicalResult AxisLists::verifySubAxis(AxisRefAttr axis) {
  int64_t fullSize = mesh.getAxisSize(axis.getName());
  SubAxisInfoAttr sub = axis.getSubAxisInfo();
  bool isProper =
      sub.getPreSize() >= 1 && sub.getSize() > 1 && sub.getSize() != fullSize && fullSize % sub.getNextPreSize() == 0;
  if (!isProper)
    return error() << toString(axis) << " is not a proper part of the axis of size " << fullSize;
  return success();
}

LogicalResult AxisLists::verifySubAxes() {
  for (auto [index, axis] : llvm::enumerate(seen)) {
    if (axis.isSubAxis() && failed(verifySubAxis(axis)))
      return failure();
    for (AxisRefAttr other : ArrayRef(seen).take_front(index))
      if (overlap(axis, other))
        return error() << "axes " << toString(other) << " and " << toString(axis) << " overlap";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// For a value that is not a ranked tensor, the sharding must be empty.
static LogicalResult verifySaysNothing(TensorShardingAttr sharding, const ErrorAt &error, StringRef what) {
  if (sharding.getRank() || !sharding.getReplicatedAxes().empty() || !sharding.getUnreducedAxes().empty())
    return error() << "a sharding " << what << " has neither dims nor replicated or unreduced axes";
  return success();
}

static LogicalResult verifyPriorities(TensorShardingAttr sharding, const ErrorAt &error) {
  for (auto [index, dim] : llvm::enumerate(sharding.getDimShardings())) {
    std::optional<int64_t> priority = dim.getPriority();
    if (priority && *priority < 0)
      return error() << "dim " << index << " has a negative priority";
    if (priority && dim.getIsClosed() && dim.getAxes().empty())
      return error() << "dim " << index << " has a priority but is closed and has no axes";
  }
  return success();
}

/// An axis that is manual around `op` belongs to the manual computation alone.
static LogicalResult verifyAxesAreFree(TensorShardingAttr sharding, const ErrorAt &error) {
  SmallVector<AxisRefAttr> axes = sharding.getAllAxes();
  for (auto parent = error.getOp()->getParentOfType<ManualComputationOp>(); parent;
       parent = parent->getParentOfType<ManualComputationOp>())
    for (AxisRefAttr axis : axes)
      if (parent.isManual(axis.getName()))
        return (error() << "axis " << toString(axis) << " is manual here").attachNote(parent.getLoc())
               << "made manual by this op";
  return success();
}

static LogicalResult verifyAxes(TensorShardingAttr sharding, MeshAttr mesh, const ErrorAt &error) {
  AxisLists lists(mesh, error);
  for (DimensionShardingAttr dim : sharding.getDimShardings())
    if (failed(lists.add(dim.getAxes())))
      return failure();
  if (failed(lists.addSorted(sharding.getReplicatedAxes(), "replicated")) ||
      failed(lists.addSorted(sharding.getUnreducedAxes(), "unreduced")))
    return failure();
  return lists.verifySubAxes();
}

/// The tensor whose dims a sharding splits: the type, or the only member of a tuple.
static FailureOr<Type> getShardedType(Type type, const ErrorAt &error) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return type;
  if (tuple.size() != 1)
    return error() << "only a tuple of one value can have a sharding, not " << type;
  return tuple.getType(0);
}

LogicalResult verifySharding(TensorShardingAttr sharding, Type type, const ErrorAt &error) {
  MeshAttr mesh = lookupMesh(sharding, error.getOp());
  if (!mesh)
    return error() << "there is no mesh " << sharding.getMeshOrRef();
  if (mesh.isMaximal())
    return verifySaysNothing(sharding, error, "on a single device");
  if (!type)
    return verifySaysNothing(sharding, error, "of no value");
  FailureOr<Type> shardedType = getShardedType(type, error);
  if (failed(shardedType))
    return failure();
  auto tensor = dyn_cast<ShapedType>(*shardedType);
  if (!tensor)
    return verifySaysNothing(sharding, error, "of a value without shape");
  if (!tensor.hasRank())
    return error() << "only ranked tensors can have a sharding, not " << type;
  if (sharding.getRank() != tensor.getRank())
    return error() << "sharding has " << sharding.getRank() << " dims, the tensor " << tensor.getRank();
  if (failed(verifyPriorities(sharding, error)) || failed(verifyAxes(sharding, mesh, error)))
    return failure();
  return verifyAxesAreFree(sharding, error);
}

LogicalResult verifyShardings(TensorShardingPerValueAttr shardings, TypeRange types, const ErrorAt &error) {
  if (types.empty() && shardings.size() == 1) {
    TensorShardingAttr only = shardings.getSharding(0);
    MeshAttr mesh = lookupMesh(only, error.getOp());
    if ((mesh && mesh.isMaximal()) || only.isFullyReplicated())
      return verifySharding(only, Type(), error);
  }
  if (shardings.size() != static_cast<int64_t>(types.size()))
    return error() << shardings.size() << " shardings for " << types.size() << " values";
  for (auto [index, sharding, type] : llvm::enumerate(shardings.getShardings(), types))
    if (failed(verifySharding(sharding, type, error.with(Twine(index)))))
      return failure();
  return success();
}

} // namespace partita::sdy
