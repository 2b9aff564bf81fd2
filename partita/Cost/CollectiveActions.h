//===- CollectiveActions.h - how the collectives of a plan run ------------===//
//
// Behind a search, collectives may become programs of steps (ReductionChoice.h),
// run in pieces beside products (PieceChoice.h) or in other iterations of their
// loops (RotationChoice.h). Each is done where it makes a step faster.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COLLECTIVEACTIONS_H
#define PARTITA_COST_COLLECTIVEACTIONS_H

#include "partita/Cost/ReductionChoice.h"

namespace partita::cost {

/// What may be done.
struct CollectiveActions {
  bool reductions = false, pieces = false, rotation = false;

  bool hasAny() const { return reductions || pieces || rotation; }
};

/// A plan whose collectives run otherwise. No bound is known for such a plan.
struct ActedPlan {
  PlanPtr plan;
  PricePtr price;
};

/// The plan of `price` with what makes it faster; nothing if nothing does.
std::optional<ActedPlan> chooseCollectiveActions(const Price &price, const CollectiveActions &allowed,
                                                 const ReductionSetting &setting);

} // namespace partita::cost

#endif
