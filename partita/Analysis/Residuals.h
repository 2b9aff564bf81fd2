//===- Residuals.h - finds residual sums ----------------------------------===//

#ifndef PARTITA_ANALYSIS_RESIDUALS_H
#define PARTITA_ANALYSIS_RESIDUALS_H

#include "partita/Analysis/Rooms.h"
#include "partita/Propagate/Topology.h"

namespace partita::analysis {

/// For each op, 1 if it is a residual sum. That is, in the forward pass, x + f(x), where f ends in a contraction
/// (perhaps moved, cast, biased or masked), x has other uses too, and no residual sum is between x and f; or the sum of
/// two such branches if it has several uses. The sums between the blocks of a network are residual sums. Sums inside an
/// activation function, biases (also those that all layers add to attention scores) and masks are not.
IdVector<OpId, uint8_t> findResiduals(const Topology &topology);

} // namespace partita::analysis

#endif
