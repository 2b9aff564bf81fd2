//===- PieceChoice.h - which products of a plan run in pieces -------------===//
//
// After a plan is found, each gather and scatter that compute waits for, and that
// may run in pieces beside products (ProductPieces.h), is priced in both ways.
// Those that gain run in pieces, largest gain first, if the step becomes faster
// by 1% and still fits.
//
// A gain is that of the reshard and its products alone (PiecePrice.h): products
// below their efficient size lose more than the collective takes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_PIECECHOICE_H
#define PARTITA_COST_PIECECHOICE_H

#include "partita/Cost/Price.h"

namespace partita::cost {

/// The plan of `price`, which has nothing in pieces, with what is faster so; null if nothing is.
PlanPtr choosePieces(const Price &price);

} // namespace partita::cost

#endif
