//===- Colours.cpp - dims that are sharded alike --------------------------===//

#include "partita/Analysis/Colours.h"

#include "partita/Propagate/ConflictClasses.h"

#include <map>
#include <numeric>

namespace partita {

namespace {

/// Classes of dims; a class is named by its smallest member.
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
  /// From now on, until two are united, `get` is what `find` is. Parents are smaller, so they come first.
  void close() {
    for (uint32_t &parent : parents)
      parent = parents[parent];
  }
  uint32_t get(DimId dim) const { return parents[dim.get()]; }

private:
  std::vector<uint32_t> parents;
};

/// What may become a colour.
struct DimClass {
  uint32_t root = 0;
  std::vector<DimId> dims;
  int64_t bytes = 0;
  /// Whether a member of a group has such a dim.
  bool isCarried = false;
};

class ColourFinder {
public:
  ColourFinder(const Topology &topology, const Repetition &repetition, const ArgumentGroups &groups)
      : topology(topology), graph(topology.getGraph()), repetition(repetition), groups(groups),
        classes(topology.getNumDims()), openDims(topology.getNumSlots()) {}

  Colours run();

private:
  bool isOpen(SlotId slot) const { return openDims[slot].isValid(); }
  uint32_t getClass(SlotId slot) const { return classes.get(openDims[slot]); }
  void openSlots();
  void uniteSlots();
  /// Closes the conflicts that there are; whether there are any.
  bool closeConflicts();
  void uniteLayers();
  void addColours();
  void addColour(const DimClass &found);
  void addConflicts();

  const Topology &topology;
  const Graph &graph;
  const Repetition &repetition;
  const ArgumentGroups &groups;
  DimClasses classes;
  /// Of each slot that unites its dims, the first of them; invalid for others and for those that were closed.
  IdVector<SlotId, DimId> openDims;
  std::vector<Conflict> found;
  Colours colours;
};

} // namespace

void ColourFinder::openSlots() {
  for (SlotId slot : idRange<SlotId>(topology.getNumSlots()))
    if (llvm::ArrayRef<SlotDim> dims = topology.getDims(slot);
        !dims.empty() && topology.getSplitSize(slot) > 1 && !topology.isMinor(slot))
      openDims[slot] = dims.front().dim;
}

void ColourFinder::uniteSlots() {
  classes = DimClasses(topology.getNumDims());
  for (SlotId slot : idRange<SlotId>(topology.getNumSlots()))
    if (isOpen(slot))
      for (const SlotDim &entry : topology.getDims(slot).drop_front())
        classes.unite(openDims[slot], entry.dim);
  classes.close();
}

bool ColourFinder::closeConflicts() {
  // Conflicted nodes by the class that reaches them twice.
  std::map<uint32_t, std::vector<NodeId>> conflicted;
  for (NodeId node : idRange<NodeId>(topology.getNumNodes())) {
    llvm::SmallVector<uint32_t, 6> seen, twice;
    for (uint32_t factor = 0; factor < topology.getNumSlots(node); ++factor) {
      SlotId slot = topology.getSlot(node, static_cast<uint8_t>(factor));
      if (!isOpen(slot))
        continue;
      uint32_t root = getClass(slot);
      if (llvm::is_contained(seen, root) && !llvm::is_contained(twice, root))
        twice.push_back(root);
      seen.push_back(root);
    }
    for (uint32_t root : twice)
      conflicted[root].push_back(node);
  }
  for (const auto &[root, nodes] : conflicted) {
    auto isReachedDim = [&, root = root](DimId dim) { return classes.get(dim) == root; };
    auto isReachedSlot = [&, root = root](SlotId slot) { return isOpen(slot) && getClass(slot) == root; };
    llvm::append_range(found, findConflicts(topology, nodes, isReachedDim, isReachedSlot));
  }
  for (const Conflict &conflict : found)
    for (const ConflictSide &side : conflict.sides)
      for (SlotId slot : side.slots)
        openDims[slot] = DimId();
  return !conflicted.empty();
}

void ColourFinder::uniteLayers() {
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (CellId next = repetition.nextCells[cell]; next.isValid())
      for (uint32_t dim = 0; dim < graph.cells[cell].rank; ++dim)
        classes.unite(topology.getDim(cell, dim), topology.getDim(next, dim));
  classes.close();
}

void ColourFinder::addColour(const DimClass &found) {
  Colour colour;
  colour.dims = found.dims;
  colour.bytes = found.bytes;
  ColourId id(static_cast<uint32_t>(colours.list.size()));
  for (DimId dim : colour.dims) {
    CellId cell = topology.getCell(dim);
    uint32_t number = topology.getDimNumber(dim);
    int64_t size = graph.getShape(cell)[number];
    colour.size = dim == colour.dims.front() || colour.size == size ? size : 0;
    colours.ofDim[dim] = id;
    GroupId group = groups.ofCell[cell];
    if (group.isValid() && groups.list[group].kind != GroupKind::Inner)
      colour.arguments.push_back({group, number});
  }
  llvm::sort(colour.arguments);
  colour.arguments.erase(llvm::unique(colour.arguments), colour.arguments.end());
  colours.list.push_back(std::move(colour));
}

void ColourFinder::addColours() {
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
  colours.ofDim.resize(topology.getNumDims());
  for (const DimClass &entry : found)
    addColour(entry);
}

void ColourFinder::addConflicts() {
  for (const Conflict &conflict : found) {
    ColourConflict entry{{}, conflict, 1};
    for (const ConflictSide &side : conflict.sides) {
      ColourSide parts;
      for (DimId dim : side.dims)
        if (ColourId colour = colours.ofDim[dim]; colour.isValid())
          parts.colours.push_back(colour);
      llvm::sort(parts.colours);
      parts.colours.erase(llvm::unique(parts.colours), parts.colours.end());
      entry.sides.push_back(std::move(parts));
    }
    auto isSame = [&](const ColourConflict &other) {
      NodeId mine = conflict.nodes.front(), its = other.first.nodes.front();
      bool isSameKind = topology.isOp(mine) && topology.isOp(its) &&
                        graph.ops[topology.getOp(mine)].opName == graph.ops[topology.getOp(its)].opName;
      return other.sides == entry.sides && isSameKind;
    };
    auto known = llvm::find_if(colours.conflicts, isSame);
    if (known != colours.conflicts.end())
      ++known->count;
    else
      colours.conflicts.push_back(std::move(entry));
  }
}

Colours ColourFinder::run() {
  openSlots();
  do
    uniteSlots();
  while (closeConflicts());
  uniteLayers();
  addColours();
  addConflicts();
  nameColours(topology, groups, colours);
  return std::move(colours);
}

Colours findColours(const Topology &topology, const Repetition &repetition, const ArgumentGroups &groups) {
  return ColourFinder(topology, repetition, groups).run();
}

} // namespace partita
