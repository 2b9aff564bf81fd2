//===- ConflictClasses.cpp - groups conflicted nodes into conflicts -------===//

#include "partita/Propagate/ConflictClasses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <numeric>

namespace partita::propagate {

namespace {

/// Union-find over the numbers 0 to n-1; the smallest member represents a class.
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

/// The reached op factors of the conflicted nodes, numbered in ascending order.
struct ReachedFactors {
  std::vector<OpFactorId> opFactors;
  /// For each op factor, the number of its node among the conflicted ones.
  std::vector<uint32_t> nodes;
};

} // namespace

static ReachedFactors collectOpFactors(const Topology &topology, llvm::ArrayRef<NodeId> nodes,
                                       llvm::function_ref<bool(OpFactorId)> isReachedFactor) {
  ReachedFactors found;
  for (auto [number, node] : llvm::enumerate(nodes))
    for (uint32_t factor = 0; factor < topology.getNumOpFactors(node); ++factor)
      if (OpFactorId opFactor = topology.getOpFactor(node, factor); isReachedFactor(opFactor)) {
        found.opFactors.push_back(opFactor);
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

/// For cells with two reached dims: unites op factors that share a dim, and nodes that share the cell.
static void uniteOnSharedCells(const Topology &topology, const ReachedFactors &reached,
                               llvm::function_ref<bool(DimId)> isReachedDim, UnionFind &sides, UnionFind &conflicts) {
  llvm::DenseMap<uint32_t, uint32_t> opFactorOfDim, nodeOfCell;
  llvm::DenseMap<uint32_t, bool> isShared;
  for (auto [number, opFactor] : llvm::enumerate(reached.opFactors))
    for (const FactorDim &entry : topology.getDims(opFactor)) {
      CellId cell = topology.getCell(entry.dim);
      auto [known, isNew] = isShared.try_emplace(cell.get(), false);
      if (isNew)
        known->second = hasTwoReachedDims(topology, cell, isReachedDim);
      if (!known->second)
        continue;
      sides.unite(number, opFactorOfDim.try_emplace(entry.dim.get(), number).first->second);
      conflicts.unite(reached.nodes[number], nodeOfCell.try_emplace(cell.get(), reached.nodes[number]).first->second);
    }
}

/// Sorts and removes duplicates. Dense numbers are marked in a table and read off, not compared.
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

static std::vector<DimId> collectDims(const Topology &topology, llvm::ArrayRef<OpFactorId> opFactors) {
  std::vector<DimId> dims;
  for (OpFactorId opFactor : opFactors)
    for (const FactorDim &entry : topology.getDims(opFactor))
      dims.push_back(entry.dim);
  return sortDims(std::move(dims));
}

std::vector<Conflict> findConflicts(const Topology &topology, llvm::ArrayRef<NodeId> nodes,
                                    llvm::function_ref<bool(DimId)> isReachedDim,
                                    llvm::function_ref<bool(OpFactorId)> isReachedFactor) {
  ReachedFactors reached = collectOpFactors(topology, nodes, isReachedFactor);
  UnionFind sides(reached.opFactors.size()), classes(nodes.size());
  uniteOnSharedCells(topology, reached, isReachedDim, sides, classes);
  std::vector<Conflict> conflicts;
  // The loop meets the smallest member of a class first.
  std::vector<size_t> conflictOf(nodes.size()), sideOf(reached.opFactors.size());
  for (uint32_t number = 0; number < nodes.size(); ++number) {
    uint32_t root = classes.find(number);
    if (root == number) {
      conflictOf[root] = conflicts.size();
      conflicts.emplace_back();
    }
    conflicts[conflictOf[root]].nodes.push_back(nodes[number]);
  }
  for (uint32_t number = 0; number < reached.opFactors.size(); ++number) {
    Conflict &conflict = conflicts[conflictOf[classes.find(reached.nodes[number])]];
    uint32_t root = sides.find(number);
    if (root == number) {
      sideOf[root] = conflict.sides.size();
      conflict.sides.emplace_back();
    }
    conflict.sides[sideOf[root]].opFactors.push_back(reached.opFactors[number]);
  }
  for (Conflict &conflict : conflicts)
    for (ConflictSide &side : conflict.sides)
      side.dims = collectDims(topology, side.opFactors);
  return conflicts;
}

/// Whether no node has two op factors on the side. Op factors are ascending, so those of one node are adjacent.
static bool isConsistent(const Topology &topology, const ConflictSide &side) {
  auto isSameNode = [&](OpFactorId a, OpFactorId b) { return topology.getNode(a) == topology.getNode(b); };
  return std::adjacent_find(side.opFactors.begin(), side.opFactors.end(), isSameNode) == side.opFactors.end();
}

std::optional<size_t> findChosenSide(const Topology &topology, const Conflict &conflict,
                                     llvm::function_ref<bool(DimId)> isChosen) {
  // A dim of two sides does not decide between them: the rows of x in x @ x^T.
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

} // namespace partita::propagate
