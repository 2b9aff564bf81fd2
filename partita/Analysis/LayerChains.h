//===- LayerChains.h - what follows from one op or cell by a map -------------===//
//
// An item is an op, a place (an argument, carried value or branch result) or a
// region; an op's results go with it. A chain is a sequence of items, each the
// next of the one before.
//
// An item's position says which layer it belongs to. Most chains of a map have
// one length, the number of layers. Others begin or end elsewhere: gradients of
// the first layer may be missing, the norm behind the last layer looks like those
// in the layers, an encoder like the first step. They are laid beside others:
//
//   what must have one position (a carried value and its loop, an argument and
//   the result that is its next state)                               together
//   an op of the forward pass                         with its first forward user
//   an op of the backward pass or the update  with the last gradient that it takes,
//                                             else with its first user
//
// so that positions never fall along the forward pass nor rise along the
// backward pass. What then lies before the first or behind the last layer is in
// none of them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_LAYERCHAINS_H
#define PARTITA_ANALYSIS_LAYERCHAINS_H

#include "partita/Analysis/Repetition.h"
#include "partita/Analysis/Rooms.h"

namespace partita::analysis {

/// Ops, then places (the topology's nodes), then regions.
using ItemId = Id<struct ItemTag>;
using ChainId = Id<struct ChainTag>;

struct LayerChain {
  RepetitionMapId map;
  /// Range of LayerChains::items.
  uint32_t begin = 0, size = 0;
  /// Position of the first item.
  int32_t first = 0;

  int32_t getEnd() const { return first + static_cast<int32_t>(size); }
  bool covers(int32_t from, int32_t to) const { return first <= from && to <= getEnd(); }
};

/// Items that stay or go together.
struct RigidLink {
  ItemId a, b;
};

class LayerChains {
public:
  LayerChains(const Topology &topology, const Repetition &repetition);

  size_t size() const { return list.size(); }
  const LayerChain &operator[](ChainId id) const { return list[id]; }

  ItemId getItem(OpId op) const { return ItemId(op.get()); }
  /// Of what gives the cell its value: its place or its definition; invalid if nothing does.
  ItemId getItem(CellId cell) const { return ItemId(topology.getSource(cell).get()); }
  ItemId getItem(RegionId region) const { return ItemId(static_cast<uint32_t>(topology.getNumNodes()) + region.get()); }
  bool isOp(ItemId item) const { return item.get() < topology.getGraph().ops.size(); }
  size_t getNumItems() const { return topology.getNumNodes() + topology.getGraph().regions.size(); }

  /// Invalid if the item does not repeat.
  ChainId getChain(ItemId item) const { return item.isValid() ? ofItem[item] : ChainId(); }
  /// Of an item in a chain.
  int32_t getPosition(ItemId item) const { return list[ofItem[item]].first + static_cast<int32_t>(indices[item]); }
  /// Invalid if the chain has nothing at this position.
  ItemId getMember(ChainId chain, int32_t position) const;
  /// Those at positions [from, to), which the chain covers.
  llvm::ArrayRef<ItemId> getMembers(ChainId chain, int32_t from, int32_t to) const {
    return llvm::ArrayRef(items).slice(list[chain].begin + static_cast<uint32_t>(from - list[chain].first),
                                       static_cast<size_t>(to - from));
  }

  int32_t getNumLayers(RepetitionMapId map) const { return numLayers[map]; }
  /// The cell at the place of `cell` in the first layer; itself if it is in no layer.
  CellId findFirst(CellId cell) const;

  /// Links of which both or one is in a chain.
  llvm::ArrayRef<RigidLink> getLinks() const { return links; }

private:
  void addChains(const Repetition &repetition);
  void addLinks();
  void countLayers();
  void align();
  void setFirst(ChainId id, int32_t first);
  void alignWholeChains();
  bool alignByUsers(ChainId id, bool onlyForward);
  bool alignByOperands(ChainId id, bool onlyGradients);
  ItemId getMiddle(ChainId id) const { return items[list[id].begin + list[id].size / 2]; }
  bool isForward(OpId op) const { return topology.getGraph().ops[op].phase == Phase::Forward; }

  const Topology &topology;
  IdVector<ChainId, LayerChain> list;
  std::vector<ItemId> items;
  IdVector<ItemId, ChainId> ofItem;
  IdVector<ItemId, uint32_t> indices;
  std::vector<RigidLink> links;
  /// Of each map, how many layers there are.
  IdVector<RepetitionMapId, int32_t> numLayers;
  /// Of each chain, the items that its own are linked to: with an item at the one end, one at the other.
  IdVector<ChainId, llvm::SmallVector<RigidLink, 2>> linksOfChain;
  IdVector<ChainId, uint8_t> isAligned;
};

} // namespace partita::analysis

#endif
