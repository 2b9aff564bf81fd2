//===- LegacyShardingsMesh.cpp - infers one mesh for unnamed shardings ----===//

#include "partita/Program/Import/LegacyShardingsMesh.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace partita::program::import {

/// The array's numbers as positions in `order`, or the numbers themselves if `order` is empty.
static llvm::SmallVector<int64_t> computePositions(const HloSharding &sharding, llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<int64_t> positions(sharding.devices);
  if (!order.empty()) {
    llvm::SmallVector<int64_t> inverse(order.size());
    for (auto [position, device] : llvm::enumerate(order))
      inverse[device] = position;
    for (int64_t &position : positions)
      position = inverse[position];
  }
  // The order among devices that hold the same piece does not matter.
  if (sharding.groups.size() == 1)
    for (auto it = positions.begin(); it != positions.end(); it += sharding.dims.back())
      std::sort(it, it + sharding.dims.back());
  return positions;
}

/// The digits that an array of numbers counts through, minor to major; nothing if it is not such a count.
static std::optional<llvm::SmallVector<MeshDigit>> findDigits(llvm::ArrayRef<int64_t> positions) {
  llvm::SmallVector<MeshDigit> digits;
  size_t count = positions.size(), block = 1;
  while (block < count) {
    int64_t stride = positions[block] - positions[0];
    int64_t size = 2;
    while (size * block < count && positions[size * block] == size * stride)
      ++size;
    if (stride <= 0 || count % (size * block) != 0)
      return std::nullopt;
    digits.push_back({size, stride});
    block *= size;
  }
  // The digits must reproduce the array.
  for (auto [index, position] : llvm::enumerate(positions)) {
    int64_t sum = 0, remaining = index;
    for (const MeshDigit &digit : digits) {
      sum += remaining % digit.size * digit.stride;
      remaining /= digit.size;
    }
    if (sum != position)
      return std::nullopt;
  }
  return digits;
}

/// Distributes the digits of an array over its dims. A digit is split over several dims if their sizes divide it.
static std::optional<DigitsPerDim> splitAtDims(llvm::SmallVector<MeshDigit> digits, llvm::ArrayRef<int64_t> dims) {
  DigitsPerDim perDim(dims.size());
  size_t next = 0;
  for (size_t dim = dims.size(); dim-- > 0;) {
    int64_t wanted = dims[dim];
    while (wanted > 1 && next < digits.size()) {
      MeshDigit &digit = digits[next];
      int64_t taken = std::min(digit.size, wanted);
      if (digit.size % taken != 0 || wanted % taken != 0)
        return std::nullopt;
      perDim[dim].push_back({taken, digit.stride});
      wanted /= taken;
      digit = {digit.size / taken, digit.stride * taken};
      if (digit.size == 1)
        ++next;
    }
    std::reverse(perDim[dim].begin(), perDim[dim].end());
  }
  return perDim;
}

static std::optional<DigitsPerDim> computeDigits(const HloSharding &sharding, llvm::ArrayRef<int64_t> order) {
  std::optional<llvm::SmallVector<MeshDigit>> digits = findDigits(computePositions(sharding, order));
  return digits ? splitAtDims(std::move(*digits), sharding.dims) : std::nullopt;
}

bool InferredMesh::addShardings(llvm::ArrayRef<const HloSharding *> shardings, std::string &whyNot) {
  int64_t devices = shardings.front()->devices.size();
  std::set<int64_t> cuts{1, devices};
  for (const HloSharding *sharding : shardings) {
    std::optional<DigitsPerDim> perDim = computeDigits(*sharding, deviceIds);
    if (!perDim) {
      whyNot = "its order of devices is not that of a mesh";
      return false;
    }
    for (llvm::ArrayRef<MeshDigit> dim : *perDim)
      for (const MeshDigit &digit : dim)
        cuts.insert({digit.stride, digit.stride * digit.size});
  }
  axisSizes.clear();
  int64_t previous = 0;
  for (int64_t cut : cuts) {
    if (previous != 0 && cut % previous != 0) {
      whyNot = "the program's shardings cut the devices in ways that fit no common mesh";
      return false;
    }
    if (previous != 0)
      axisSizes.insert(axisSizes.begin(), cut / previous);
    previous = cut;
  }
  if (axisSizes.empty())
    axisSizes.push_back(1);
  return true;
}

std::optional<InferredMesh> InferredMesh::infer(llvm::ArrayRef<const HloSharding *> shardings, std::string &whyNot) {
  InferredMesh mesh;
  size_t devices = shardings.front()->devices.size();
  for (const HloSharding *sharding : shardings)
    if (sharding->devices.size() != devices) {
      whyNot = "the program's shardings are for different numbers of devices";
      return std::nullopt;
    }
  if (mesh.addShardings(shardings, whyNot))
    return mesh;
  // Try the order of the first sharding that is out of order.
  for (const HloSharding *sharding : shardings)
    if (!computeDigits(*sharding, {})) {
      mesh.deviceIds = sharding->devices;
      if (mesh.addShardings(shardings, whyNot))
        return mesh;
      break;
    }
  return std::nullopt;
}

InferredMesh InferredMesh::makeLine(int64_t devices) {
  InferredMesh mesh;
  mesh.axisSizes = {devices};
  return mesh;
}

llvm::SmallVector<llvm::SmallVector<unsigned>> InferredMesh::computeAxes(const HloSharding &sharding) const {
  llvm::SmallVector<llvm::SmallVector<unsigned>> axes(sharding.dims.size());
  std::optional<DigitsPerDim> perDim = computeDigits(sharding, deviceIds);
  if (!perDim)
    return axes;
  llvm::SmallVector<int64_t> strides(axisSizes.size(), 1);
  for (size_t axis = axisSizes.size() - 1; axis > 0; --axis)
    strides[axis - 1] = strides[axis] * axisSizes[axis];
  for (auto [dim, digits] : llvm::enumerate(*perDim))
    for (const MeshDigit &digit : digits)
      for (unsigned axis = 0; axis < axisSizes.size(); ++axis)
        if (strides[axis] >= digit.stride && strides[axis] < digit.stride * digit.size)
          axes[dim].push_back(axis);
  return axes;
}

} // namespace partita::program::import
