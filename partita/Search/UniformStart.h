//===- UniformStart.h - whether what is given treats layers alike ---------===//
//
// Shardings that stand in the program and tactics before a search may name single
// layers. A folded program can be searched in place of the whole one if, from
// where the search starts, nothing tells those apart that one layer stands for.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_UNIFORMSTART_H
#define PARTITA_SEARCH_UNIFORMSTART_H

#include "partita/Analysis/Folding.h"
#include "partita/Propagate/Axes.h"
#include "partita/Schedule/Schedule.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// Applies `given`, and the program's own shardings, to the whole and to the folded program. Whether both can be, and
/// every op and cell of the folded one is then split, pinned, closed and chosen as all of those are that it stands for.
bool isUniformStart(const Topology &whole, const Folding &folding, const Axes &axes, const Schedule &given);

} // namespace partita::search

#endif
