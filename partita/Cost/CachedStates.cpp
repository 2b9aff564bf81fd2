//===- CachedStates.cpp - the last noted node states, unit by unit --------===//

#include "partita/Cost/CachedStates.h"

namespace partita::cost {

CachedStates::CachedStates(const CostUnits &units, const PriceKeys &keys, const Assignment &assignment)
    : assignment(assignment), numWords(assignment.getNumStateWords()), noted(assignment.getNodeStates().size(), 0) {
  firstWords.push_back(0);
  for (UnitId unit : idRange<UnitId>(units.size()))
    firstWords.push_back(static_cast<uint32_t>(firstWords.back() + keys.getNodes(unit).size() * numWords));
  words.resize(firstWords.back(), 0);
  // Nodes of units are in ascending order, so each takes the next position.
  std::vector<uint32_t> next = firstWords;
  firstPositions.push_back(0);
  for (NodeId node : idRange<NodeId>(assignment.getTopology().getNumNodes())) {
    for (UnitId unit : units.getUnits(node)) {
      positions.push_back({unit, next[unit.get()]});
      next[unit.get()] += static_cast<uint32_t>(numWords);
    }
    firstPositions.push_back(static_cast<uint32_t>(positions.size()));
  }
}

bool CachedStates::noteLongState(NodeId node) {
  llvm::ArrayRef<uint64_t> state = assignment.getNodeState(node);
  uint64_t *known = noted.data() + size_t(node.get()) * numWords;
  if (std::equal(state.begin(), state.end(), known))
    return false;
  std::copy(state.begin(), state.end(), known);
  for (const Position &position : getPositions(node))
    std::copy(state.begin(), state.end(), words.data() + position.firstWord);
  return true;
}

} // namespace partita::cost
