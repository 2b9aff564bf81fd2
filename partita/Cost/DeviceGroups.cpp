//===- DeviceGroups.cpp - groups of collectives, sources of permutes ------===//

#include "partita/Cost/DeviceGroups.h"

namespace partita::cost {

/// Offset in device numbers of the `index`-th combination of coordinates along `list`, the first axis major.
static int64_t getOffset(const Axes &axes, llvm::ArrayRef<AxisId> list, int64_t index) {
  int64_t offset = 0;
  for (AxisId axis : llvm::reverse(list)) {
    offset += index % axes[axis].size * axes[axis].stride;
    index /= axes[axis].size;
  }
  return offset;
}

/// The combination of coordinates that a device has along `list`.
static int64_t getIndex(const Axes &axes, llvm::ArrayRef<AxisId> list, int64_t device) {
  int64_t index = 0;
  for (AxisId axis : list)
    index = index * axes[axis].size + axes.getCoordinate(device, axis);
  return index;
}

std::vector<std::vector<int64_t>> computeGroups(const Axes &axes, llvm::ArrayRef<AxisId> list) {
  int64_t groupSize = 1;
  for (AxisId axis : list)
    groupSize *= axes[axis].size;
  std::vector<std::vector<int64_t>> groups;
  for (int64_t device = 0, count = axes.mesh.getNumDevices(); device < count; ++device) {
    if (getIndex(axes, list, device) != 0)
      continue;
    std::vector<int64_t> &group = groups.emplace_back();
    group.reserve(static_cast<size_t>(groupSize));
    for (int64_t i = 0; i < groupSize; ++i)
      group.push_back(device + getOffset(axes, list, i));
  }
  return groups;
}

std::vector<int64_t> computeSources(const Axes &axes, const Sharding &before, const Sharding &after) {
  // Axes that only one of the two is split over number the replicas of the other.
  DimAxes onlyBefore, onlyAfter, neither;
  for (AxisId axis : idRange<AxisId>(axes.size())) {
    bool inBefore = before.findAxis(axis) >= 0, inAfter = after.findAxis(axis) >= 0;
    if (inBefore != inAfter)
      (inBefore ? onlyBefore : onlyAfter).push_back(axis);
    else if (!inBefore)
      neither.push_back(axis);
  }
  std::vector<int64_t> sources;
  for (int64_t device = 0, count = axes.mesh.getNumDevices(); device < count; ++device) {
    int64_t source = getOffset(axes, neither, getIndex(axes, neither, device));
    source += getOffset(axes, onlyAfter, getIndex(axes, onlyBefore, device));
    for (size_t dim = 0; dim < before.dims.size(); ++dim)
      source += getOffset(axes, before.dims[dim], getIndex(axes, after.dims[dim], device));
    sources.push_back(source);
  }
  return sources;
}

} // namespace partita::cost
