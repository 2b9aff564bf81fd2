//===- Repetition.h - what repeats in a program ---------------------------===//
//
// A program of unrolled layers maps to itself, one layer further: each op of a
// layer has a *next* one, that of the following layer, which has the same kind,
// rule, types and phase, and takes the next of its operands, or the same ones.
//
//   x0 ─f─▶ x1 ─f─▶ x2 ─f─▶ x3        next(x0) = x1, next(x1) = x2, ...
//      w0      w1      w2             next(w0) = w1, ...
//
// Several such maps may stand in one program (encoder and decoder, the levels
// of a UNet); what they move is disjoint. A *chain* is all that follows from one
// op, cell or region by `next`. With layers of several kinds in turn, a map
// moves by a whole period: chains of two kinds of layers stay apart. Whatever is
// shared by all layers, and whatever stands before, behind and between stacks of
// layers, has no next.
//
// Found by structure alone: names and the order of the text do not matter, but
// for choosing between things that look the same.
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
  /// Invalid: nothing follows.
  IdVector<OpId, OpId> nextOps;
  IdVector<CellId, CellId> nextCells;
  IdVector<RegionId, RegionId> nextRegions;
  /// The map that moves an op or takes one to it; invalid for those that do not repeat.
  IdVector<OpId, RepetitionMapId> opMaps;
  IdVector<CellId, RepetitionMapId> cellMaps;
  IdVector<RegionId, RepetitionMapId> regionMaps;
  size_t numMaps = 0;
};

/// Linear in the program but for the number of maps, which is small.
Repetition findRepetition(const Topology &topology);

} // namespace partita::analysis

#endif
