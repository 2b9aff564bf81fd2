//===- Repetition.h - finds layers that repeat ----------------------------===//
//
// A program of unrolled layers maps to itself, moved by one layer: each op of a
// layer has a *next* op in the following layer, with the same kind, rule, types
// and phase, whose operands are the next ones of its operands, or the same ones.
//
//   x0 ─f─▶ x1 ─f─▶ x2 ─f─▶ x3        next(x0) = x1, next(x1) = x2, ...
//      w0      w1      w2             next(w0) = w1, ...
//
// A program may have several such maps (encoder and decoder, the levels of a
// UNet); the items that they move are disjoint. A *layer chain* is the sequence of
// items that follow from one op, cell or region by `next`. If several kinds of
// layers alternate, a map moves by a whole period, so that chains of two kinds
// stay separate. Items that all layers share, and items before, behind and
// between stacks of layers, have no next.
//
// The search uses structure alone: names and the order of the text decide only
// between items that look the same.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_REPETITION_H
#define PARTITA_ANALYSIS_REPETITION_H

#include "partita/Analysis/Rooms.h"
#include "partita/Propagate/Topology.h"

namespace partita::analysis {

/// Number of a map.
using RepetitionMapId = Id<struct RepetitionMapTag>;

struct Repetition {
  /// Invalid if there is no next item.
  IdVector<OpId, OpId> nextOps;
  IdVector<CellId, CellId> nextCells;
  IdVector<RegionId, RegionId> nextRegions;
  /// The map that moves an item or moves another one to it; invalid for items that do not repeat.
  IdVector<OpId, RepetitionMapId> opMaps;
  IdVector<CellId, RepetitionMapId> cellMaps;
  IdVector<RegionId, RepetitionMapId> regionMaps;
  size_t numMaps = 0;
};

/// What a map is for: to elide layers, which is worth it if most ops can be, or to know which ops correspond.
enum class RepetitionUse : uint8_t { Elide, Correspond };

/// Takes time linear in the program for each map; there are few maps.
Repetition findRepetition(const Topology &topology, RepetitionUse use = RepetitionUse::Elide);

} // namespace partita::analysis

#endif
