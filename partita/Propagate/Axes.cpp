//===- Axes.cpp - the axes of a mesh, refined where a program needs it ----===//

#include "partita/Propagate/Axes.h"

#include <numeric>
#include <set>

namespace partita::propagate {

llvm::SmallVector<AxisId> Axes::getParts(uint32_t meshAxis) const {
  llvm::SmallVector<AxisId> parts;
  for (AxisId axis : idRange<AxisId>(list.size()))
    if (list[axis].meshAxis == meshAxis)
      parts.push_back(axis);
  return parts;
}

static std::string nameOf(const Mesh &mesh, uint32_t meshAxis, int64_t preSize, int64_t size) {
  const MeshAxis &axis = mesh.axes[meshAxis];
  if (size == axis.size)
    return axis.name;
  return axis.name + ":(" + std::to_string(preSize) + ")" + std::to_string(size);
}

std::string Axes::getName(AxisId axis) const {
  return nameOf(mesh, list[axis].meshAxis, list[axis].preSize, list[axis].size);
}

llvm::SmallVector<AxisId> Axes::find(llvm::StringRef name) const {
  std::optional<AxisPart> part = parseAxisPart(name);
  std::optional<uint32_t> meshAxis = part ? mesh.findAxis(part->name) : std::nullopt;
  if (!meshAxis)
    return {};
  int64_t size = part->size == 0 ? mesh.axes[*meshAxis].size : part->size;
  llvm::SmallVector<AxisId> found;
  int64_t next = part->preSize;
  for (AxisId axis : getParts(*meshAxis))
    if (list[axis].preSize == next && next < part->preSize * size) {
      found.push_back(axis);
      next *= list[axis].size;
    }
  return next == part->preSize * size ? found : llvm::SmallVector<AxisId>();
}

/// Adds the sub-axes of a mesh axis that is divided after each of `cuts`, an ascending list of sizes, each a divisor of
/// the next.
static void addParts(Axes &axes, uint32_t meshAxis, llvm::ArrayRef<int64_t> cuts) {
  int64_t behind = 1;
  for (size_t i = meshAxis + 1; i < axes.mesh.axes.size(); ++i)
    behind *= axes.mesh.axes[i].size;
  int64_t size = axes.mesh.axes[meshAxis].size, preSize = 1;
  llvm::SmallVector<int64_t> ends(cuts);
  ends.push_back(size);
  for (int64_t end : ends) {
    if (end > preSize)
      axes.list.push_back({meshAxis, preSize, end / preSize, behind * (size / end)});
    preSize = end;
  }
}

Axes makeAxes(const Mesh &mesh) {
  Axes axes{mesh, {}};
  for (uint32_t i = 0; i < mesh.axes.size(); ++i)
    addParts(axes, i, {});
  return axes;
}

/// Adds `cut` to an ascending list of divisors, unless one would not divide the next.
static void addCut(std::vector<int64_t> &chain, int64_t cut) {
  auto at = llvm::lower_bound(chain, cut);
  if (at != chain.end() && (*at == cut || *at % cut != 0))
    return;
  if (at != chain.begin() && cut % *std::prev(at) != 0)
    return;
  chain.insert(at, cut);
}

/// Divides a mesh axis before and after the part of it that `text` names, if it names one.
static void addCuts(std::vector<int64_t> &chain, const MeshAxis &axis, llvm::StringRef text) {
  std::optional<AxisPart> part = parseAxisPart(text);
  if (!part || part->name != axis.name || part->size == 0)
    return;
  if (axis.size % part->preSize != 0 || axis.size / part->preSize % part->size != 0)
    return;
  for (int64_t cut : {part->preSize, part->preSize * part->size})
    if (cut > 1 && cut < axis.size)
      addCut(chain, cut);
}

static std::vector<std::string> collectParts(const Graph &graph, llvm::ArrayRef<std::string> given) {
  std::vector<std::string> parts(given.begin(), given.end());
  for (const GivenSharding &sharding : graph.shardings) {
    for (const GivenDim &dim : sharding.dims)
      llvm::append_range(parts, dim.axes);
    llvm::append_range(parts, sharding.replicated);
  }
  return parts;
}

/// Divides an axis of `size` devices where it crosses from one factor of a compound dim to the next.
static std::set<int64_t> findBoundaryCuts(int64_t size, const Graph &graph) {
  std::set<int64_t> cuts;
  for (const SplitBoundary &boundary : graph.boundaries) {
    int64_t dimSize = graph.getShape(boundary.cell)[boundary.dim];
    if (boundary.stride <= 0 || dimSize <= 0 || dimSize % size != 0)
      continue;
    int64_t cut = std::gcd(size, dimSize / boundary.stride);
    if (cut > 1 && cut < size)
      cuts.insert(cut);
  }
  return cuts;
}

Axes refineAxes(const Mesh &mesh, const Graph &graph, llvm::ArrayRef<std::string> parts) {
  Axes axes{mesh, {}};
  std::vector<std::string> named = collectParts(graph, parts);
  for (uint32_t i = 0; i < mesh.axes.size(); ++i) {
    int64_t size = mesh.axes[i].size;
    std::vector<int64_t> cuts;
    for (const std::string &part : named)
      addCuts(cuts, mesh.axes[i], part);
    for (int64_t cut : findBoundaryCuts(size, graph))
      addCut(cuts, cut);
    addParts(axes, i, cuts);
  }
  return axes;
}

std::vector<std::string> getNames(const Axes &axes, llvm::ArrayRef<AxisId> list) {
  std::vector<std::string> names;
  for (size_t i = 0; i < list.size();) {
    Axis joined = axes[list[i++]];
    for (; i < list.size(); ++i) {
      const Axis &next = axes[list[i]];
      if (next.meshAxis != joined.meshAxis || next.preSize != joined.preSize * joined.size)
        break;
      joined.size *= next.size;
    }
    names.push_back(nameOf(axes.mesh, joined.meshAxis, joined.preSize, joined.size));
  }
  return names;
}

} // namespace partita::propagate
