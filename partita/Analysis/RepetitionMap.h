//===- RepetitionMap.h - maps a program to itself, one layer on -----------===//
//
// A map grows from one pair of ops (x, y) that are alike: it maps the operands of
// x to those of y, and the users of x to those of y, users with equal
// surroundings first. It ends where items are not alike, at the first and last
// layers, and at items that both share.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_REPETITIONMAP_H
#define PARTITA_ANALYSIS_REPETITIONMAP_H

#include "partita/Analysis/Rooms.h"
#include "partita/Analysis/StructuralHash.h"

namespace partita::analysis {

/// Partial injective maps.
struct RepetitionMap {
  IdVector<OpId, OpId> nextOps;
  IdVector<CellId, CellId> nextCells;
  IdVector<RegionId, RegionId> nextRegions;
  /// The number of ops that are moved, and of those with an operand that is neither shared nor moved along with them.
  size_t numPairs = 0, numTorn = 0;
};

/// Items that belong to earlier maps.
struct ClaimedItems {
  IdVector<OpId, uint8_t> ops;
  IdVector<CellId, uint8_t> cells;
  IdVector<RegionId, uint8_t> regions;
};

/// What a map does with sums that gradients or updates add to a scalar one after the other, such as the norm of all
/// gradients. If they are in the order of parameters' names, in which layer 10 comes before layer 2, then an op is
/// moved by one layer and its operand by another number of layers, and what is behind the operand is torn from its
/// layer.
enum class SerialSums : uint8_t { Move, Stay };

/// The map that moves `from` to `to`, which must be alike. Takes time linear in what it moves, plus clearing its
/// arrays.
RepetitionMap growRepetitionMap(const Topology &topology, const StructuralHash &structuralHash,
                                const ClaimedItems &claimed, OpId from, OpId to,
                                SerialSums serialSums = SerialSums::Move);

} // namespace partita::analysis

#endif
