//===- LayerElision.h - which layers can be elided ------------------------===//
//
// For each map, the items at positions [first, first + count) of its layer chains
// are elided; the window is the same for all chains. A chain can be elided if,
// inside the window,
//
//   each operand of its ops is either the same cell for all of them, which stays,
//   or moves along at a fixed distance on a chain that is elided as well;
//   items that are linked to its items are elided at the same position.
//
// Other chains stay whole. Then the ends are joined. An op behind the window that
// used an elided item uses the item `count` positions earlier instead; an op
// before the window, the item `count` positions later; an op that does not
// repeat, the representative.
//
// With a margin of two, two layers stay at each end. The representative of the
// elided layers then has a layer like itself before and behind it, so that all
// decisions around it are those of the elided layers. With a margin of one, the
// first and the last layer represent the others.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_LAYERELISION_H
#define PARTITA_ANALYSIS_LAYERELISION_H

#include "partita/Analysis/LayerChains.h"
#include "partita/Analysis/Rooms.h"

namespace partita::analysis {

struct ElisionWindow {
  int32_t first = 0, count = 0;
  /// The largest distance between an op and an operand that moves along with it.
  int32_t distance = 1;
  /// Layers that stay at each end.
  int32_t numKept = 2;
  /// Elided ops of one layer, and ops of all layers that repeat.
  size_t opsPerLayer = 0, numRepeated = 0;

  bool contains(int32_t position) const { return position >= first && position < first + count; }
  size_t countRemoved() const { return opsPerLayer * static_cast<size_t>(count); }
};

class LayerElision {
public:
  LayerElision(const Topology &topology, const Repetition &repetition, int32_t margin);

  const LayerChains &getChains() const { return chains; }
  const ElisionWindow &getWindow(RepetitionMapId map) const { return windows[map]; }
  /// Whether the chain's items in the window are elided.
  bool isElided(ChainId chain) const { return isRemovable[chain] != 0; }
  bool isRemoved(ItemId item) const;
  /// The position of the item that represents itself and those in the window: in the forward pass directly before the
  /// window, otherwise directly behind it, so that the layer after it in execution is like the others.
  int32_t getRepresentative(ChainId chain) const;
  /// Whether the item represents those removed from its chain.
  bool isRepresentative(ItemId item) const;
  /// The item that `user` uses instead of `item`; `item` itself if it stays.
  ItemId findSubstitute(ItemId item, OpId user) const;

private:
  struct Range {
    int32_t first, end;
    auto operator<=>(const Range &) const = default;
  };

  struct Candidate {
    ElisionWindow window;
    size_t mostRemoved = 0;
  };

  std::vector<Candidate> collectWindows(RepetitionMapId map) const;
  size_t countLoose(RepetitionMapId map) const;
  /// Returns whether `isRemovable` belongs to the chosen window, not to one that was tried after it.
  bool chooseWindow(RepetitionMapId map);
  int32_t computeDistance(RepetitionMapId map) const;
  void findRemovable();
  /// Whether the operand moves along with the ops of the chain, or is the same for all. Records the chains on which
  /// that depends.
  bool checkOperand(ChainId chain, uint32_t operand);
  /// Whether from each op to the next the operand moves one position along the chain.
  bool isMoving(llvm::ArrayRef<ItemId> ops, uint32_t operand, ChainId chain) const;
  CellId getOperand(ItemId op, uint32_t operand) const {
    return graph.uses[UseId(graph.ops[OpId(op.get())].firstUse + operand)];
  }
  void checkLinks();
  void spread();
  bool isCovered(ChainId chain) const;
  void reject(ChainId chain);

  const Topology &topology;
  const Graph &graph;
  int32_t margin;
  LayerChains chains;
  IdVector<RepetitionMapId, ElisionWindow> windows;
  IdVector<ChainId, uint8_t> isRemovable;
  /// The chains that stay if this one does.
  IdVector<ChainId, llvm::SmallVector<ChainId, 4>> dependents;
  std::vector<ChainId> rejected;
};

} // namespace partita::analysis

#endif
