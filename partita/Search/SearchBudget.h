//===- SearchBudget.h - how long a search may be --------------------------===//
//
// The number of states and of threads of a search that does not say them: by the
// size of the program and of its space.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SEARCHBUDGET_H
#define PARTITA_SEARCH_SEARCHBUDGET_H

#include "partita/Search/PlanSpace.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/SearchOptions.h"

namespace partita::search {

/// The number of states that a search may evaluate: as the options say, or by the number of moves and of ops. The
/// space's program may be a folded one; `numWholeOps` counts those of the whole program.
int64_t chooseBudget(const SearchOptions &options, const Space &space, size_t numWholeOps);
int64_t chooseBudget(const SearchOptions &options, const PlanSpace &space);
/// As the options say, or one for each processor.
int64_t chooseThreads(const SearchOptions &options);

} // namespace partita::search

#endif
