//===- PlacementMatrix.cpp - the ways to lay a mesh on a machine ----------===//

#include "partita/Machine/PlacementMatrix.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace partita::machine {

namespace {

/// Fills matrices column by column. Whatever a column takes, the other columns can be filled: for each prime, what is
/// left of the rows is what is left of the columns.
class MatrixLister {
public:
  MatrixLister(llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> levels, size_t most)
      : levels(levels), most(most), rest(axes.begin(), axes.end()),
        matrix(axes.size(), llvm::SmallVector<int64_t, 4>(levels.size(), 1)) {}

  std::vector<PlacementMatrix> run() {
    fillLevel(0);
    return std::move(found);
  }

private:
  void fillLevel(size_t level) {
    if (level == levels.size())
      found.push_back(matrix);
    else
      fillEntry(level, 0, levels[level]);
  }

  /// Whether the axes from `axis` on can take `left` positions.
  bool canTake(size_t axis, int64_t left) const {
    for (; axis < rest.size(); ++axis)
      left /= std::gcd(left, rest[axis]);
    return left == 1;
  }

  void fillEntry(size_t level, size_t axis, int64_t left) {
    if (axis == rest.size()) {
      fillLevel(level + 1);
      return;
    }
    int64_t limit = std::gcd(left, rest[axis]);
    for (int64_t size = 1; size <= limit && found.size() < most; ++size) {
      if (limit % size != 0 || !canTake(axis + 1, left / size))
        continue;
      matrix[axis][level] = size;
      rest[axis] /= size;
      fillEntry(level, axis + 1, left / size);
      rest[axis] *= size;
    }
    matrix[axis][level] = 1;
  }

  llvm::ArrayRef<int64_t> levels;
  size_t most;
  /// What each axis still has to take.
  llvm::SmallVector<int64_t, 4> rest;
  PlacementMatrix matrix;
  std::vector<PlacementMatrix> found;
};

} // namespace

std::vector<PlacementMatrix> listMatrices(llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> levels, size_t most) {
  auto multiply = [](llvm::ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
  };
  if (multiply(axes) != multiply(levels))
    return {};
  return MatrixLister(axes, levels, most).run();
}

/// Lists of levels in which each level stands for one like it: dims of one torus with equal figures change places.
static std::vector<std::vector<uint32_t>> listAlikeLevels(const Machine &machine) {
  std::vector<uint32_t> identity(machine.levels.size());
  std::iota(identity.begin(), identity.end(), 0);
  auto isAlike = [&](uint32_t a, uint32_t b) {
    Level other = machine.levels[b];
    other.name = machine.levels[a].name;
    auto isDim = [](const Level &level) { return level.isTorusDim(); };
    return std::all_of(machine.levels.begin() + std::min(a, b), machine.levels.begin() + std::max(a, b) + 1, isDim) &&
           machine.levels[a] == other;
  };
  std::vector<std::vector<uint32_t>> lists;
  std::vector<uint32_t> list = identity;
  // A machine has at most a handful of levels.
  constexpr size_t mostLevels = 6;
  do {
    if (llvm::all_of(identity, [&](uint32_t level) { return level == list[level] || isAlike(level, list[level]); }))
      lists.push_back(list);
  } while (identity.size() <= mostLevels && std::next_permutation(list.begin(), list.end()));
  return lists;
}

std::vector<std::vector<int64_t>> describePlacement(const Placement &placement, const Mesh &mesh,
                                                    const Machine &machine, bool areAxesAlike) {
  std::vector<std::vector<int64_t>> least;
  for (const std::vector<uint32_t> &levels : listAlikeLevels(machine)) {
    std::vector<std::vector<int64_t>> rows;
    for (auto [axis, parts] : llvm::zip(mesh.axes, placement.axes)) {
      std::vector<std::array<int64_t, 3>> entries;
      for (const LevelPart &part : parts)
        entries.push_back({levels[part.level], part.size, machine.levels[part.level].isTorusDim() ? part.stride : 0});
      llvm::sort(entries);
      std::vector<int64_t> &row = rows.emplace_back(1, axis.size);
      for (const auto &entry : entries)
        llvm::append_range(row, entry);
    }
    if (areAxesAlike)
      llvm::sort(rows);
    if (least.empty() || rows < least)
      least = std::move(rows);
  }
  return least;
}

Placement placeMatrix(const PlacementMatrix &matrix, llvm::ArrayRef<uint32_t> order, const Machine &machine) {
  Placement placement;
  placement.axes.resize(matrix.size());
  for (uint32_t level = 0; level < machine.levels.size(); ++level) {
    int64_t stride = machine.levels[level].size;
    for (uint32_t axis : order) {
      stride /= matrix[axis][level];
      if (matrix[axis][level] > 1)
        placement.axes[axis].push_back({level, matrix[axis][level], stride});
    }
  }
  return placement;
}

/// Whether axes share a dim of a torus, where the order in which they nest makes a difference.
static bool isOrderSeen(const PlacementMatrix &matrix, const Machine &machine) {
  for (const auto &[index, level] : llvm::enumerate(machine.levels)) {
    size_t column = index;
    auto isThere = [&](const auto &row) { return row[column] > 1; };
    if (level.isTorusDim() && llvm::count_if(matrix, isThere) > 1)
      return true;
  }
  return false;
}

std::vector<Placement> listPlacements(const Mesh &mesh, const Machine &machine, bool areAxesAlike) {
  constexpr size_t mostNested = 4;
  llvm::SmallVector<int64_t, 4> axes, levels;
  for (const MeshAxis &axis : mesh.axes)
    axes.push_back(axis.size);
  for (const Level &level : machine.levels)
    levels.push_back(level.size);
  std::vector<Placement> placements;
  std::set<std::vector<std::vector<int64_t>>> seen;
  auto add = [&](const Placement &placement) {
    // Orders that differ from level to level cannot be written.
    Result<Placement> written = parsePlacement(printPlacement(placement, mesh, machine), mesh, machine);
    if (written && *written == placement &&
        seen.insert(describePlacement(placement, mesh, machine, areAxesAlike)).second)
      placements.push_back(placement);
  };
  if (Result<Placement> rowMajor = placeRowMajor(mesh, machine))
    add(*rowMajor);
  for (const PlacementMatrix &matrix : listMatrices(axes, levels)) {
    std::vector<uint32_t> order(axes.size());
    std::iota(order.begin(), order.end(), 0);
    bool areNested = axes.size() <= mostNested && isOrderSeen(matrix, machine);
    do
      add(placeMatrix(matrix, order, machine));
    while (areNested && std::next_permutation(order.begin(), order.end()));
  }
  return placements;
}

Result<Placement> findPlacement(llvm::StringRef text, const Mesh &mesh, const Machine &machine) {
  Result<Placement> placement = parsePlacement(text, mesh, machine);
  if (placement || !text.empty())
    return placement;
  std::vector<Placement> others = listPlacements(mesh, machine);
  return others.empty() ? placement : others.front();
}

} // namespace partita::machine
