//===- ReshardCause.h - why a reshard is needed ---------------------------===//

#ifndef PARTITA_COST_RESHARDCAUSE_H
#define PARTITA_COST_RESHARDCAUSE_H

#include "partita/Cost/Reshards.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

enum class ReshardCause : uint8_t {
  /// Partial results are combined.
  Combine,
  /// Uses of an argument, a loop's or a branch's result require another sharding.
  Uses,
  /// The op after it requires another sharding.
  NeededByOp,
  /// The op before it gives another sharding than its cell has, or than all uses require.
  GivenByOp,
};

/// The only function that derives a cause. `steps` is the reshard's plan.
ReshardCause findCause(const Reshard &reshard, const ReshardPlan &steps);

} // namespace partita::cost

#endif
