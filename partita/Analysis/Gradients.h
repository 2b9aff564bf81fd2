//===- Gradients.h - where loops keep the gradients of parameters ---------===//
//
// A loop over microbatches sums gradients up, a loop over layers stacks them:
// values as large as the parameters, carried from one iteration to the next. A
// split of the batch alone makes them partial sums, kept whole on every device
// and reduced behind the loop. To have each iteration scatter its own part
// instead, as ZeRO-2 does with gradients, they are tiled before the batch is,
// without what computes them: the tile stops at `sources`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_GRADIENTS_H
#define PARTITA_ANALYSIS_GRADIENTS_H

#include "partita/Analysis/ArgumentGroups.h"
#include "partita/Analysis/Rooms.h"

namespace partita::analysis {

/// Of one group of parameters.
struct Gradients {
  GroupId parameter;
  /// Carried values of the parameters' shape.
  std::vector<CellId> kept;
  /// What is summed up or stacked: results of contractions, reductions and scatters.
  std::vector<CellId> sources;
};

/// Of those groups of parameters whose gradients a loop keeps, in order.
std::vector<Gradients> findGradients(const Topology &topology, const ArgumentGroups &groups);

} // namespace partita::analysis

#endif
