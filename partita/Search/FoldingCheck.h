//===- FoldingCheck.h - the folded program against the whole one ----------===//

#ifndef PARTITA_SEARCH_FOLDINGCHECK_H
#define PARTITA_SEARCH_FOLDINGCHECK_H

#include "partita/Search/PlanRequest.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// What the folded program says of lists of moves drawn at random, and what the whole one says of their tactics.
struct FoldingCheck {
  size_t numOps = 0, numSearchedOps = 0;
  int64_t numLists = 0, numDifferent = 0;
  /// Of the first list that differs.
  std::string words;
  Cost folded, whole;
};

/// Prices `numLists` lists on both. An error is one of the given tactics.
Result<FoldingCheck> checkFolding(const PlanRequest &request, int64_t numLists);

} // namespace partita::search

#endif
