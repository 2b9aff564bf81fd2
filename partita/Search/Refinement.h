//===- Refinement.h - makes a good list of moves better -------------------===//
//
// Sweeps of best response: without one of its moves; mirrored, with two axes
// exchanged, or with one axis doing what another does; in another order; with one
// in place of another that is proposed once that is gone; with one more, at the
// end or in front; with a deviation of a single place; with any in place of
// another. The first kind that makes the rating better is taken, and the sweep
// starts again; when none does, the list is a local optimum. Then
// large-neighbourhood repair: all moves of one axis, or some, are dropped and the
// rest completed greedily; what comes out better starts the sweeps anew.
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

/// Sweeps until nothing is better or the oracle is over.
Found refineBySweeps(Oracle &oracle, Found start);

/// Sweeps and repairs.
Found refine(Oracle &oracle, Found start, RefinementOptions options = {});

} // namespace partita

#endif
