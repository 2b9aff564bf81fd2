//===- LayerPositions.h - who is in the layers, and who only looks so -----===//
//
// A chain may be longer than there are layers: the norm behind the last layer
// looks like those in the layers, the encoder like the first step. Most chains
// of a shift have one length, the number of layers; those that are longer are
// laid beside their neighbours, nearest first, and what then lies before the
// first or behind the last layer is none of them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_LAYERPOSITIONS_H
#define PARTITA_ANALYSIS_LAYERPOSITIONS_H

#include "partita/Analysis/Chains.h"

namespace partita {

class LayerPositions {
public:
  LayerPositions(const Topology &topology, const Repetition &repetition);

  /// The cell at the place of `cell` in the first layer; itself if it is in no layer.
  CellId findFirst(CellId cell) const;

private:
  void findLengths();
  void layBeside();
  void visit(ItemId item, ItemId neighbour);
  void visitNeighbours(ChainId id, bool onlyForward);
  bool isForward(ItemId op) const { return graph.ops[OpId(op.get())].phase == Phase::Forward; }
  int32_t getIndex(ItemId item) const { return chains.getPosition(item) - chains[chains.getChain(item)].first; }

  const Topology &topology;
  const Graph &graph;
  Chains chains;
  /// Of each shift, how many layers there are.
  IdVector<ShiftId, int32_t> numLayers;
  /// Of each chain, the layer of its first item.
  IdVector<ChainId, int32_t> firstLayers;
  IdVector<ChainId, uint8_t> isPlaced;
  std::vector<ChainId> queue;
};

} // namespace partita

#endif
