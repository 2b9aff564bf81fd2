//===- BoundCells.h - the values that a bound looks at --------------------===//
//
// On many axes an edge of the bound's problem has hundreds of thousands of pairs
// of shardings. Where a program has too many of them, some values are left out:
// their reshards then cost nothing, so the bound is lower, but still one.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_BOUNDCELLS_H
#define PARTITA_SEARCH_BOUND_BOUNDCELLS_H

#include "partita/Search/Bound/Bound.h"
#include "partita/Search/Bound/BoundStates.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// Marks the cells to leave out, so that the others have at most BoundOptions::mostPairs. Keeps those that may move
/// most bytes for each pair. `lists` are the states of the ops.
IdVector<CellId, uint8_t> chooseLeftOut(const CostModel &model, const IdVector<OpId, BoundStates> &lists,
                                        const BoundOptions &options);

} // namespace partita::search

#endif
