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

private:
  std::vector<uint32_t> parents;
};

class ColourFinder {
public:
  ColourFinder(const Topology &topology, const Repetition &repetition, const ArgumentGroups &groups)
      : topology(topology), graph(topology.getGraph()), repetition(repetition), groups(groups),
        classes(topology.getNumDims()), isClosed(topology.getNumSlots(), 0) {}

  Colours run();

private:
  bool isOpen(SlotId slot) const {
    return !isClosed[slot] && topology.getSplitSize(slot) > 1 && !topology.isMinor(slot) &&
           !topology.getDims(slot).empty();
  }
  uint32_t classOf(SlotId slot) { return classes.find(topology.getDims(slot).front().dim); }
  void uniteSlots();
  /// Closes the conflicts that there are; whether there are any.
  bool closeConflicts();
  void uniteLayers();
  void addColours();
  void addColour(uint32_t root);
  void addConflicts();

  const Topology &topology;
  const Graph &graph;
  const Repetition &repetition;
  const ArgumentGroups &groups;
  DimClasses classes;
  IdVector<SlotId, uint8_t> isClosed;
  std::vector<Conflict> found;
  std::map<uint32_t, std::vector<DimId>> dimsOfClass;
  Colours colours;
};

} // namespace

void ColourFinder::uniteSlots() {
  classes = DimClasses(topology.getNumDims());
  for (SlotId slot : idRange<SlotId>(topology.getNumSlots()))
    if (isOpen(slot))
      for (const SlotDim &entry : topology.getDims(slot))
        classes.unite(topology.getDims(slot).front().dim, entry.dim);
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
      uint32_t root = classOf(slot);
      if (llvm::is_contained(seen, root) && !llvm::is_contained(twice, root))
        twice.push_back(root);
      seen.push_back(root);
    }
    for (uint32_t root : twice)
      conflicted[root].push_back(node);
  }
  for (const auto &[root, nodes] : conflicted) {
    auto isReachedDim = [&, root = root](DimId dim) { return classes.find(dim) == root; };
    auto isReachedSlot = [&, root = root](SlotId slot) { return isOpen(slot) && classOf(slot) == root; };
    llvm::append_range(found, findConflicts(topology, nodes, isReachedDim, isReachedSlot));
  }
  for (const Conflict &conflict : found)
    for (const ConflictSide &side : conflict.sides)
      for (SlotId slot : side.slots)
        isClosed[slot] = 1;
  return !conflicted.empty();
}

void ColourFinder::uniteLayers() {
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (CellId next = repetition.nextCells[cell]; next.isValid())
      for (uint32_t dim = 0; dim < graph.cells[cell].rank; ++dim)
        classes.unite(topology.getDim(cell, dim), topology.getDim(next, dim));
}

void ColourFinder::addColour(uint32_t root) {
  Colour colour;
  colour.dims = dimsOfClass[root];
  ColourId id(static_cast<uint32_t>(colours.list.size()));
  for (DimId dim : colour.dims) {
    CellId cell = topology.getCell(dim);
    uint32_t number = topology.getDimNumber(dim);
    int64_t size = graph.getShape(cell)[number];
    colour.size = dim == colour.dims.front() || colour.size == size ? size : 0;
    colour.bytes += graph.getBytes(cell);
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
  std::map<uint32_t, int64_t> bytes;
  std::map<uint32_t, bool> isCarried;
  for (DimId dim : idRange<DimId>(topology.getNumDims())) {
    CellId cell = topology.getCell(dim);
    if (graph.getShape(cell)[topology.getDimNumber(dim)] <= 1)
      continue;
    uint32_t root = classes.find(dim);
    dimsOfClass[root].push_back(dim);
    bytes[root] += graph.getBytes(cell);
    isCarried[root] |= groups.ofCell[cell].isValid();
  }
  std::vector<std::pair<int64_t, uint32_t>> order;
  for (const auto &[root, amount] : bytes)
    if (isCarried[root])
      order.push_back({-amount, root});
  llvm::sort(order);
  colours.ofDim.resize(topology.getNumDims());
  for (auto [unused, root] : order)
    addColour(root);
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
                        graph.ops[topology.getOp(mine)].kind == graph.ops[topology.getOp(its)].kind;
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
