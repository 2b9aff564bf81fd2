//===- PreparedSearch.h - a search problem built from a request -----------===//
//
// Holds what is built before the first state is evaluated: the program to
// search (folded if possible), its cost model, the moves and the space over
// them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_PREPAREDSEARCH_H
#define PARTITA_SEARCH_PREPAREDSEARCH_H

#include "partita/Search/PlanRequest.h"
#include "partita/Search/PlanSpace.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/TacticsOfMoves.h"

namespace partita::search {

/// Everything that one search works on. Its members refer to each other and to the request, so it is never moved.
struct PreparedSearch {
  /// `base` has the given tactics applied; it is changed temporarily and restored.
  PreparedSearch(const PlanRequest &request, const FoldedProgram &program, CellNames cellNames, Assignment &base);
  PreparedSearch(const PreparedSearch &) = delete;
  PreparedSearch &operator=(const PreparedSearch &) = delete;

  const PlanRequest &request;
  /// The searched program: folded, or the whole one.
  const FoldedProgram &program;
  CellNames names;
  CostModel model;
  /// Prices and outcomes of moves that walkers share.
  mutable SharedPrices shared;
  mutable MoveMemory memory;
  MoveTable table;
  PlanSpace space;
  /// Moves as tactics on the whole program.
  TacticsOfMoves tactics;
};

/// Chooses the program to search, applies the given tactics and builds the moves. Fails only if the given tactics do.
Result<std::unique_ptr<PreparedSearch>> prepareSearch(const PlanRequest &request);

} // namespace partita::search

#endif
