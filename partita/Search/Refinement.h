//===- Refinement.h - makes a good list of moves better -------------------===//
//
// Sweeps of best response: without one of its moves; mirrored, with two axes
// exchanged, or with one axis doing what another does; with one in front that must
// be early; in another order; with one in place of another that is an alternative to it or proposed once it is gone;
// with one more at the end; with one in front that is proposed. The first kind
// that makes the rating better is taken, and the sweep starts again; when none
// does, a quick sweep is over. A thorough one goes on: with a deviation of a
// single place; with any move or deviation at the end or in front, with any move
// in place of another; then the list is a local optimum. A list is worked out from where it
// first differs, so what is new at the end is cheap and what is new in front is
// dear, and moves that do the same alone are one until the thorough part. Then
// large-neighbourhood repair: all moves of one axis are dropped and the rest completed
// greedily without what did most there, or some are dropped and the rest completed; what comes out better starts the
// sweeps anew.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_REFINEMENT_H
#define PARTITA_SEARCH_REFINEMENT_H

#include "partita/Search/Greedy.h"

namespace partita {

struct RefinementOptions {
  uint64_t seed = 0;
  /// Repairs without success before it gives up.
  uint32_t maxRepairs = 16;
  uint32_t maxDropped = 3;
  GreedyOptions greedy;
};

enum class SweepKind : uint8_t {
  /// Without a move, with an alternative to one, with one more.
  Parts,
  Quick,
  Thorough,
};

/// Sweeps until nothing is better or the oracle is over. A longer list must be better by `leastGain`, as a share.
Found refineBySweeps(Oracle &oracle, Found start, SweepKind kind, double leastGain = 0);

/// Sweeps on the list with moves over many things in parts (Walker::expand), so that one of them may do without
/// or otherwise; what was given if nothing better comes of it.
Found refineInParts(Oracle &oracle, Found start);

/// Sweeps and repairs.
Found refine(Oracle &oracle, Found start, const RefinementOptions &options = {});

} // namespace partita

#endif
