//===- LayerElision.h - which layers can be taken out ------------------------------===//
//
// Of each map, the items at positions [first, first + count) of its chains go,
// for the same window on all chains. A chain may go if inside the window
//
//   each operand of its ops is either one cell for all of them, which stays, or
//   moves along, at a fixed distance, on a chain that goes as well;
//   what is linked to its items goes at the same position.
//
// LayerChains for which that does not hold stay whole. What is left is joined: an op
// behind the window that took something from inside it takes what stands as many
// positions before the window as the window is long; an op before it the other
// way round; an op that does not repeat takes the representative's.
//
// With a margin of two, two layers stay at each end: that which stands for those
// cut out has a layer like itself before and behind it, so that all decisions
// around it are those of the layers cut out. With a margin of one, the first and
// the last layer stand for the others.
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
  /// Ops of one layer that go, and ops of all layers that repeat.
  size_t opsPerLayer = 0, numRepeated = 0;

  bool contains(int32_t position) const { return position >= first && position < first + count; }
  size_t countRemoved() const { return opsPerLayer * static_cast<size_t>(count); }
};

class LayerElision {
public:
  LayerElision(const Topology &topology, const Repetition &repetition, int32_t margin);

  const LayerChains &getChains() const { return chains; }
  const ElisionWindow &getWindow(RepetitionMapId map) const { return windows[map]; }
  /// Whether the chain's items in the window go.
  bool isElided(ChainId chain) const { return isRemovable[chain] != 0; }
  bool isRemoved(ItemId item) const;
  /// The position of the one that stands for those in the window and for itself: in the forward pass right before the
  /// window, else right behind it, so that what follows upon it is a layer like others.
  int32_t getRepresentative(ChainId chain) const;
  /// Whether the item stands for those removed from its chain.
  bool isRepresentative(ItemId item) const;
  /// What `user` takes in the place of `item`; itself if that stays.
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
  /// Whether what may go is known for that window.
  bool chooseWindow(RepetitionMapId map);
  int32_t computeDistance(RepetitionMapId map) const;
  void findRemovable();
  /// Whether the operand moves along with the ops of the chain, or is the same for all. Notes what that rests on.
  bool checkOperand(ChainId chain, uint32_t operand);
  /// Whether from each op to the next the operand moves on along the chain.
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
  /// LayerChains that stay if this one does.
  IdVector<ChainId, llvm::SmallVector<ChainId, 4>> dependents;
  std::vector<ChainId> rejected;
};

} // namespace partita::analysis

#endif
