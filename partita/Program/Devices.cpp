//===- Devices.cpp - meshes, and groups of devices ------------------------===//

#include "partita/Program/Devices.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/ShardingOf.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace partita::program {

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

void DeviceMesh::addAxes(ArrayRef<std::pair<StringRef, int64_t>> sizes) {
  int64_t stride = 1;
  for (auto [name, size] : llvm::reverse(sizes)) {
    axes.push_back({name.str(), size, stride});
    stride *= size;
  }
  if (deviceIds.empty())
    deviceIds.append(llvm::seq<int64_t>(0, stride).begin(), llvm::seq<int64_t>(0, stride).end());
}

DeviceMesh DeviceMesh::make(sdy::MeshAttr mesh) {
  DeviceMesh result;
  result.deviceIds.assign(mesh.getDeviceIds().begin(), mesh.getDeviceIds().end());
  SmallVector<std::pair<StringRef, int64_t>> sizes;
  for (sdy::MeshAxisAttr axis : mesh.getAxes())
    sizes.emplace_back(axis.getName(), axis.getSize());
  result.addAxes(sizes);
  return result;
}

DeviceMesh DeviceMesh::make(stablehlo::MeshAttr mesh) {
  DeviceMesh result;
  if (DenseIntElementsAttr ids = mesh.getDeviceIds())
    for (const APInt &id : ids)
      result.deviceIds.push_back(id.getSExtValue());
  SmallVector<std::pair<StringRef, int64_t>> sizes;
  for (stablehlo::MeshAxisAttr axis : mesh.getAxes())
    sizes.emplace_back(axis.getName(), axis.getSize());
  result.addAxes(sizes);
  return result;
}

bool DeviceMesh::isPermutation() const {
  SmallVector<int64_t> sorted(deviceIds);
  llvm::sort(sorted);
  int64_t size = 1;
  for (const Axis &axis : axes)
    size *= axis.size;
  return size == getNumDevices() && llvm::equal(sorted, llvm::seq<int64_t>(0, getNumDevices()));
}

std::optional<Digit> DeviceMesh::findDigit(StringRef name) const {
  for (const Axis &axis : axes)
    if (axis.name == name)
      return Digit{axis.stride, axis.size};
  return std::nullopt;
}

std::optional<Digit> DeviceMesh::findDigit(StringRef name, int64_t preSize, int64_t size) const {
  std::optional<Digit> axis = findDigit(name);
  if (!axis || preSize < 1 || size < 1 || preSize > axis->size || size > axis->size / preSize ||
      axis->size % (preSize * size) != 0)
    return std::nullopt;
  return Digit{axis->stride * (axis->size / (preSize * size)), size};
}

std::optional<Digit> DeviceMesh::findDigit(sdy::AxisRefAttr axis) const {
  if (!axis.isSubAxis())
    return findDigit(axis.getName());
  return findDigit(axis.getName(), axis.getPreSize(), axis.getSubAxisInfo().getSize());
}

int64_t computeNumber(int64_t position, ArrayRef<Digit> digits) {
  int64_t number = 0;
  for (const Digit &digit : digits)
    number = number * digit.size + position / digit.stride % digit.size;
  return number;
}

