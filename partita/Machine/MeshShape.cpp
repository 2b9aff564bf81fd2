//===- MeshShape.cpp - meshes of some devices, with their placements ------===//

#include "partita/Machine/MeshShape.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <numeric>

namespace partita::machine {

using Row = PlacementMatrix::value_type;

static int64_t multiply(const Row &row) {
  return std::accumulate(row.begin(), row.end(), int64_t(1), std::multiplies<>());
}

llvm::SmallVector<int64_t, 4> MeshShape::getSizes() const {
  llvm::SmallVector<int64_t, 4> sizes;
  for (const Row &row : rows)
    sizes.push_back(multiply(row));
  return sizes;
}

MeshShape makeWhole(const Machine &machine) {
  Row row;
  for (const Level &level : machine.levels)
    row.push_back(level.size);
  return {{std::move(row)}};
}

std::optional<Placement> placeShape(const MeshShape &shape, const Mesh &mesh, const Machine &machine) {
  std::vector<uint32_t> order(shape.rows.size());
  std::iota(order.begin(), order.end(), 0);
  Placement placement = placeMatrix(shape.rows, order, machine);
  Result<Placement> written = parsePlacement(printPlacement(placement, mesh, machine), mesh, machine);
  if (!written || *written != placement)
    return std::nullopt;
  return placement;
}

/// All rows whose entries divide those of `row`, but for the row itself and that of one device.
static std::vector<Row> listParts(const Row &row) {
  std::vector<Row> parts{Row()};
  for (int64_t size : row) {
    std::vector<Row> longer;
    for (const Row &part : parts)
      for (int64_t taken = size; taken >= 1; --taken)
        if (size % taken == 0) {
          longer.push_back(part);
          longer.back().push_back(taken);
        }
    parts = std::move(longer);
  }
  llvm::erase_if(parts, [&](const Row &part) { return part == row || multiply(part) == 1; });
  return parts;
}

/// Whether devices are numbered alike: an axis takes part of a level only if those before it take nothing of the levels
/// further in.
static bool isRowMajor(const MeshShape &shape) {
  size_t last = 0;
  for (const Row &row : shape.rows)
    for (auto [level, size] : llvm::enumerate(row)) {
      if (size > 1 && level < last)
        return false;
      if (size > 1)
        last = level;
    }
  return true;
}

std::vector<ShapeCut> listCuts(const MeshShape &shape, const Machine &machine) {
  std::vector<ShapeCut> cuts, others;
  for (auto [axis, row] : llvm::enumerate(shape.rows))
    for (Row &outer : listParts(row)) {
      Row inner = row;
      for (auto [size, taken] : llvm::zip_equal(inner, outer))
        size /= taken;
      ShapeCut cut{shape, static_cast<uint32_t>(axis)};
      cut.shape.rows[axis] = std::move(inner);
      cut.shape.rows.insert(cut.shape.rows.begin() + static_cast<ptrdiff_t>(axis), std::move(outer));
      (isRowMajor(cut.shape) ? cuts : others).push_back(std::move(cut));
    }
  llvm::append_range(cuts, others);
  return cuts;
}

} // namespace partita::machine
