//===- Chains.cpp - what follows from one op or cell by a shift -----------===//

#include "partita/Analysis/Chains.h"

namespace partita {

Chains::Chains(const Topology &topology, const Repetition &repetition) : topology(topology) {
  ofItem.resize(getNumItems());
  indices.resize(getNumItems(), 0);
  addChains(repetition);
  addLinks();
  align();
}

ItemId Chains::getMember(ChainId id, int32_t position) const {
  const Chain &chain = list[id];
  if (position < chain.first || position >= chain.getEnd())
    return ItemId();
  return items[chain.begin + static_cast<uint32_t>(position - chain.first)];
}

void Chains::addChains(const Repetition &repetition) {
  const Graph &graph = topology.getGraph();
  IdVector<ItemId, ItemId> next(getNumItems());
  IdVector<ItemId, ShiftId> shifts(getNumItems());
  std::vector<uint8_t> hasLast(getNumItems(), 0);
  auto add = [&](ItemId from, ItemId to, ShiftId shift) {
    next[from] = to;
    shifts[from] = shift;
    hasLast[to.get()] = 1;
  };
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (OpId to = repetition.nextOps[op]; to.isValid())
      add(getItem(op), getItem(to), repetition.opShifts[op]);
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (CellId to = repetition.nextCells[cell]; to.isValid() && topology.getPlace(cell).isValid())
      add(getItem(cell), getItem(to), repetition.cellShifts[cell]);
  for (RegionId region : idRange<RegionId>(graph.regions.size()))
    if (RegionId to = repetition.nextRegions[region]; to.isValid())
      add(getItem(region), getItem(to), repetition.regionShifts[region]);
  // What goes round in a circle has no head, and is no chain.
  for (ItemId head : idRange<ItemId>(getNumItems())) {
    if (hasLast[head.get()] || !next[head].isValid())
      continue;
    ChainId id = list.push_back({shifts[head], static_cast<uint32_t>(items.size()), 0, 0});
    for (ItemId item = head; item.isValid(); item = next[item]) {
      ofItem[item] = id;
      indices[item] = list[id].size++;
      items.push_back(item);
    }
  }
}

void Chains::addLinks() {
  const Graph &graph = topology.getGraph();
  auto add = [&](ItemId a, ItemId b) {
    if (a.isValid() && b.isValid() && (ofItem[a].isValid() || ofItem[b].isValid()))
      links.push_back({a, b});
  };
  // The program's own region does not repeat, and nothing is linked to it.
  auto addRegion = [&](ItemId item, RegionId region) {
    if (ofItem[getItem(region)].isValid())
      add(item, getItem(region));
  };
  for (const Tie &tie : graph.ties)
    add(getItem(tie.argument), getItem(tie.result));
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    addRegion(getItem(op), graph.ops[op].region);
    for (CellId cell : graph.getResults(op))
      if (topology.getPlace(cell).isValid())
        add(getItem(op), getItem(cell));
  }
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (topology.getPlace(cell).isValid())
      addRegion(getItem(cell), graph.cells[cell].region);
  for (RegionId region : idRange<RegionId>(graph.regions.size()))
    if (RegionId parent = graph.regions[region].parent; parent.isValid())
      addRegion(getItem(region), parent);
}

/// Gives linked chains positions that agree, as far as they can.
void Chains::align() {
  struct Neighbour {
    ChainId chain;
    /// What its first position is more than that of the chain it is a neighbour of.
    int32_t offset;
  };
  IdVector<ChainId, llvm::SmallVector<Neighbour, 2>> neighbours(list.size());
  for (const RigidLink &link : links) {
    ChainId a = ofItem[link.a], b = ofItem[link.b];
    if (!a.isValid() || !b.isValid() || a == b)
      continue;
    auto offset = static_cast<int32_t>(indices[link.a]) - static_cast<int32_t>(indices[link.b]);
    auto isKnown = [&](const Neighbour &known) { return known.chain == b && known.offset == offset; };
    if (llvm::any_of(neighbours[a], isKnown))
      continue;
    neighbours[a].push_back({b, offset});
    neighbours[b].push_back({a, -offset});
  }
  IdVector<ChainId, uint8_t> isAligned(list.size(), 0);
  std::vector<ChainId> pending;
  for (ChainId start : idRange<ChainId>(list.size())) {
    if (isAligned[start])
      continue;
    isAligned[start] = 1;
    pending.assign(1, start);
    while (!pending.empty()) {
      ChainId chain = pending.back();
      pending.pop_back();
      for (const Neighbour &neighbour : neighbours[chain]) {
        if (isAligned[neighbour.chain])
          continue;
        isAligned[neighbour.chain] = 1;
        list[neighbour.chain].first = list[chain].first + neighbour.offset;
        pending.push_back(neighbour.chain);
      }
    }
  }
}

} // namespace partita
