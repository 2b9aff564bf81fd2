//===- FoldingCheck.h - prices of the folded and the whole program --------===//
//
// A list of moves on the folded program must cost exactly what its tactics cost
// on the whole program, and the timeline that is unfolded from it must be that of
// the whole one. This checks it on random lists (bench-search --check-folding).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_FOLDINGCHECK_H
#define PARTITA_SEARCH_FOLDINGCHECK_H

#include "partita/Search/PlanRequest.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// Compares the cost of random lists of moves on the folded program with the cost of their tactics on the whole one.
struct FoldingCheck {
  size_t numOps = 0, numSearchedOps = 0;
  int64_t numLists = 0, numDifferent = 0;
  /// The moves and the costs of the first list that differs.
  std::string words;
  Cost folded, whole;
  /// By how much an unfolded timeline differs from that of the whole program, in millionths; how many there are not.
  int64_t worstTimelinePpm = 0, numWithoutTimeline = 0;
};

/// Prices `numLists` lists on both. Fails only if the given tactics do.
Result<FoldingCheck> checkFolding(const PlanRequest &request, int64_t numLists);

} // namespace partita::search

#endif
