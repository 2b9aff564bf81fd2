//===- SearchBudget.h - how long a search may be --------------------------===//
//
// The number of states and of threads of a search that does not say them: by the
// size of the program and of its space.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SEARCHBUDGET_H
#define PARTITA_SEARCH_SEARCHBUDGET_H

#include "partita/Search/Rooms.h"
#include "partita/Search/SearchOptions.h"
#include "partita/Search/Space.h"

namespace partita::search {

/// The number of states that a search may evaluate: as the options say, or by the number of moves.
int64_t chooseBudget(const SearchOptions &options, const Space &space);
/// As the options say, or one for each processor.
int64_t chooseThreads(const SearchOptions &options);

} // namespace partita::search

#endif
