//===- ReshardDescriptions.h - what a transfer is and why it is there -----===//

#ifndef PARTITA_DRIVER_RESHARDDESCRIPTIONS_H
#define PARTITA_DRIVER_RESHARDDESCRIPTIONS_H

#include "partita/Cost/Transfers.h"
#include "partita/Driver/Planning.h"
#include "partita/Report/Score.h"

namespace partita {

/// One entry for each transfer, in their order; without times.
std::vector<ScoreReshard> describeReshards(const Planning &planning, const Transfers &transfers,
                                           const ReshardPlanner &planner);

} // namespace partita

#endif
