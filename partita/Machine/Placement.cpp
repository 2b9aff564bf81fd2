//===- Placement.cpp - which levels of the machine a mesh axis runs over --===//
//
// Every level has a remaining size. Axes take from it, outermost level first;
// the strides follow when all sizes are taken.
//
//===----------------------------------------------------------------------===//

#include "partita/Machine/Placement.h"
#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <numeric>

namespace partita::machine {

namespace {

/// Allocates parts of levels to axes. The parts of one level nest in the order of allocation, which gives their
/// strides.
class Taker {
public:
  Taker(const Mesh &mesh, const Machine &machine) : mesh(mesh), machine(machine), left(machine.levels.size()) {
    for (auto [rest, level] : llvm::zip(left, machine.levels))
      rest = level.size;
    placement.axes.resize(mesh.axes.size());
  }

  /// Gives `size` positions of a level to the axis `index`.
  void take(uint32_t index, uint32_t level, int64_t size) {
    left[level] /= size;
    if (size > 1)
      placement.axes[index].push_back({level, size, left[level]});
  }

  /// Allocates the rest of the axis from what is left of the levels, outermost first.
  Status takeRowMajor(uint32_t index);
  Status takeNamed(uint32_t index, llvm::StringRef parts);

  int64_t getLeft(uint32_t level) const { return left[level]; }
  Placement finish() { return std::move(placement); }

private:
  int64_t getTaken(uint32_t index) const;
  Status takePart(uint32_t index, llvm::StringRef part);

  const Mesh &mesh;
  const Machine &machine;
  std::vector<int64_t> left;
  Placement placement;
};

} // namespace

static std::string printLevels(const Machine &machine) {
  std::string text;
  for (const Level &level : machine.levels)
    text += (text.empty() ? "" : ", ") + level.name + " (" + std::to_string(level.size) + ")";
  return text.empty() ? "none" : text;
}

static std::vector<llvm::StringRef> listLevels(const Machine &machine) {
  std::vector<llvm::StringRef> names;
  for (const Level &level : machine.levels)
    names.push_back(level.name);
  return names;
}

/// `name`, if it is near one of `known`, is a slip.
static Error placementError(const llvm::Twine &reason, const Machine &machine, llvm::StringRef name = "",
                            llvm::ArrayRef<llvm::StringRef> known = {}) {
  std::optional<llvm::StringRef> meant = findNearestName(name, known);
  return Error::usage(("placement on " + machine.name + ": " + reason).str())
      .withRemedy((meant ? "did you mean '" + meant->str() + "'? " : "") +
                  "write axis=level+level:size,..., as in data=node,model=nvlink; its levels are " +
                  printLevels(machine));
}

int64_t Taker::getTaken(uint32_t index) const {
  int64_t taken = 1;
  for (const LevelPart &part : placement.axes[index])
    taken *= part.size;
  return taken;
}

Status Taker::takeRowMajor(uint32_t index) {
  const MeshAxis &axis = mesh.axes[index];
  int64_t rest = axis.size / getTaken(index);
  for (uint32_t level = 0; level < left.size() && rest > 1; ++level) {
    if (left[level] == 1)
      continue;
    int64_t size = std::gcd(rest, left[level]);
    // An axis may end inside a level, but continues in the next only if this one is used up.
    if (size != rest && size != left[level])
      return placementError("axis '" + axis.name + "' of " + llvm::Twine(axis.size) +
                                " does not fit: " + llvm::Twine(rest) + " of it meet " + llvm::Twine(left[level]) +
                                " left of level '" + machine.levels[level].name + "', and neither divides the other",
                            machine);
    take(index, level, size);
    rest /= size;
  }
  if (rest == 1)
    return std::nullopt;
  return placementError("nothing is left for axis '" + axis.name + "'", machine);
}

Status Taker::takePart(uint32_t index, llvm::StringRef part) {
  const MeshAxis &axis = mesh.axes[index];
  auto [name, sizeText] = part.trim().split(':');
  std::optional<uint32_t> level = machine.findLevel(name.trim());
  if (!level)
    return placementError("there is no level '" + name.trim() + "'", machine, name.trim(), listLevels(machine));
  int64_t rest = axis.size / getTaken(index);
  int64_t size = std::gcd(rest, left[*level]);
  if (!sizeText.empty() && (sizeText.trim().getAsInteger(10, size) || size < 1))
    return placementError("'" + part + "' has no positive size", machine);
  if (rest % size != 0)
    return placementError(llvm::Twine(size) + " of level '" + name + "' do not divide axis '" + axis.name + "' of " +
                              llvm::Twine(axis.size),
                          machine);
  if (left[*level] % size != 0)
    return placementError("level '" + name + "' has " + llvm::Twine(left[*level]) + " left, which axis '" + axis.name +
                              "' cannot take " + llvm::Twine(size) + " of",
                          machine);
  take(index, *level, size);
  return std::nullopt;
}

Status Taker::takeNamed(uint32_t index, llvm::StringRef parts) {
  llvm::SmallVector<llvm::StringRef, 4> list;
  parts.split(list, '+');
  for (llvm::StringRef part : list)
    if (Status error = takePart(index, part))
      return error;
  const MeshAxis &axis = mesh.axes[index];
  if (getTaken(index) == axis.size)
    return std::nullopt;
  return placementError("axis '" + axis.name + "' of " + llvm::Twine(axis.size) + " gets only " +
                            llvm::Twine(getTaken(index)) + " devices from '" + parts + "'",
                        machine);
}

/// `h100-sxm:2x8` of h100-sxm:1x8 and 16 devices; empty for machines that are not hosts of devices.
static std::string suggestMachine(const Machine &machine, int64_t numDevices) {
  auto [preset, shape] = llvm::StringRef(machine.name).rsplit(':');
  if (machine.levels.size() != 2)
    return "";
  int64_t numHosts = machine.levels[0].size, perHost = machine.levels[1].size;
  if (shape != std::to_string(numHosts) + "x" + std::to_string(perHost) || machine.levels[0].name != "node")
    return "";
  if (numDevices < perHost)
    return preset.str() + ":1x" + std::to_string(numDevices);
  return numDevices % perHost
             ? ""
             : preset.str() + ":" + std::to_string(numDevices / perHost) + "x" + std::to_string(perHost);
}

static Status checkSizes(const Mesh &mesh, const Machine &machine) {
  int64_t wanted = mesh.getNumDevices(), present = machine.getNumDevices();
  if (wanted == present)
    return std::nullopt;
  std::string other = suggestMachine(machine, wanted);
  return Error::usage("mesh " + mesh.str() + " has " + std::to_string(wanted) + " devices, but machine " +
                      machine.name + " has " + std::to_string(present))
      .withRemedy(other.empty()
                      ? "change the axes' sizes or the machine's shape so that both have the same number; its "
                        "levels are " +
                            printLevels(machine)
                      : "take the machine " + other + ", or axes whose sizes multiply to " + std::to_string(present));
}

Result<Placement> placeRowMajor(const Mesh &mesh, const Machine &machine) { return parsePlacement("", mesh, machine); }

Result<Placement> parsePlacement(llvm::StringRef text, const Mesh &mesh, const Machine &machine) {
  if (Status error = checkSizes(mesh, machine))
    return *error;
  Taker taker(mesh, machine);
  std::vector<bool> named(mesh.axes.size());
  llvm::SmallVector<llvm::StringRef, 4> entries;
  text.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef entry : entries) {
    auto [name, parts] = entry.trim().split('=');
    std::optional<uint32_t> axis = mesh.findAxis(name.trim());
    if (!axis)
      return placementError("there is no axis '" + name.trim() + "' in mesh " + mesh.str(), machine, name.trim(),
                            mesh.listNames());
    if (named[*axis])
      return placementError("axis '" + name.trim() + "' stands twice", machine);
    named[*axis] = true;
    if (Status error = taker.takeNamed(*axis, parts))
      return *error;
  }
  for (uint32_t axis = 0; axis < mesh.axes.size(); ++axis)
    if (!named[axis])
      if (Status error = taker.takeRowMajor(axis))
        return *error;
  return taker.finish();
}

