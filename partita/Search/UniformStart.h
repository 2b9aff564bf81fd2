//===- UniformStart.h - whether given tactics treat layers alike ----------===//
//
// Shardings in the program and tactics before a search may name single layers.
// The folded program can be searched in place of the whole one if, at the start
// of the search, nothing distinguishes the layers that one layer represents.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_UNIFORMSTART_H
#define PARTITA_SEARCH_UNIFORMSTART_H

#include "partita/Analysis/Folding.h"
#include "partita/Propagate/Axes.h"
#include "partita/Schedule/Schedule.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// Applies `given` and the program's own shardings to the whole and to the folded program. Returns whether both succeed
/// and every op and cell of the folded program is then split, pinned, closed and chosen like all those that it
/// represents.
bool isUniformStart(const Topology &whole, const Folding &folding, const Axes &axes, const Schedule &given);

} // namespace partita::search

#endif
