//===- ConflictClasses.cpp - conflicted nodes, sorted into conflicts ------===//

#include "partita/Propagate/ConflictClasses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <numeric>

namespace partita {

namespace {

/// Classes of the numbers 0 to n-1; a class is named by its smallest member.
class UnionFind {
public:
  explicit UnionFind(size_t size) : parents(size) { std::iota(parents.begin(), parents.end(), 0); }

  uint32_t find(uint32_t item) {
    while (parents[item] != item)
      item = parents[item] = parents[parents[item]];
    return item;
  }
  void unite(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    parents[std::max(a, b)] = std::min(a, b);
  }

private:
  std::vector<uint32_t> parents;
};

/// The reached slots of the conflicted nodes, numbered in ascending order.
struct ReachedSlots {
  std::vector<SlotId> slots;
  /// Of each slot, the number of its node among the conflicted ones.
  std::vector<uint32_t> nodes;
};

} // namespace

static ReachedSlots collectSlots(const Topology &topology, llvm::ArrayRef<NodeId> nodes,
                                 llvm::function_ref<bool(SlotId)> isReachedSlot) {
  ReachedSlots found;
  for (auto [number, node] : llvm::enumerate(nodes))
    for (uint32_t factor = 0; factor < topology.getNumSlots(node); ++factor)
      if (SlotId slot = topology.getSlot(node, factor); isReachedSlot(slot)) {
        found.slots.push_back(slot);
        found.nodes.push_back(number);
      }
  return found;
}

static bool hasTwoReachedDims(const Topology &topology, CellId cell, llvm::function_ref<bool(DimId)> isReachedDim) {
  unsigned count = 0;
  for (uint32_t dim = 0; dim < topology.getGraph().cells[cell].rank; ++dim)
    count += isReachedDim(topology.getDim(cell, dim));
  return count >= 2;
}

/// Unites slots that meet on a dim, and nodes that meet at a cell, of the cells that have two reached dims.
static void uniteOnSharedCells(const Topology &topology, const ReachedSlots &reached,
                               llvm::function_ref<bool(DimId)> isReachedDim, UnionFind &sides, UnionFind &conflicts) {
  llvm::DenseMap<uint32_t, uint32_t> slotOfDim, nodeOfCell;
  llvm::DenseMap<uint32_t, bool> isShared;
  for (auto [number, slot] : llvm::enumerate(reached.slots))
    for (const SlotDim &entry : topology.getDims(slot)) {
      CellId cell = topology.getCell(entry.dim);
      auto [known, isNew] = isShared.try_emplace(cell.get(), false);
      if (isNew)
        known->second = hasTwoReachedDims(topology, cell, isReachedDim);
      if (!known->second)
        continue;
      sides.unite(number, slotOfDim.try_emplace(entry.dim.get(), number).first->second);
      conflicts.unite(reached.nodes[number], nodeOfCell.try_emplace(cell.get(), reached.nodes[number]).first->second);
    }
}

/// In ascending order, each once. Many that stand close together are marked and read off, not compared.
static std::vector<DimId> sortDims(std::vector<DimId> dims) {
  constexpr uint32_t wordBits = 64;
  if (dims.empty())
    return dims;
  auto [least, most] = std::minmax_element(dims.begin(), dims.end());
  uint32_t base = least->get(), numWords = (most->get() - base) / wordBits + 1;
  if (numWords > dims.size()) {
    llvm::sort(dims);
    dims.erase(llvm::unique(dims), dims.end());
    return dims;
  }
  std::vector<uint64_t> words(numWords, 0);
  for (DimId dim : dims)
    words[(dim.get() - base) / wordBits] |= uint64_t(1) << ((dim.get() - base) % wordBits);
  dims.clear();
  for (uint32_t word = 0; word < numWords; ++word)
    for (uint64_t left = words[word]; left != 0; left &= left - 1)
      dims.push_back(DimId(base + word * wordBits + static_cast<uint32_t>(llvm::countr_zero(left))));
  return dims;
}

static std::vector<DimId> collectDims(const Topology &topology, llvm::ArrayRef<SlotId> slots) {
  std::vector<DimId> dims;
  for (SlotId slot : slots)
    for (const SlotDim &entry : topology.getDims(slot))
      dims.push_back(entry.dim);
  return sortDims(std::move(dims));
}

std::vector<Conflict> findConflicts(const Topology &topology, llvm::ArrayRef<NodeId> nodes,
                                    llvm::function_ref<bool(DimId)> isReachedDim,
                                    llvm::function_ref<bool(SlotId)> isReachedSlot) {
  ReachedSlots reached = collectSlots(topology, nodes, isReachedSlot);
  UnionFind sides(reached.slots.size()), classes(nodes.size());
  uniteOnSharedCells(topology, reached, isReachedDim, sides, classes);
  std::vector<Conflict> conflicts;
  // A class is met by its smallest member first.
  std::vector<size_t> conflictOf(nodes.size()), sideOf(reached.slots.size());
  for (uint32_t number = 0; number < nodes.size(); ++number) {
    uint32_t root = classes.find(number);
    if (root == number) {
      conflictOf[root] = conflicts.size();
      conflicts.emplace_back();
    }
    conflicts[conflictOf[root]].nodes.push_back(nodes[number]);
  }
  for (uint32_t number = 0; number < reached.slots.size(); ++number) {
    Conflict &conflict = conflicts[conflictOf[classes.find(reached.nodes[number])]];
    uint32_t root = sides.find(number);
    if (root == number) {
      sideOf[root] = conflict.sides.size();
      conflict.sides.emplace_back();
    }
    conflict.sides[sideOf[root]].slots.push_back(reached.slots[number]);
  }
  for (Conflict &conflict : conflicts)
    for (ConflictSide &side : conflict.sides)
      side.dims = collectDims(topology, side.slots);
  return conflicts;
}

/// Whether no node has two slots on the side. Slots are ascending, so those of one node are neighbours.
static bool isConsistent(const Topology &topology, const ConflictSide &side) {
  auto isSameNode = [&](SlotId a, SlotId b) { return topology.getNode(a) == topology.getNode(b); };
  return std::adjacent_find(side.slots.begin(), side.slots.end(), isSameNode) == side.slots.end();
}

std::optional<size_t> findChosenSide(const Topology &topology, const Conflict &conflict,
                                     llvm::function_ref<bool(DimId)> isChosen) {
  // A dim that two sides have says nothing about which of them is meant: the rows of x in x @ x^T.
  auto isShared = [&](DimId dim) {
    return llvm::count_if(conflict.sides, [&](const ConflictSide &side) {
             return std::binary_search(side.dims.begin(), side.dims.end(), dim);
           }) > 1;
  };
  std::optional<size_t> chosen;
  for (auto [number, side] : llvm::enumerate(conflict.sides)) {
    if (!llvm::any_of(side.dims, [&](DimId dim) { return isChosen(dim) && !isShared(dim); }))
      continue;
    if (chosen)
      return std::nullopt;
    chosen = number;
  }
  if (chosen && !isConsistent(topology, conflict.sides[*chosen]))
    return std::nullopt;
  return chosen;
}

} // namespace partita