LevelParts placeSubAxis(const LevelParts &axis, int64_t preSize, int64_t size) {
  LevelParts parts;
  int64_t skip = preSize, rest = size;
  for (const LevelPart &part : axis) {
    int64_t skipped = std::gcd(skip, part.size);
    skip /= skipped;
    int64_t inner = part.size / skipped;
    if (skip > 1 && inner == 1)
      continue;
    int64_t taken = std::gcd(rest, inner);
    if (taken > 1)
      parts.push_back({part.level, taken, part.stride * (inner / taken)});
    rest /= taken;
    if (rest == 1)
      return parts;
  }
  // Does not divide along levels: the remainder runs over the outermost level of the axis.
  if (rest > 1 && !axis.empty())
    parts.insert(parts.begin(), LevelPart{axis.front().level, rest, axis.front().stride});
  return parts;
}

std::vector<int64_t> computeDeviceOrder(const Placement &placement, const Mesh &mesh, const Machine &machine) {
  std::vector<int64_t> levelStride(machine.levels.size(), 1);
  for (size_t i = machine.levels.size(); i-- > 1;)
    levelStride[i - 1] = levelStride[i] * machine.levels[i].size;
  std::vector<int64_t> order = {0};
  auto expand = [&order](int64_t size, int64_t stride) {
    std::vector<int64_t> next;
    next.reserve(order.size() * size);
    for (int64_t base : order)
      for (int64_t i = 0; i < size; ++i)
        next.push_back(base + i * stride);
    order = std::move(next);
  };
  for (const LevelParts &axis : placement.axes)
    for (const LevelPart &part : axis)
      expand(part.size, part.stride * levelStride[part.level]);
  return order;
}

/// Whether `axis` must precede `other`: it is further out on a level that both use.
static bool isOutside(const LevelParts &axis, const LevelParts &other) {
  for (const LevelPart &part : axis)
    for (const LevelPart &otherPart : other)
      if (part.level == otherPart.level)
        return part.stride > otherPart.stride;
  return false;
}

static std::string printParts(const LevelParts &parts, const Machine &machine) {
  std::string text;
  for (const LevelPart &part : parts) {
    const Level &level = machine.levels[part.level];
    text += (text.empty() ? "" : "+") + level.name;
    if (part.size != level.size)
      text += ":" + std::to_string(part.size);
  }
  return text;
}

std::string printPlacement(const Placement &placement, const Mesh &mesh, const Machine &machine) {
  std::vector<size_t> order;
  for (size_t axis = 0; axis < placement.axes.size(); ++axis) {
    auto isInside = [&](size_t other) { return isOutside(placement.axes[axis], placement.axes[other]); };
    order.insert(llvm::find_if(order, isInside), axis);
  }
  std::string text;
  for (size_t axis : order)
    if (!placement.axes[axis].empty())
      text += (text.empty() ? "" : ",") + mesh.axes[axis].name + "=" + printParts(placement.axes[axis], machine);
  return text;
}

} // namespace partita::machine
