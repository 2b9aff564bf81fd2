//===- MoveMemory.h - what moves did, so that they need not be made again -===//
//
// A move is about one axis. What it does depends on what its axis splits already
// and on nothing that other axes do, but where a factor is too small for all of
// them: then it matters what they have left of it. So a move that is made in two
// states that differ on other axes alone does the same, and a search, which tries
// much the same moves behind many lists, propagates each of them once for every
// state of its axis:
//
//   situation   the move, what is split on its axis, and what all axes do to
//               factors that cannot be split over all of them (`isCoupled`)
//   outcome     the changes on the assignment's trail
//
// While no axis does anything to such factors, a move does on one axis what it does
// on another one that divides the same sizes (MoveTable::kin): situations are then
// told apart by the first of such moves.
//
// All walkers of one start share one memory; what it says depends on the
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

/// What the outcome of a move depends on; hashes of sets of changes.
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
  /// Which of the move's steps made it.
  uint16_t step = 0;
};

struct MoveOutcome {
  /// In the order of the trail.
  std::vector<MoveChange> changes;
  uint32_t numSteps = 0;
  /// What it adds to the key of the state, to that of the axis, and to that of coupled factors, before axes are told
  /// apart.
  uint64_t key = 0, axisKey = 0, coupledKey = 0;
};

class MoveMemory {
public:
  /// Takes outcomes until they have so many changes together.
  MoveMemory(const Topology &topology, const Axes &axes, size_t maxChanges = size_t(1) << 22);

  /// Whether what an axis does to a factor, or a pin to a cell, may matter to other axes.
  bool isCoupled(OpFactorId opFactor) const { return coupledFactors[opFactor] != 0; }
  bool isCoupled(CellId cell) const { return coupledCells[cell] != 0; }

  /// Null if it is not known. It stays where it is. Any thread may ask, and add.
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
