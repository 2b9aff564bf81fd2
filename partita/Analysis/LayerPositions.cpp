//===- LayerPositions.cpp - who is in the layers, and who only looks so ---===//

#include "partita/Analysis/LayerPositions.h"

#include <map>

namespace partita {

LayerPositions::LayerPositions(const Topology &topology, const Repetition &repetition)
    : topology(topology), graph(topology.getGraph()), chains(topology, repetition), numLayers(repetition.numShifts, 0),
      firstLayers(chains.size(), 0), isPlaced(chains.size(), 0) {
  findLengths();
  layBeside();
}

/// The length that most chains of ops have; of two, the shorter one.
void LayerPositions::findLengths() {
  std::map<std::pair<ShiftId, uint32_t>, size_t> counts;
  for (ChainId id : idRange<ChainId>(chains.size()))
    if (chains.isOp(chains.getMember(id, chains[id].first)))
      ++counts[{chains[id].shift, chains[id].size}];
  IdVector<ShiftId, size_t> most(numLayers.size(), 0);
  for (auto [key, count] : counts)
    if (count > most[key.first]) {
      most[key.first] = count;
      numLayers[key.first] = static_cast<int32_t>(key.second);
    }
}

void LayerPositions::visit(ItemId item, ItemId neighbour) {
  ChainId chain = chains.getChain(item), other = chains.getChain(neighbour);
  if (!other.isValid() || isPlaced[other] || chains[other].shift != chains[chain].shift)
    return;
  isPlaced[other] = 1;
  firstLayers[other] = firstLayers[chain] + getIndex(item) - getIndex(neighbour);
  queue.push_back(other);
}

void LayerPositions::visitNeighbours(ChainId id, bool onlyForward) {
  const Chain &chain = chains[id];
  ItemId item = chains.getMember(id, chain.first + static_cast<int32_t>(chain.size / 2));
  if (!chains.isOp(item))
    return;
  auto mayVisit = [&](ItemId other) {
    return other.isValid() && (!onlyForward || !chains.isOp(other) || isForward(other));
  };
  OpId op(item.get());
  for (CellId cell : graph.getOperands(op))
    if (ItemId source = chains.getItem(cell); mayVisit(source))
      visit(item, source);
  for (CellId cell : graph.getResults(op))
    for (UseId use : topology.getUses(cell))
      if (ItemId user = chains.getItem(topology.getUser(use)); mayVisit(user))
        visit(item, user);
}

/// Through the forward pass first: its layers are complete, while gradients may begin or end a layer earlier.
void LayerPositions::layBeside() {
  for (bool onlyForward : {true, false}) {
    for (ChainId id : idRange<ChainId>(chains.size())) {
      ItemId head = chains.getMember(id, chains[id].first);
      bool isWhole = static_cast<int32_t>(chains[id].size) == numLayers[chains[id].shift];
      if (!isPlaced[id] && isWhole && chains.isOp(head) && (!onlyForward || isForward(head))) {
        isPlaced[id] = 1;
        queue.push_back(id);
      }
    }
    for (size_t i = 0; i < queue.size(); ++i)
      visitNeighbours(queue[i], onlyForward);
  }
}

CellId LayerPositions::findFirst(CellId cell) const {
  ItemId item = chains.getItem(cell);
  ChainId chain = chains.getChain(item);
  if (!chain.isValid())
    return cell;
  int32_t layer = firstLayers[chain] + getIndex(item);
  if (layer < 0 || layer >= numLayers[chains[chain].shift])
    return cell;
  ItemId first = chains.getMember(chain, chains[chain].first + std::max(0, -firstLayers[chain]));
  NodeId node(first.get());
  return topology.isOp(node) ? graph.getResults(topology.getOp(node))[topology.getResultNumber(cell)]
                             : topology.getPlaceCell(node);
}

} // namespace partita
