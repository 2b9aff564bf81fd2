//===- LayerChains.h - corresponding items of repeated layers -------------===//
//
// An item is an op with its results, a boundary value (an argument, carried value
// or branch result) or a region. A layer chain is a sequence of items in which
// each is the next of the one before (Repetition.h): one item from each layer.
//
// The position of an item is the number of its layer. Most chains of a map have
// the same length, the number of layers. Others begin or end elsewhere: gradients
// of the first layer may be missing, the norm behind the last layer looks like
// those in the layers, an encoder like the first step. Such chains are aligned
// with others, so that an item has the position of
//
//   an item it is linked to (a carried value and its loop, an argument and the
//   result that is its next state);
//   its first forward user, for an op of the forward pass;
//   the last gradient among its operands, or else its first user, for an op of
//   the backward pass or the update.
//
// So positions never decrease along the forward pass and never increase along the
// backward pass. Items whose position is before the first or behind the last
// layer belong to no layer.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_LAYERCHAINS_H
#define PARTITA_ANALYSIS_LAYERCHAINS_H

#include "partita/Analysis/Repetition.h"
#include "partita/Analysis/Rooms.h"

namespace partita::analysis {

/// Ops and boundary values (the topology's nodes), then regions.
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

/// Items that are kept or elided together.
struct RigidLink {
  ItemId a, b;
};

class LayerChains {
public:
  LayerChains(const Topology &topology, const Repetition &repetition);

  size_t size() const { return list.size(); }
  const LayerChain &operator[](ChainId id) const { return list[id]; }

  ItemId getItem(OpId op) const { return ItemId(op.get()); }
  /// The source of the cell's value: its boundary node or its definition; invalid if there is none.
  ItemId getItem(CellId cell) const { return ItemId(topology.getSource(cell).get()); }
  ItemId getItem(RegionId region) const { return ItemId(static_cast<uint32_t>(topology.getNumNodes()) + region.get()); }
  bool isOp(ItemId item) const { return item.get() < topology.getGraph().ops.size(); }
  size_t getNumItems() const { return topology.getNumNodes() + topology.getGraph().regions.size(); }

  /// Invalid if the item does not repeat.
  ChainId getChain(ItemId item) const { return item.isValid() ? ofItem[item] : ChainId(); }
  /// The layer of an item that is in a chain.
  int32_t getPosition(ItemId item) const { return list[ofItem[item]].first + static_cast<int32_t>(indices[item]); }
  /// Invalid if the chain has no item at this position.
  ItemId getMember(ChainId chain, int32_t position) const;
  /// The items at positions [from, to), which the chain must cover.
  llvm::ArrayRef<ItemId> getMembers(ChainId chain, int32_t from, int32_t to) const {
    return llvm::ArrayRef(items).slice(list[chain].begin + static_cast<uint32_t>(from - list[chain].first),
                                       static_cast<size_t>(to - from));
  }

  int32_t getNumLayers(RepetitionMapId map) const { return numLayers[map]; }
  /// The cell that corresponds to `cell` in the first layer; itself if it is in no layer.
  CellId findFirst(CellId cell) const;

  /// Links with one or both items in a chain.
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
  /// The number of layers of each map.
  IdVector<RepetitionMapId, int32_t> numLayers;
  /// For each chain, the links of its items: `a` is in the chain, `b` is the linked item.
  IdVector<ChainId, llvm::SmallVector<RigidLink, 2>> linksOfChain;
  IdVector<ChainId, uint8_t> isAligned;
};

} // namespace partita::analysis

#endif
