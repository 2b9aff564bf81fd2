//===- PlacementChoice.h - a plan on other levels of its machine ----------===//
//
// A plan and its local program do not depend on where the mesh lies; its time
// does. All placements of the mesh are compared by the time of the plan's
// collectives, and the best few are priced as a whole. One that cuts levels into
// more parts has to be faster by 1%.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_PLACEMENTCHOICE_H
#define PARTITA_COST_PLACEMENTCHOICE_H

#include "partita/Cost/Price.h"

namespace partita::cost {

/// The plan of `price` on another placement.
PricePtr priceElsewhere(const Price &price, Placement placement);

/// The price where the plan is fastest; null if no placement is faster than that of `price` by more than 1%, or if the
/// plan would not fit there.
PricePtr findBetterPlacement(const Price &price);

} // namespace partita::cost

#endif
