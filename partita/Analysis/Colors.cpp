//===- Colors.cpp - classes of dims that are split alike ------------------===//

#include "partita/Analysis/Colors.h"

#include "partita/Propagate/ConflictClasses.h"

#include <map>
#include <numeric>

namespace partita::analysis {

namespace {

/// Union-find over dims; the smallest member represents a class.
class DimClasses {
public:
  explicit DimClasses(size_t size) : parents(size) { std::iota(parents.begin(), parents.end(), 0); }

  uint32_t find(DimId dim) {
    uint32_t item = dim.get();
    while (parents[item] != item)
      item = parents[item] = parents[parents[item]];
    return item;
  }
  void unite(DimId a, DimId b) {
    uint32_t left = find(a), right = find(b);
    parents[std::max(left, right)] = std::min(left, right);
  }
  /// Makes `get` return what `find` returns, until two classes are united. Parents are smaller, so they come first.
  void close() {
    for (uint32_t &parent : parents)
      parent = parents[parent];
  }
  uint32_t get(DimId dim) const { return parents[dim.get()]; }

private:
  std::vector<uint32_t> parents;
};

/// A class of dims that may become a color.
struct DimClass {
  uint32_t root = 0;
  std::vector<DimId> dims;
  int64_t bytes = 0;
  /// Whether a member of a group has such a dim.
  bool isCarried = false;
};

class ColorFinder {
public:
  ColorFinder(const Topology &topology, const Repetition &repetition, const ArgumentGroups &groups)
      : topology(topology), graph(topology.getGraph()), repetition(repetition), groups(groups),
        classes(topology.getNumDims()), openDims(topology.getNumOpFactors()) {}

  Colors run();

private:
  bool isOpen(OpFactorId opFactor) const { return openDims[opFactor].isValid(); }
  uint32_t getClass(OpFactorId opFactor) const { return classes.get(openDims[opFactor]); }
  void openFactors();
  void uniteOpFactors();
  /// Closes the current conflicts; returns whether there were any.
  bool closeConflicts();
  void uniteLayers();
  void addColors();
  void addColor(const DimClass &found);
  void addConflicts();

