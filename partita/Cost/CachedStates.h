//===- CachedStates.h - the last noted node states, unit by unit ----------===//
//
// The price of a unit depends on the states of its nodes (PriceKeys.h): for
// each mesh axis, the factor that it splits. This class keeps, for each unit,
// the last noted states of its nodes side by side. A changed state is written
// to all its positions, so that one contiguous read gives what a unit depends
// on.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_CACHEDSTATES_H
#define PARTITA_COST_CACHEDSTATES_H

#include "partita/Cost/PriceKeys.h"
#include "partita/Cost/Rooms.h"

#include <utility>

namespace partita::cost {

class CachedStates {
public:
  /// Starts with empty states: nothing is noted yet.
  CachedStates(const CostUnits &units, const PriceKeys &keys, const Assignment &assignment);

  /// The noted states of the unit's nodes, in their order.
  llvm::ArrayRef<uint64_t> get(UnitId unit) const {
    return {words.data() + firstWords[unit.get()], firstWords[unit.get() + 1] - firstWords[unit.get()]};
  }

  /// Notes the current states of `nodes` and calls `noteUnit` for each unit that depends on a changed one.
  template <typename Note> void update(llvm::ArrayRef<NodeId> nodes, Note noteUnit) {
    // One word holds up to four axes, which is nearly always enough.
    const uint64_t *now = assignment.getNodeStates().data();
    for (NodeId node : numWords == 1 ? nodes : llvm::ArrayRef<NodeId>())
      if (uint64_t state = now[node.get()]; std::exchange(noted[node.get()], state) != state)
        for (const Position &position : getPositions(node)) {
          words[position.firstWord] = state;
          noteUnit(position.unit);
        }
    for (NodeId node : numWords == 1 ? llvm::ArrayRef<NodeId>() : nodes)
      if (noteLongState(node))
        for (const Position &position : getPositions(node))
          noteUnit(position.unit);
  }

  /// Of all nodes.
  template <typename Note> void updateAll(Note noteUnit) {
    llvm::ArrayRef<uint64_t> now = assignment.getNodeStates();
    // Few states have changed, so compare them block by block.
    constexpr size_t block = 8;
    size_t first = 0;
    for (; first + block <= now.size(); first += block) {
      uint64_t differences = 0;
      for (size_t i = 0; i < block; ++i)
        differences |= now.data()[first + i] ^ noted[first + i];
      for (size_t i = 0; i < block && differences != 0; ++i)
        update(NodeId(static_cast<uint32_t>((first + i) / numWords)), noteUnit);
    }
    for (; first < now.size(); ++first)
      update(NodeId(static_cast<uint32_t>(first / numWords)), noteUnit);
  }

private:
  struct Position {
    UnitId unit;
    uint32_t firstWord = 0;
  };

  llvm::ArrayRef<Position> getPositions(NodeId node) const {
    return {positions.data() + firstPositions[node.get()], firstPositions[node.get() + 1] - firstPositions[node.get()]};
  }

  /// For states of several words. Returns whether the state has changed.
  bool noteLongState(NodeId node);

  const Assignment &assignment;
  size_t numWords;
  /// Of all nodes.
  std::vector<uint64_t> noted;
  std::vector<uint32_t> firstWords, firstPositions;
  std::vector<uint64_t> words;
  std::vector<Position> positions;
};

} // namespace partita::cost

#endif
