//===- GivenSharding.cpp - shardings that are given with a program --------===//

#include "partita/Graph/GivenSharding.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::graph {

std::optional<AxisPart> parseAxisPart(llvm::StringRef text) {
  size_t colon = text.rfind(":(");
  if (colon == llvm::StringRef::npos)
    return text.empty() ? std::nullopt : std::optional(AxisPart{text.str(), 1, 0});
  AxisPart part;
  part.name = text.take_front(colon).str();
  auto [preSize, size] = text.drop_front(colon + 2).split(')');
  if (part.name.empty() || preSize.getAsInteger(10, part.preSize) || size.getAsInteger(10, part.size))
    return std::nullopt;
  if (part.preSize < 1 || part.size < 2)
    return std::nullopt;
  return part;
}

namespace {

/// Collects the axes of one sharding; reports the first that is unknown or appears twice.
class AxesTaken {
public:
  explicit AxesTaken(llvm::ArrayRef<GivenAxis> mesh) : mesh(mesh) {}

  Status take(llvm::ArrayRef<std::string> axes) {
    for (const std::string &text : axes)
      if (Status error = take(text))
        return error;
    return std::nullopt;
  }

private:
  Status take(const std::string &text) {
    std::optional<AxisPart> part = parseAxisPart(text);
    if (!part)
      return Error::badInput({}, "'" + text + "' is no axis; write model or model:(1)2");
    const GivenAxis *axis = llvm::find_if(mesh, [&](const GivenAxis &entry) { return entry.name == part->name; });
    if (axis == mesh.end())
      return Error::badInput({}, "'" + part->name + "' is not an axis of the mesh");
    if (part->size == 0)
      part->size = axis->size;
    // Compare quotients: products of numbers from a file may overflow.
    if (axis->size % part->preSize != 0 || axis->size / part->preSize % part->size != 0)
      return Error::badInput({}, "'" + text + "' is no part of an axis of size " + std::to_string(axis->size));
    auto overlaps = [&](const AxisPart &other) {
      return other.name == part->name && part->preSize < other.preSize * other.size &&
             other.preSize < part->preSize * part->size;
    };
    if (llvm::any_of(taken, overlaps))
      return Error::badInput({}, "'" + text + "' stands twice");
    taken.push_back(*part);
    return std::nullopt;
  }

  llvm::ArrayRef<GivenAxis> mesh;
  std::vector<AxisPart> taken;
};

} // namespace

Status verifyGivenSharding(const GivenSharding &sharding, size_t rank, llvm::ArrayRef<GivenAxis> mesh) {
  if (sharding.dims.size() != rank)
    return Error::badInput({}, "the sharding has " + std::to_string(sharding.dims.size()) + " dims, the cell " +
                                   std::to_string(rank));
  AxesTaken taken(mesh);
  for (const GivenDim &dim : sharding.dims) {
    if (dim.priority.value_or(0) < 0)
      return Error::badInput({}, "a priority is negative");
    if (Status error = taken.take(dim.axes))
      return error;
  }
  return taken.take(sharding.replicated);
}

static bool areCompatible(const GivenDim &a, const GivenDim &b) {
  const GivenDim &fewer = a.axes.size() <= b.axes.size() ? a : b, &more = &fewer == &a ? b : a;
  bool isPrefix = std::equal(fewer.axes.begin(), fewer.axes.end(), more.axes.begin());
  return isPrefix && (fewer.isOpen || fewer.axes.size() == more.axes.size());
}

/// Whether two axes, or parts of them, have devices in common.
static bool overlap(llvm::StringRef a, llvm::StringRef b) {
  std::optional<AxisPart> first = parseAxisPart(a), second = parseAxisPart(b);
  if (!first || !second || first->name != second->name)
    return false;
  bool isWhole = first->size == 0 || second->size == 0;
  return isWhole || (first->preSize < second->preSize * second->size && second->preSize < first->preSize * first->size);
}

static bool overlapAny(llvm::ArrayRef<std::string> a, llvm::ArrayRef<std::string> b) {
  return llvm::any_of(a, [&](const std::string &axis) {
    return llvm::any_of(b, [&](const std::string &other) { return overlap(axis, other); });
  });
}

/// Whether an axis of a dim of `a` splits another dim of `b`, or is one over which `b` stays whole.
static bool contradicts(const GivenSharding &a, const GivenSharding &b) {
  for (auto [number, dim] : llvm::enumerate(a.dims)) {
    if (overlapAny(dim.axes, b.replicated))
      return true;
    for (auto [other, otherDim] : llvm::enumerate(b.dims))
      if (number != other && overlapAny(dim.axes, otherDim.axes))
        return true;
  }
  return false;
}

bool areCompatible(const GivenSharding &a, const GivenSharding &b) {
  for (auto [first, second] : llvm::zip_equal(a.dims, b.dims))
    if (!areCompatible(first, second))
      return false;
  return !contradicts(a, b) && !contradicts(b, a);
}

} // namespace partita::graph
