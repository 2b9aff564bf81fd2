//===- PathPlaces.cpp - where on the longest path a program's costs are ---===//

#include "partita/Search/Bound/PathPlaces.h"

#include "partita/Cost/UnitPrice.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

PathPlaces::PathPlaces(const CostModel &model)
    : model(model), graph(model.getGraph()), ends(graph.regions.size()), ops(graph.regions.size()) {
  for (RegionId region : idRange<RegionId>(graph.regions.size()))
    findPlaces(region);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    ops[graph.ops[op].region].push_back(op);
}

static uint32_t getPlace(TimeSlotId slot) { return slot.get() + 1; }

void PathPlaces::findPlaces(RegionId region) {
  const TimeSlots &slots = model.getSlots();
  auto [firstBlock, lastBlock] = slots.getBlocks(region);
  Ends found{UINT32_MAX, 0};
  for (uint32_t number = firstBlock; number < lastBlock; ++number) {
    const SlotBlock &block = slots.getBlock(SlotBlockId(number));
    if (block.isElided)
      return;
    for (TimeSlotId slot(block.first); slot.get() < block.last; slot = TimeSlotId(slot.get() + 1)) {
      if (!slots.isCompound(slot))
        continue;
      found.front = std::min(found.front, getPlace(slot));
      found.back = getPlace(slot) + 1;
    }
  }
  ends[region] = found;
}

std::optional<uint32_t> PathPlaces::find(OpId op) const {
  if (!ends[graph.ops[op].region])
    return std::nullopt;
  SlotShares shares = model.getSlots().getShares(op, model.getMultiplicity().get(op));
  if (shares.size() != 1)
    return std::nullopt;
  return getPlace(shares[0].slot);
}

void PathPlaces::place(OpId op, BoundVariable &variable) const {
  // An op without a place is in front of all cuts, and behind them.
  if (std::optional<uint32_t> place = find(op))
    variable.firstPlace = variable.lastPlace = *place;
}

PathPlaces::PlaceBytes PathPlaces::findGathers(RegionId region) const {
  PlaceBytes bytes;
  for (OpId op : ops[region])
    for (CellId cell : graph.getOperands(op))
      if (model.getOverlap().isParameter(cell))
        if (std::optional<uint32_t> place = find(op); place && *place <= ends[region]->front)
          bytes[*place] += graph.getBytes(cell);
  return bytes;
}

PathPlaces::PlaceBytes PathPlaces::findReductions(RegionId region) const {
  PlaceBytes bytes;
  for (OpId op : ops[region])
    for (CellId cell : graph.getResults(op))
      if (mayHideReduction(model, cell, region))
        if (std::optional<uint32_t> place = find(op); place && *place >= ends[region]->back)
          bytes[*place] += graph.getBytes(cell);
  return bytes;
}

/// The first few places, in this order, that have a good part of all bytes together.
template <typename Iterator> static std::vector<uint32_t> choosePlaces(Iterator first, const Iterator &last) {
  constexpr size_t maxPlaces = 4;
  constexpr int64_t leastPart = 32;
  __int128 total = 0, pending = 0;
  for (Iterator at = first; at != last; ++at)
    total += at->second;
  std::vector<uint32_t> places;
  for (; first != last && places.size() < maxPlaces; ++first) {
    pending += first->second;
    if (pending == 0 || pending < total / leastPart)
      continue;
    places.push_back(first->first);
    pending = 0;
  }
  return places;
}

std::vector<PathCut> PathPlaces::listCuts() const {
  std::vector<PathCut> cuts;
  for (RegionId region : idRange<RegionId>(graph.regions.size())) {
    if (!ends[region])
      continue;
    PlaceBytes gathers = findGathers(region), reductions = findReductions(region);
    std::vector<uint32_t> front = choosePlaces(gathers.begin(), gathers.end());
    uint32_t lastFront = front.empty() ? 0 : front.back();
    for (uint32_t place : front)
      cuts.push_back({region.get(), false, place});
    for (uint32_t place : choosePlaces(reductions.rbegin(), reductions.rend()))
      if (place >= lastFront)
        cuts.push_back({region.get(), true, place});
  }
  llvm::sort(cuts);
  return cuts;
}

} // namespace partita::search
