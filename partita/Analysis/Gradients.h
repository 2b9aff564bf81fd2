//===- Gradients.h - where loops accumulate gradients of parameters -------===//
//
// A loop over microbatches adds gradients up, and a loop over layers stacks them:
// carried values as large as the parameters. If only the batch is split, they are
// partial sums, whole on every device and reduced behind the loop. To make each
// iteration scatter its own part instead, as ZeRO-2 does, tile these values
// before the batch, but not the ops that compute the gradients: cut the tile at
// `sources`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_GRADIENTS_H
#define PARTITA_ANALYSIS_GRADIENTS_H

#include "partita/Analysis/ArgumentGroups.h"
#include "partita/Analysis/Rooms.h"

namespace partita::analysis {

/// The gradients of one group of parameters.
struct Gradients {
  GroupId parameter;
  /// Carried values with the parameters' shape.
  std::vector<CellId> kept;
  /// The values that are added up or stacked: results of contractions, reductions and scatters.
  std::vector<CellId> sources;
};

/// For each group of parameters whose gradients a loop accumulates, in order.
std::vector<Gradients> findGradients(const Topology &topology, const ArgumentGroups &groups);

} // namespace partita::analysis

#endif
