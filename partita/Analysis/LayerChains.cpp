//===- LayerChains.cpp - corresponding items of repeated layers -----------===//

#include "partita/Analysis/LayerChains.h"

#include <map>
#include <optional>

namespace partita::analysis {

LayerChains::LayerChains(const Topology &topology, const Repetition &repetition)
    : topology(topology), numLayers(repetition.numMaps, 0) {
  ofItem.resize(getNumItems());
  indices.resize(getNumItems(), 0);
  addChains(repetition);
  addLinks();
  countLayers();
  align();
}

ItemId LayerChains::getMember(ChainId id, int32_t position) const {
  const LayerChain &chain = list[id];
  if (position < chain.first || position >= chain.getEnd())
    return ItemId();
  return items[chain.begin + static_cast<uint32_t>(position - chain.first)];
}

/// The boundary values, in order.
static std::vector<CellId> collectBoundaryCells(const Topology &topology) {
  std::vector<CellId> cells;
  for (size_t node = topology.getGraph().ops.size(); node < topology.getNumNodes(); ++node)
    cells.push_back(topology.getBoundaryCell(NodeId(static_cast<uint32_t>(node))));
  return cells;
}

void LayerChains::addChains(const Repetition &repetition) {
  const Graph &graph = topology.getGraph();
  IdVector<ItemId, ItemId> next(getNumItems());
  IdVector<ItemId, RepetitionMapId> maps(getNumItems());
  std::vector<uint8_t> hasLast(getNumItems(), 0);
  auto add = [&](ItemId from, ItemId to, RepetitionMapId map) {
    next[from] = to;
    maps[from] = map;
    hasLast[to.get()] = 1;
  };
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (OpId to = repetition.nextOps[op]; to.isValid())
      add(getItem(op), getItem(to), repetition.opMaps[op]);
  for (CellId cell : collectBoundaryCells(topology))
    if (CellId to = repetition.nextCells[cell]; to.isValid())
      add(getItem(cell), getItem(to), repetition.cellMaps[cell]);
  for (RegionId region : idRange<RegionId>(graph.regions.size()))
    if (RegionId to = repetition.nextRegions[region]; to.isValid())
      add(getItem(region), getItem(to), repetition.regionMaps[region]);
  // A cycle has no head, and is not a chain.
  for (ItemId head : idRange<ItemId>(getNumItems())) {
    if (hasLast[head.get()] || !next[head].isValid())
      continue;
    ChainId id = list.push_back({maps[head], static_cast<uint32_t>(items.size()), 0, 0});
    for (ItemId item = head; item.isValid(); item = next[item]) {
      ofItem[item] = id;
      indices[item] = list[id].size++;
      items.push_back(item);
    }
  }
}

void LayerChains::addLinks() {
  const Graph &graph = topology.getGraph();
  auto add = [&](ItemId a, ItemId b) {
    if (a.isValid() && b.isValid() && (ofItem[a].isValid() || ofItem[b].isValid()))
      links.push_back({a, b});
  };
  // The program's own region does not repeat, so it has no links.
  auto repeats = [&](RegionId region) { return ofItem[getItem(region)].isValid(); };
  bool anyRepeats = llvm::any_of(
      list.raw(), [&](const LayerChain &chain) { return items[chain.begin].get() >= topology.getNumNodes(); });
  auto addRegion = [&](ItemId item, RegionId region) {
    if (anyRepeats && repeats(region))
      add(item, getItem(region));
  };
  for (const Tie &tie : graph.ties)
    add(getItem(tie.argument), getItem(tie.result));
  std::vector<CellId> boundaryCells = collectBoundaryCells(topology);
  if (anyRepeats || llvm::any_of(boundaryCells, [&](CellId cell) { return !topology.getDefinitions(cell).empty(); }))
    for (OpId op : idRange<OpId>(graph.ops.size())) {
      addRegion(getItem(op), graph.ops[op].region);
      for (CellId cell : graph.getResults(op))
        if (topology.getBoundaryNode(cell).isValid())
          add(getItem(op), getItem(cell));
    }
  for (CellId cell : boundaryCells)
    addRegion(getItem(cell), graph.cells[cell].region);
  for (RegionId region : idRange<RegionId>(graph.regions.size()))
    if (RegionId parent = graph.regions[region].parent; parent.isValid())
      addRegion(getItem(region), parent);
}

/// The most frequent length of chains of ops; of two, the shorter one.
void LayerChains::countLayers() {
  std::map<std::pair<RepetitionMapId, uint32_t>, size_t> counts;
  for (const LayerChain &chain : list.raw())
    if (isOp(items[chain.begin]))
      ++counts[{chain.map, chain.size}];
  IdVector<RepetitionMapId, size_t> most(numLayers.size(), 0);
  for (auto [key, count] : counts)
    if (count > most[key.first]) {
      most[key.first] = count;
      numLayers[key.first] = static_cast<int32_t>(key.second);
    }
}

void LayerChains::setFirst(ChainId id, int32_t first) {
  isAligned[id] = 1;
  list[id].first = first;
  for (const RigidLink &link : linksOfChain[id]) {
    ChainId other = getChain(link.b);
    if (other.isValid() && !isAligned[other] && list[other].map == list[id].map)
      setFirst(other, getPosition(link.a) - static_cast<int32_t>(indices[link.b]));
  }
}

/// Aligns chains whose length is the number of layers: those of the forward pass, and contractions, which cannot be
/// mistaken for anything else.
void LayerChains::alignWholeChains() {
  for (ChainId id : idRange<ChainId>(list.size())) {
    bool isWhole = static_cast<int32_t>(list[id].size) == numLayers[list[id].map];
    ItemId item = getMiddle(id);
    if (isAligned[id] || !isWhole || !isOp(item))
      continue;
    if (isForward(OpId(item.get())) || topology.getGraph().ops[OpId(item.get())].opClass == OpClass::Contraction)
      setFirst(id, 0);
  }
}

/// Aligns a chain with the first of its users that has a position.
bool LayerChains::alignByUsers(ChainId id, bool onlyForward) {
  ItemId item = getMiddle(id);
  std::optional<int32_t> position;
  auto visit = [&](CellId cell) {
    for (UseId use : topology.getUses(cell)) {
      OpId user = topology.getUser(use);
      ChainId chain = getChain(getItem(user));
      if (chain.isValid() && isAligned[chain] && list[chain].map == list[id].map && (!onlyForward || isForward(user)))
        position = std::min(position.value_or(INT32_MAX), getPosition(getItem(user)));
    }
  };
  if (isOp(item))
    llvm::for_each(topology.getGraph().getResults(OpId(item.get())), visit);
  else if (NodeId node(item.get()); node.get() < topology.getNumNodes())
    visit(topology.getBoundaryCell(node));
  if (position)
    setFirst(id, *position - static_cast<int32_t>(indices[item]));
  return position.has_value();
}

/// Aligns a chain with the last of its operands that is a gradient and has a position; if there is none, and not
/// `onlyGradients`, with the last operand.
bool LayerChains::alignByOperands(ChainId id, bool onlyGradients) {
  ItemId item = getMiddle(id);
  if (!isOp(item))
    return false;
  std::optional<int32_t> lowest, highest;
  for (CellId cell : topology.getGraph().getOperands(OpId(item.get()))) {
    ItemId source = getItem(cell);
    ChainId chain = getChain(source);
    if (!chain.isValid() || !isAligned[chain] || list[chain].map != list[id].map)
      continue;
    if (isOp(source) && !isForward(OpId(source.get())))
      lowest = std::min(lowest.value_or(INT32_MAX), getPosition(source));
    else
      highest = std::max(highest.value_or(INT32_MIN), getPosition(source));
  }
  std::optional<int32_t> position = lowest || onlyGradients ? lowest : highest;
  if (position)
    setFirst(id, *position - static_cast<int32_t>(indices[item]));
  return position.has_value();
}

void LayerChains::align() {
  isAligned.resize(list.size(), 0);
  linksOfChain.resize(list.size());
  for (const RigidLink &link : links) {
    // A few are enough; LayerElision checks that all are alike.
    if (ChainId chain = getChain(link.a); chain.isValid() && linksOfChain[chain].size() < 4)
      linksOfChain[chain].push_back(link);
    if (ChainId chain = getChain(link.b); chain.isValid() && linksOfChain[chain].size() < 4)
      linksOfChain[chain].push_back({link.b, link.a});
  }
  alignWholeChains();
  // In program order: ops come before boundary values and regions.
  std::vector<ChainId> order;
  for (ChainId id : idRange<ChainId>(list.size()))
    order.push_back(id);
  llvm::sort(order, [&](ChainId a, ChainId b) { return getMiddle(a) < getMiddle(b); });
  auto isForwardChain = [&](ChainId id) { return isOp(getMiddle(id)) && isForward(OpId(getMiddle(id).get())); };
  for (ChainId id : llvm::reverse(order))
    if (!isAligned[id] && (isForwardChain(id) || !isOp(getMiddle(id))))
      alignByUsers(id, /*onlyForward=*/true);
  // Gradients depend on each other from layer to layer, so one of them has to wait for the others. An op that is
  // recomputed for the backward pass starts from a value of the layer before, and belongs to the layer that uses it.
  for (int round = 0; round < 3; ++round) {
    for (ChainId id : order)
      if (!isAligned[id] && (!isForwardChain(id) || round > 0))
        alignByOperands(id, /*onlyGradients=*/round == 0);
    for (ChainId id : llvm::reverse(order))
      if (!isAligned[id])
        alignByUsers(id, /*onlyForward=*/false);
  }
}

CellId LayerChains::findFirst(CellId cell) const {
  ItemId item = getItem(cell);
  ChainId id = getChain(item);
  if (!id.isValid() || getPosition(item) < 0 || getPosition(item) >= numLayers[list[id].map])
    return cell;
  NodeId first(getMember(id, std::max(0, list[id].first)).get());
  return topology.isOp(first) ? topology.getGraph().getResults(topology.getOp(first))[topology.getResultNumber(cell)]
                              : topology.getBoundaryCell(first);
}

} // namespace partita::analysis
