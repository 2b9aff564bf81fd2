//===- CachedStates.h - rows of the nodes of units, side by side --------------===//
//
// A unit's price depends on the rows of its nodes (PriceKeys.h). Here they stand
// one after the other for each unit, as they were noted last: a row that changes
// is written to all its places, and what a unit depends on is read in one piece.
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
  /// Notes nothing yet: all rows are empty.
  CachedStates(const CostUnits &units, const PriceKeys &keys, const Assignment &assignment);

  /// Of the unit's nodes, in their order.
  llvm::ArrayRef<uint64_t> get(UnitId unit) const {
    return {words.data() + firstWords[unit.get()], firstWords[unit.get() + 1] - firstWords[unit.get()]};
  }

  /// Notes how the assignment stands at nodes; `noteUnit` hears of the units to which that is news.
  template <typename Note> void update(llvm::ArrayRef<NodeId> nodes, Note noteUnit) {
    // Up to four axes, as nearly always.
    const uint64_t *now = assignment.getNodeStates().data();
    for (NodeId node : numWords == 1 ? nodes : llvm::ArrayRef<NodeId>())
      if (uint64_t row = now[node.get()]; std::exchange(noted[node.get()], row) != row)
        for (const Position &place : getPlaces(node)) {
          words[place.firstWord] = row;
          noteUnit(place.unit);
        }
    for (NodeId node : numWords == 1 ? llvm::ArrayRef<NodeId>() : nodes)
      if (noteLongState(node))
        for (const Position &place : getPlaces(node))
          noteUnit(place.unit);
  }

  /// Of all nodes.
  template <typename Note> void updateAll(Note noteUnit) {
    llvm::ArrayRef<uint64_t> now = assignment.getNodeStates();
    // Few have changed: they are looked for in blocks.
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

  llvm::ArrayRef<Position> getPlaces(NodeId node) const {
    return {places.data() + firstPlaces[node.get()], firstPlaces[node.get() + 1] - firstPlaces[node.get()]};
  }

  /// Of several words. Gives whether it was noted otherwise before.
  bool noteLongState(NodeId node);

  const Assignment &assignment;
  size_t numWords;
  /// Of all nodes.
  std::vector<uint64_t> noted;
  std::vector<uint32_t> firstWords, firstPlaces;
  std::vector<uint64_t> words;
  std::vector<Position> places;
};

} // namespace partita::cost

#endif
