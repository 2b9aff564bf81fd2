//===- ReshardCause.cpp - why a reshard is needed -------------------------===//

#include "partita/Cost/ReshardCause.h"

namespace partita::cost {

ReshardCause findCause(const Reshard &reshard, const ReshardPlan &steps) {
  if (steps.from.partial != steps.to.partial)
    return ReshardCause::Combine;
  if (!reshard.op.isValid())
    return ReshardCause::Uses;
  return reshard.position == ReshardPosition::BeforeUse ? ReshardCause::NeededByOp : ReshardCause::GivenByOp;
}

} // namespace partita::cost