  const Topology &topology;
  const Graph &graph;
  const Repetition &repetition;
  const ArgumentGroups &groups;
  DimClasses classes;
  /// For each open op factor that unites dims, the first of its dims; invalid for all others.
  IdVector<OpFactorId, DimId> openDims;
  std::vector<Conflict> found;
  Colors colors;
};

} // namespace

void ColorFinder::openFactors() {
  for (OpFactorId opFactor : idRange<OpFactorId>(topology.getNumOpFactors()))
    if (llvm::ArrayRef<FactorDim> dims = topology.getDims(opFactor);
        !dims.empty() && topology.getSplitSize(opFactor) > 1 && !topology.isMinor(opFactor))
      openDims[opFactor] = dims.front().dim;
}

void ColorFinder::uniteOpFactors() {
  classes = DimClasses(topology.getNumDims());
  for (OpFactorId opFactor : idRange<OpFactorId>(topology.getNumOpFactors()))
    if (isOpen(opFactor))
      for (const FactorDim &entry : topology.getDims(opFactor).drop_front())
        classes.unite(openDims[opFactor], entry.dim);
  classes.close();
}

bool ColorFinder::closeConflicts() {
  // Conflicted nodes, grouped by the class that reaches them twice.
  std::map<uint32_t, std::vector<NodeId>> conflicted;
  for (NodeId node : idRange<NodeId>(topology.getNumNodes())) {
    llvm::SmallVector<uint32_t, 6> seen, twice;
    for (uint32_t factor = 0; factor < topology.getNumOpFactors(node); ++factor) {
      OpFactorId opFactor = topology.getOpFactor(node, static_cast<uint8_t>(factor));
      if (!isOpen(opFactor))
        continue;
      uint32_t root = getClass(opFactor);
      if (llvm::is_contained(seen, root) && !llvm::is_contained(twice, root))
        twice.push_back(root);
      seen.push_back(root);
    }
    for (uint32_t root : twice)
      conflicted[root].push_back(node);
  }
  for (const auto &[root, nodes] : conflicted) {
    auto isReachedDim = [&, root = root](DimId dim) { return classes.get(dim) == root; };
    auto isReachedFactor = [&, root = root](OpFactorId opFactor) {
      return isOpen(opFactor) && getClass(opFactor) == root;
    };
    llvm::append_range(found, findConflicts(topology, nodes, isReachedDim, isReachedFactor));
  }
  for (const Conflict &conflict : found)
    for (const ConflictSide &side : conflict.sides)
      for (OpFactorId opFactor : side.opFactors)
        openDims[opFactor] = DimId();
  return !conflicted.empty();
}

void ColorFinder::uniteLayers() {
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (CellId next = repetition.nextCells[cell]; next.isValid())
      for (uint32_t dim = 0; dim < graph.cells[cell].rank; ++dim)
        classes.unite(topology.getDim(cell, dim), topology.getDim(next, dim));
  classes.close();
}

void ColorFinder::addColor(const DimClass &found) {
  Color color;
  color.dims = found.dims;
  color.bytes = found.bytes;
  ColorId id(static_cast<uint32_t>(colors.list.size()));
  for (DimId dim : color.dims) {
    CellId cell = topology.getCell(dim);
    uint32_t number = topology.getDimNumber(dim);
    int64_t size = graph.getShape(cell)[number];
    color.size = dim == color.dims.front() || color.size == size ? size : 0;
    colors.ofDim[dim] = id;
    GroupId group = groups.ofCell[cell];
    if (group.isValid() && groups.list[group].kind != GroupKind::Inner)
      color.arguments.push_back({group, number});
  }
  llvm::sort(color.arguments);
  color.arguments.erase(llvm::unique(color.arguments), color.arguments.end());
  colors.list.push_back(std::move(color));
}

void ColorFinder::addColors() {
  constexpr uint32_t none = UINT32_MAX;
  std::vector<DimClass> found;
  std::vector<uint32_t> numbers(topology.getNumDims(), none);
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    if (topology.getRepresentative(cell) != cell)
      continue;
    int64_t bytes = graph.getBytes(cell);
    for (auto [number, size] : llvm::enumerate(graph.getShape(cell))) {
      if (size <= 1)
        continue;
      DimId dim = topology.getDim(cell, static_cast<uint32_t>(number));
      uint32_t root = classes.get(dim);
      if (numbers[root] == none) {
        numbers[root] = static_cast<uint32_t>(found.size());
        found.push_back({root, {}, 0, false});
      }
      DimClass &entry = found[numbers[root]];
      entry.dims.push_back(dim);
      entry.bytes += bytes;
      entry.isCarried |= groups.ofCell[cell].isValid();
    }
  }
  llvm::erase_if(found, [](const DimClass &entry) { return !entry.isCarried; });
  llvm::sort(found, [](const DimClass &a, const DimClass &b) {
    return std::pair(-a.bytes, a.root) < std::pair(-b.bytes, b.root);
  });
  colors.ofDim.resize(topology.getNumDims());
  for (const DimClass &entry : found)
    addColor(entry);
}

void ColorFinder::addConflicts() {
  for (const Conflict &conflict : found) {
    ColorConflict entry{{}, conflict, 1};
    for (const ConflictSide &side : conflict.sides) {
      ColorSide parts;
      for (DimId dim : side.dims)
        if (ColorId color = colors.ofDim[dim]; color.isValid())
          parts.colors.push_back(color);
      llvm::sort(parts.colors);
      parts.colors.erase(llvm::unique(parts.colors), parts.colors.end());
      entry.sides.push_back(std::move(parts));
    }
    auto isSame = [&](const ColorConflict &other) {
      NodeId mine = conflict.nodes.front(), its = other.first.nodes.front();
      bool isSameKind = topology.isOp(mine) && topology.isOp(its) &&
                        graph.ops[topology.getOp(mine)].opName == graph.ops[topology.getOp(its)].opName;
      return other.sides == entry.sides && isSameKind;
    };
    auto known = llvm::find_if(colors.conflicts, isSame);
    if (known != colors.conflicts.end())
      ++known->count;
    else
      colors.conflicts.push_back(std::move(entry));
  }
}

Colors ColorFinder::run() {
  openFactors();
  do
    uniteOpFactors();
  while (closeConflicts());
  uniteLayers();
  addColors();
  addConflicts();
  nameColors(topology, groups, colors);
  return std::move(colors);
}

Colors findColors(const Topology &topology, const Repetition &repetition, const ArgumentGroups &groups) {
  return ColorFinder(topology, repetition, groups).run();
}

} // namespace partita::analysis
