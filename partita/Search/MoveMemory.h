//===- MoveMemory.h - caches the effects of moves -------------------------===//
//
// A move applies to one axis. Its effect depends on what its axis splits
// already and not on other axes, except for factors that are too small for all
// axes: then it matters what they have left. So a move has the same effect in
// two states that differ on other axes only. A search tries the same moves
// after many lists, but propagates each move once for every state of its axis:
//
//   situation   the move, what is split on its axis, and what all axes do to
//               factors that cannot be split over all of them (`isCoupled`)
//   outcome     the changes on the assignment's trail
//
// While no axis has changed a coupled factor, symmetric moves (MoveTable::symmetric)
// have the same effect, and a situation names the first of them.
//
// All walkers of one start share one memory. An outcome depends on the
// situation alone.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_MOVEMEMORY_H
#define PARTITA_SEARCH_MOVEMEMORY_H

#include "partita/Propagate/Assignment.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"

#include <mutex>
#include <unordered_map>

namespace partita::search {

/// What the outcome of a move depends on. Keys are hashes of sets of changes.
struct MoveSituation {
  MoveId move;
  uint64_t axisKey = 0, coupledKey = 0;
  bool operator==(const MoveSituation &) const = default;
};

enum class MoveChangeKind : uint8_t { Assign, Tile, Atomic, Choose };

/// A change on the axis of the move.
struct MoveChange {
  /// A node, a cell or a dim.
  uint32_t id = 0;
  MoveChangeKind kind = MoveChangeKind::Assign;
  /// The factor, or the dim of a tile.
  uint8_t value = 0;
  /// The number of the move's step that made it.
  uint16_t step = 0;
};

struct MoveOutcome {
  /// In the order of the trail.
  std::vector<MoveChange> changes;
  uint32_t numSteps = 0;
  /// What it adds to the keys of the state, of the axis and of coupled factors, before the axis is mixed in.
  uint64_t key = 0, axisKey = 0, coupledKey = 0;
};

class MoveMemory {
public:
  /// Stores outcomes up to `maxChanges` changes in total.
  MoveMemory(const Topology &topology, const Axes &axes, size_t maxChanges = size_t(1) << 22);

  /// Whether an axis's split of a factor, or its pin on a cell, may affect other axes.
  bool isCoupled(OpFactorId opFactor) const { return coupledFactors[opFactor] != 0; }
  bool isCoupled(CellId cell) const { return coupledCells[cell] != 0; }

  /// Null if unknown. The pointer stays valid. find and add are thread-safe.
  const MoveOutcome *find(const MoveSituation &situation) const;
  void add(const MoveSituation &situation, MoveOutcome &&outcome);

private:
  struct Hash {
    size_t operator()(const MoveSituation &situation) const;
  };

  IdVector<OpFactorId, uint8_t> coupledFactors;
  IdVector<CellId, uint8_t> coupledCells;
  size_t maxChanges, numChanges = 0;
  mutable std::mutex mutex;
  std::unordered_map<MoveSituation, MoveOutcome, Hash> outcomes;
};

} // namespace partita::search

#endif
