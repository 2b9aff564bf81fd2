//===- UniformStart.h - whether tactics treat layers alike ----------------===//
//
// Shardings in the program and tactics before a search may name single layers.
// The folded program can be searched in place of the whole one if, at the start
// of the search, nothing distinguishes the layers that one layer represents.
//
// Tactics that the search finds name all layers, but may still split them by
// turns: of matrices with nothing but functions between them, the columns of
// the first give the rows of the second. Of such plans the folded program has
// the wrong price.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_UNIFORMSTART_H
#define PARTITA_SEARCH_UNIFORMSTART_H

#include "partita/Analysis/Folding.h"
#include "partita/Propagate/Assignment.h"
#include "partita/Propagate/Axes.h"
#include "partita/Schedule/Schedule.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// Applies `given` and the program's own shardings to the whole and to the folded program. Returns whether both succeed
/// and every op and cell of the folded program is then split, pinned, closed and chosen like all those that it
/// represents.
bool isUniformStart(const Topology &whole, const Folding &folding, const Axes &axes, const Schedule &given);

/// Whether every op of the whole program is split like the one that represents it.
bool areLayersAlike(const Assignment &whole, const Assignment &folded, const Folding &folding);

} // namespace partita::search

#endif
