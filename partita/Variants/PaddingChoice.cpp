//===- PaddingChoice.cpp - which dims a search tries to pad ---------------===//

#include "partita/Variants/PaddingChoice.h"

#include "partita/Graph/LinkedDims.h"
#include "partita/Padding/UnevenTiles.h"
#include "partita/Schedule/CellNames.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::variants {

int64_t chooseMultiple(int64_t size, const Mesh &mesh) {
  auto wastes = [size](int64_t multiple) { return (size + multiple - 1) / multiple * multiple - size; };
  int64_t devices = mesh.getNumDevices();
  if (size < 2 || size % devices == 0)
    return 0;
  if (wastes(devices) * 50 <= size)
    return devices;
  int64_t best = 0;
  for (const MeshAxis &axis : mesh.axes) {
    // Where one axis divides the dim, it can be split already.
    if (axis.size > 1 && size % axis.size == 0)
      return 0;
    if (wastes(axis.size) * 8 <= size)
      best = std::max(best, axis.size);
  }
  return best;
}

/// The bytes of all values that have a dim of each class.
static std::vector<double> sumBytes(const Graph &graph, const LinkedDims &linked) {
  std::vector<double> bytes(linked.size(), 0);
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    for (auto [dim, size] : llvm::enumerate(graph.getShape(cell)))
      if (size > 1)
        bytes[linked.get(cell, dim)] += double(graph.getBytes(cell));
  return bytes;
}

/// For a dim that devices divide, but not the number of its windows.
static int64_t chooseDivisor(int64_t size, const Mesh &mesh) {
  int64_t devices = mesh.getNumDevices(), best = 0;
  if (size % devices == 0)
    return devices;
  for (const MeshAxis &axis : mesh.axes)
    if (axis.size > 1 && size % axis.size == 0)
      best = std::max(best, axis.size);
  return best;
}

std::vector<PadEntry> choosePadding(const Graph &graph, const Mesh &mesh) {
  constexpr double leastShare = 0.02;
  LinkedDims linked(graph);
  std::vector<double> bytes = sumBytes(graph, linked);
  double all = 0;
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    all += double(graph.getBytes(cell));
  CellNames names(graph);
  std::vector<uint8_t> isSlid = padding::findSlidDims(graph, linked);
  std::vector<uint8_t> isSeen(linked.size(), 0);
  std::vector<PadEntry> entries;
  for (CellId cell : graph.arguments)
    for (auto [dim, size] : llvm::enumerate(graph.getShape(cell))) {
      int64_t multiple = chooseMultiple(size, mesh);
      if (multiple == 0 && isSlid[linked.get(cell, dim)])
        multiple = chooseDivisor(size, mesh);
      if (multiple == 0 || std::exchange(isSeen[linked.get(cell, dim)], 1) != 0)
        continue;
      if (bytes[linked.get(cell, dim)] < all * leastShare)
        continue;
      if (Result<Pattern> pattern = Pattern::parse(escapePattern(names.getName(cell)), {}))
        entries.push_back({std::move(*pattern), static_cast<uint32_t>(dim), multiple});
    }
  return entries;
}

} // namespace partita::variants
