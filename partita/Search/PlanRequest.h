//===- PlanRequest.h - what a search is asked for -------------------------===//

#ifndef PARTITA_SEARCH_PLANREQUEST_H
#define PARTITA_SEARCH_PLANREQUEST_H

#include "partita/Analysis/Analysis.h"
#include "partita/Cost/CostOptions.h"
#include "partita/Cost/ExistingCollectives.h"
#include "partita/Machine/Placement.h"
#include "partita/Schedule/Schedule.h"
#include "partita/Search/Goal.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/SearchOptions.h"
#include "partita/Search/StateEvaluator.h"

namespace partita::search {

/// A state that was evaluated, for those who watch the search.
struct EvaluatedState {
  /// Which one, counted from 1, and of how many at most.
  int64_t number = 0, budget = 0;
  /// Its moves in words, if it is better than all before it or all are watched.
  std::vector<std::string> words;
  Rating rating;
  /// Better than all before it.
  bool isBest = false;
};

struct PlanRequest {
  /// Of the whole program.
  const Analysis &analysis;
  const Axes &axes;
  const Machine &machine;
  const Placement &placement;
  CostOptions cost;
  SearchOptions search;
  /// Applied before; without automatic tactics.
  Schedule given;
  /// Axes, or parts of axes, that may be used; empty: all.
  std::vector<std::string> searchedAxes;
  std::vector<Goal> goals;
  /// Deadline and interruption.
  StateEvaluatorOptions clocks;
  /// Called in order with every state, if it is there.
  std::function<void(const EvaluatedState &)> onState;
  /// Whether states that are not the best so far are wanted with their words.
  bool watchesAll = false;
  /// The program's own collectives. If they are known and time is what is searched for, the timeline of the whole
  /// program chooses among the best plans and seeds.
  std::optional<llvm::ArrayRef<ExistingCollective>> existing;
};

} // namespace partita::search

#endif
