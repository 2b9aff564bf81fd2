//===- ReshardIssue.h - what a host takes to issue a reshard --------------===//
//
// Where a host issues op by op, a collective takes it longer the more devices
// there are in the group.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_RESHARDISSUE_H
#define PARTITA_COST_RESHARDISSUE_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// The other devices of the groups of a plan's collectives, added up.
inline int64_t countPeers(const CostModel &model, const ReshardPlan &plan) {
  int64_t peers = 0;
  for (const ReshardStep &step : plan.steps) {
    if (step.kind == CollectiveKind::AllSlice)
      continue;
    int64_t devices = 1;
    for (AxisId axis : step.axes)
      devices *= model.getAxes()[axis].size;
    peers += devices - 1;
  }
  return peers;
}

/// Without collectives, that of one op.
inline int64_t computeIssuePs(const CostModel &model, const ReshardPlan &plan) {
  int64_t peerPs = model.getMachine().device.issuePeerPs.value;
  int64_t morePs = peerPs > 0 ? multiplySaturated(peerPs, countPeers(model, plan)) : 0;
  return std::min(maxTimePs, model.getIssuePs() + morePs);
}

} // namespace partita::cost

#endif
