//===- PreparedSearch.h - a request as a space that can be searched -------===//

#ifndef PARTITA_SEARCH_PREPAREDSEARCH_H
#define PARTITA_SEARCH_PREPAREDSEARCH_H

#include "partita/Search/PlanRequest.h"
#include "partita/Search/PlanSpace.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/TacticsOfMoves.h"

namespace partita::search {

/// Everything that one search works on. Parts refer to each other, so it stays where it was made; the request is
/// referred to.
struct PreparedSearch {
  /// `base` has the given tactics applied, and comes back as it was.
  PreparedSearch(const PlanRequest &request, const FoldedProgram &program, CellNames cellNames, Assignment &base);
  PreparedSearch(const PreparedSearch &) = delete;
  PreparedSearch &operator=(const PreparedSearch &) = delete;

  const PlanRequest &request;
  /// What is searched: the folded program, or the whole one.
  const FoldedProgram &program;
  CellNames names;
  CostModel model;
  /// What walkers tell each other.
  mutable SharedPrices shared;
  mutable MoveMemory memory;
  MoveTable table;
  PlanSpace space;
  /// Moves as tactics on the whole program.
  TacticsOfMoves tactics;
};

/// Chooses the program to search, applies what is given and builds the moves. An error is one of the given tactics.
Result<std::unique_ptr<PreparedSearch>> prepareSearch(const PlanRequest &request);

} // namespace partita::search

#endif