std::optional<SmallVector<Group>> DeviceMesh::computeGroups(ArrayRef<Digit> digits) const {
  int64_t size = 1;
  for (const Digit &digit : digits) {
    size *= digit.size;
    if (size > getNumDevices())
      return std::nullopt;
  }
  // Devices of a group have the same position apart from the digits.
  llvm::MapVector<int64_t, Group> groups;
  for (int64_t position = 0; position < getNumDevices(); ++position) {
    int64_t rest = position;
    for (const Digit &digit : digits)
      rest -= position / digit.stride % digit.size * digit.stride;
    Group &group = groups[rest];
    group.resize(size, -1);
    group[computeNumber(position, digits)] = getDevice(position);
  }
  SmallVector<Group> result;
  for (auto &[rest, group] : groups) {
    if (llvm::is_contained(group, -1))
      return std::nullopt;
    result.push_back(std::move(group));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Replica groups
//===----------------------------------------------------------------------===//

static Group makeAll(int64_t numDevices) { return llvm::to_vector(llvm::seq<int64_t>(0, numDevices)); }

/// Rows of ids, without the padding -1.
static SmallVector<Group> readRows(DenseIntElementsAttr ids) {
  SmallVector<Group> rows;
  int64_t width = ids.getType().getRank() == 2 ? ids.getType().getDimSize(1) : 0;
  for (auto [index, id] : llvm::enumerate(ids)) {
    if (index % width == 0)
      rows.emplace_back();
    if (!id.isAllOnes())
      rows.back().push_back(id.getSExtValue());
  }
  llvm::erase_if(rows, [](const Group &row) { return row.empty(); });
  return rows;
}

static Result<DeviceMesh> findMesh(Operation *op, Attribute meshOrRef) {
  if (auto mesh = dyn_cast<stablehlo::MeshAttr>(meshOrRef))
    return DeviceMesh::make(mesh);
  if (sdy::MeshAttr mesh = sdy::lookupMesh(meshOrRef, op))
    return DeviceMesh::make(mesh);
  return Error::badInput(locationOf(op), "the mesh of the replica groups is not defined");
}

static Result<SmallVector<Group>> computeMeshGroups(Operation *op, stablehlo::ReplicaGroupMeshAxesAttr groups,
                                                    int64_t numDevices) {
  Result<DeviceMesh> mesh = findMesh(op, groups.getMesh());
  if (!mesh)
    return mesh.error();
  if (!mesh->isPermutation() || mesh->getNumDevices() != numDevices)
    return Error::badInput(locationOf(op), "the mesh of the replica groups is of " +
                                               std::to_string(mesh->getNumDevices()) +
                                               " devices, the program runs on " + std::to_string(numDevices));
  SmallVector<Digit> digits;
  for (Attribute attribute : groups.getAxes()) {
    auto axis = dyn_cast<stablehlo::AxisRefAttr>(attribute);
    std::optional<Digit> digit;
    if (axis)
      digit = axis.getSubAxisInfo()
                  ? mesh->findDigit(axis.getName(), axis.getSubAxisInfo().getPreSize(), axis.getSubAxisInfo().getSize())
                  : mesh->findDigit(axis.getName());
    if (!digit)
      return Error::badInput(locationOf(op), "the mesh of the replica groups has no such axis" +
                                                 (axis ? " '" + axis.getName().str() + "'" : std::string()));
    digits.push_back(*digit);
  }
  if (auto result = mesh->computeGroups(digits))
    return std::move(*result);
  return Error::badInput(locationOf(op), "the axes of the replica groups overlap");
}

/// Every id must be below `count`.
static Status checkIds(Operation *op, ArrayRef<Group> rows, int64_t count, StringRef what) {
  for (const Group &row : rows)
    for (int64_t id : row)
      if (id < 0 || id >= count)
        return Error::badInput(locationOf(op), "the groups name " + what.str() + " " + std::to_string(id) +
                                                   ", the program runs on 1 replica of " + std::to_string(count) + " " +
                                                   what.str() + "s");
  return std::nullopt;
}

Result<SmallVector<Group>> computeGroups(Operation *op, Attribute replicaGroups, GroupStrategy strategy,
                                         int64_t numDevices) {
  if (auto axes = dyn_cast<stablehlo::ReplicaGroupMeshAxesAttr>(replicaGroups))
    return computeMeshGroups(op, axes, numDevices);
  SmallVector<Group> rows = readRows(cast<DenseIntElementsAttr>(replicaGroups));
  if (strategy == GroupStrategy::CrossPartition) {
    if (Status error = checkIds(op, rows, numDevices, "partition"))
      return std::move(*error);
    return rows.empty() ? SmallVector<Group>{makeAll(numDevices)} : rows;
  }
  for (const Group &row : rows)
    for (int64_t id : row)
      if (id != 0)
        return Error::badInput(locationOf(op), "the groups name replica " + std::to_string(id) +
                                                   ", but devices are partitions of one replica")
            .withRemedy("give the op a channel and, where it has one, use_global_device_ids");
  if (strategy == GroupStrategy::CrossReplicaAndPartition)
    return SmallVector<Group>{makeAll(numDevices)};
  SmallVector<Group> alone;
  for (int64_t device = 0; device < numDevices; ++device)
    alone.push_back({device});
  return alone;
}

} // namespace partita::program
