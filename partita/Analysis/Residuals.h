//===- Residuals.h - the sums that branches of a network come back to -----===//

#ifndef PARTITA_ANALYSIS_RESIDUALS_H
#define PARTITA_ANALYSIS_RESIDUALS_H

#include "partita/Analysis/Rooms.h"
#include "partita/Propagate/Topology.h"

namespace partita::analysis {

/// Marks, for each op, whether it is a residual sum: in the forward pass, x + f(x), where f ends in a contraction
/// (moved, cast, biased or masked), x goes other ways too and no residual sum lies between x and f; or the sum of two
/// such branches that goes on to several uses. What stands between the blocks of a network is of this kind; sums inside
/// an activation function, biases (those that all layers add to attention scores too) and masks are not.
IdVector<OpId, uint8_t> findResiduals(const Topology &topology);

} // namespace partita::analysis

#endif
