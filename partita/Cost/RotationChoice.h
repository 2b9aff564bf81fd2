//===- RotationChoice.h - which collectives of a plan are rotated ---------===//
//
// After a plan is found, the collectives of its loops are priced as rotated: of
// each loop the gathers that XLA joins to its first batch, or all that can be
// (LoopRotation.h), and the reductions that end its iterations
// (CarriedReductions.h). What is fastest, loop by loop, is done if the step becomes
// faster by 1% and still fits.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_ROTATIONCHOICE_H
#define PARTITA_COST_ROTATIONCHOICE_H

#include "partita/Cost/Price.h"

namespace partita::cost {

/// The plan of `price`, in which nothing is rotated, with what is faster so; null if nothing is.
PlanPtr chooseRotated(const Price &price);

} // namespace partita::cost

#endif
