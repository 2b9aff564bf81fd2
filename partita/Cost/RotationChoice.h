//===- RotationChoice.h - which gathers of a plan are rotated -------------===//
//
// After a plan is found, the gathers of its loops are priced as rotated
// (LoopRotation.h): of each loop those that XLA joins to its first batch, and all
// that can be. What is fastest, loop by loop, is done if the step becomes faster
// by 1% and still fits.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_ROTATIONCHOICE_H
#define PARTITA_COST_ROTATIONCHOICE_H

#include "partita/Cost/Price.h"

namespace partita::cost {

/// The plan of `price`, in which no gather is rotated, with what is faster so; null if nothing is.
PlanPtr chooseRotated(const Price &price);

} // namespace partita::cost

#endif
