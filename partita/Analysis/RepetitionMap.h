//===- RepetitionMap.h - a program, one layer further -----------------------------===//
//
// A map grows from one pair of ops (x, y) that are alike: what x takes goes to
// what y takes, operand by operand, and what uses x goes to what uses y, users
// with equal surroundings first. It ends where things are not alike, at the
// first and last layers, and at what both share.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_REPETITIONMAP_H
#define PARTITA_ANALYSIS_REPETITIONMAP_H

#include "partita/Analysis/Rooms.h"
#include "partita/Analysis/StructuralHash.h"

namespace partita::analysis {

/// Partial maps, each one to one.
struct RepetitionMap {
  IdVector<OpId, OpId> nextOps;
  IdVector<CellId, CellId> nextCells;
  IdVector<RegionId, RegionId> nextRegions;
  /// Ops that are moved, and those of them with an operand that is neither shared nor moved along with them.
  size_t numPairs = 0, numTorn = 0;
};

/// What later maps leave alone.
struct ClaimedItems {
  IdVector<OpId, uint8_t> ops;
  IdVector<CellId, uint8_t> cells;
};

/// The map that moves `from` to `to`, which are alike. Linear in what it moves, but for clearing its arrays.
RepetitionMap growRepetitionMap(const Topology &topology, const StructuralHash &structuralHash,
                                const ClaimedItems &claimed, OpId from, OpId to);

} // namespace partita::analysis

#endif
