//===- GivenShardings.cpp - sdy's shardings in the flat program -----------===//

#include "partita/Program/GivenShardings.h"

#include "partita/Dialect/Diagnostics.h"

using namespace mlir;

namespace partita::program {

sdy::TensorShardingAttr findGivenSharding(OpResult result) {
  Operation *op = result.getOwner();
  if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op))
    return constraint.getSharding();
  if (auto reshard = dyn_cast<sdy::ReshardOp>(op))
    return reshard.getSharding();
  if (auto manual = dyn_cast<sdy::ManualComputationOp>(op))
    return manual.getOutShardings().getSharding(result.getResultNumber());
  auto shardings = dyn_cast_or_null<sdy::TensorShardingPerValueAttr>(op->getDiscardableAttr(sdy::kShardingName));
  return shardings ? shardings.getSharding(result.getResultNumber()) : sdy::TensorShardingAttr();
}

static bool isOneDevice(sdy::MeshAttr mesh) {
  return llvm::all_of(mesh.getAxes(), [](sdy::MeshAxisAttr axis) { return axis.getSize() == 1; });
}

/// Axes of more than one device.
static std::vector<GivenAxis> getAxes(sdy::MeshAttr mesh) {
  std::vector<GivenAxis> axes;
  for (sdy::MeshAxisAttr axis : mesh.getAxes())
    if (axis.getSize() > 1)
      axes.push_back({axis.getName().str(), axis.getSize()});
  return axes;
}

Status GivenShardings::setMesh(sdy::MeshAttr other, Operation *owner) {
  if (!mesh) {
    mesh = other;
    graph.mesh = getAxes(other);
    return std::nullopt;
  }
  if (getAxes(other) == graph.mesh && other.getDeviceIds() == mesh.getDeviceIds())
    return std::nullopt;
  return Error::unsupported(locationOf(owner), "the program has shardings over two meshes")
      .withRemedy("use one mesh, or drop them with --ignore-shardings");
}

std::vector<std::string> GivenShardings::nameAxes(ArrayRef<sdy::AxisRefAttr> axes) const {
  std::vector<std::string> names;
  for (sdy::AxisRefAttr axis : axes) {
    if (axis.getSize(mesh) == 1)
      continue;
    std::string name = axis.getName().str();
    if (axis.isSubAxis())
      name += ":(" + std::to_string(axis.getPreSize()) + ")" + std::to_string(axis.getSize(mesh));
    names.push_back(std::move(name));
  }
  return names;
}

Status GivenShardings::add(CellId cell, sdy::TensorShardingAttr sharding, Operation *owner) {
  if (!sharding)
    return std::nullopt;
  sdy::MeshAttr own = sdy::lookupMesh(sharding, owner);
  if (!own || isOneDevice(own))
    return std::nullopt;
  if (Status error = setMesh(own, owner))
    return error;
  if (!sharding.getUnreducedAxes().empty())
    return Error::unsupported(locationOf(owner), "the program has a sharding with unreduced axes, {" +
                                                     sdy::toString(sharding.getUnreducedAxes()) + "}")
        .withRemedy("leave it to Partita where sums are reduced, or drop all shardings with --ignore-shardings");
  GivenSharding given;
  given.cell = cell;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
    given.dims.push_back({nameAxes(dim.getAxes()), !dim.getIsClosed(), dim.getPriority()});
  given.replicated = nameAxes(sharding.getReplicatedAxes());
  graph.shardings.push_back(std::move(given));
  return std::nullopt;
}

} // namespace partita::program
