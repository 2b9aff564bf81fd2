//===- PlanRequest.h - the input of a search ------------------------------===//
//
// Program, mesh, machine and options enter the search here; FoundTactics
// (PlanSearch.h) leaves it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_PLANREQUEST_H
#define PARTITA_SEARCH_PLANREQUEST_H

#include "partita/Analysis/Analysis.h"
#include "partita/Cost/CostOptions.h"
#include "partita/Cost/ExistingCollectives.h"
#include "partita/Machine/Placement.h"
#include "partita/Schedule/Schedule.h"
#include "partita/Search/Goal.h"
#include "partita/Search/PlanFront.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/SearchOptions.h"
#include "partita/Search/StateEvaluator.h"

namespace partita::search {

/// An evaluated state, for observers of the search.
struct EvaluatedState {
  /// Its number, counted from 1, and the budget.
  int64_t number = 0, budget = 0;
  /// Its moves in words, if it is the best so far or if all are watched.
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
  /// Tactics that are applied before the search; none of them automatic.
  Schedule given;
  /// The axes or sub-axes that the search may use; empty: all.
  std::vector<std::string> searchedAxes;
  std::vector<Goal> goals;
  /// The deadline and the interruption; the search sets the rest.
  StateEvaluatorOptions evaluatorOptions;
  /// Called in order with every state; may be empty.
  std::function<void(const EvaluatedState &)> onState;
  /// Whether onState gets words also for states that are not the best so far.
  bool watchesAll = false;
  /// The program's existing collectives. If they are given and the goal is time, the timeline of the whole program
  /// chooses among the best plans and seeds.
  std::optional<llvm::ArrayRef<ExistingCollective>> existing;
  /// Plans of other programs to begin with, as far as their moves are moves of this one, too.
  std::vector<CarriedPlan> carried = {};
  /// Whether only the costs of plans are wanted: no words, no comparisons and no bound.
  bool isProbe = false;
};

} // namespace partita::search

#endif
