//===- ReplicaGroups.cpp - verifies the device groups of a collective -----===//

#include "partita/Dialect/StableHlo/ReplicaGroups.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace partita::stablehlo {

static constexpr int64_t padding = -1;

/// A splat of padding has no ids, however large it is; any other splat repeats its id.
static bool isAllPadding(DenseIntElementsAttr groups) {
  return groups.isSplat() && groups.getSplatValue<APInt>().getSExtValue() == padding;
}

/// Ids are never negative, so that none is a value that a set of unsigned integers keeps for itself.
using IdSet = llvm::DenseSet<uint64_t>;

/// Collects the ids, which must be unique and not negative.
static LogicalResult collectIds(Operation *op, DenseIntElementsAttr groups, const ReplicaGroupDemands &demands,
                                IdSet &ids) {
  if (demands.mayPad && isAllPadding(groups))
    return success();
  for (const APInt &value : groups) {
    int64_t id = value.getSExtValue();
    if (id == padding && demands.mayPad)
      continue;
    if (id < 0)
      return op->emitOpError() << demands.rangeLabel << " requires replica ids not to be negative, got " << id;
    if (!ids.insert(id).second)
      return op->emitOpError() << demands.uniqueLabel << " requires replica ids to be unique, " << id
                               << " stands twice";
  }
  return success();
}

static LogicalResult verifyAllDevices(Operation *op, const IdSet &ids, StringRef label) {
  int64_t count = ids.size();
  for (int64_t id = 0; id < count; ++id)
    if (!ids.contains(id))
      return op->emitOpError() << label << " requires all of the replica ids 0 to " << count - 1 << ", " << id
                               << " is missing";
  return success();
}

LogicalResult verifyReplicaGroups(Operation *op, Attribute groups, const ReplicaGroupDemands &demands) {
  auto dense = dyn_cast<DenseIntElementsAttr>(groups);
  if (!dense)
    return success();
  ShapedType type = dense.getType();
  if (type.getRank() != 2)
    return op->emitOpError("requires replica_groups of rank 2, got ") << type;
  if (!demands.mayBeEmpty && dense.empty())
    return op->emitOpError("requires replica_groups not to be empty where use_global_device_ids is set");
  if (demands.size && (type.getDimSize(0) == 0 || type.getDimSize(1) != *demands.size))
    return op->emitOpError() << demands.sizeLabel << " requires replica groups of " << *demands.size << " devices, got "
                             << type;
  IdSet ids;
  if (failed(collectIds(op, dense, demands, ids)))
    return failure();
  return demands.areAllDevices ? verifyAllDevices(op, ids, demands.rangeLabel) : success();
}

LogicalResult verifyReplicaGroupMesh(Operation *op, Attribute groups, SymbolTableCollection &symbolTable) {
  auto meshAxes = dyn_cast<ReplicaGroupMeshAxesAttr>(groups);
  return meshAxes ? meshAxes.verifySymbolUses(op, symbolTable) : success();
}

LogicalResult verifySourceTargetPairs(Operation *op, DenseIntElementsAttr pairs) {
  ShapedType type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return op->emitOpError("(C1) requires source_target_pairs of shape Nx2, got ") << type;
  IdSet sources, targets;
  for (auto [index, value] : llvm::enumerate(pairs)) {
    int64_t id = value.getSExtValue();
    bool isSource = index % 2 == 0;
    if (id < 0)
      return op->emitOpError("(C4) requires replica ids not to be negative, got ") << id;
    if (!(isSource ? sources : targets).insert(id).second)
      return op->emitOpError() << (isSource ? "(C2) requires sources" : "(C3) requires targets") << " to be unique, "
                               << id << " stands twice";
  }
  return success();
}

} // namespace partita::stablehlo
