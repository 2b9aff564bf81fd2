//===- PlanSearch.h - from a program and a machine to tactics -------------===//
//
// The search as others call it, a list of calls:
//
//   prepare     folds what repeats, builds the moves          PreparedSearch.h
//   search      the stages                                    Search.h
//   simplify    leaves moves out that gain next to nothing    Simplification.h
//   choose      the simulation, among the best plans          TimelineChoice.h
//   describe    as tactics on the whole program, in words     PlanDescription.h
//   compare     with seeds, runners-up and slower links       PlanDescription.h
//   bound       what no plan is faster than                   Bound.h
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_PLANSEARCH_H
#define PARTITA_SEARCH_PLANSEARCH_H

#include "partita/Search/PlanDescription.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// The found plan: what it is, what it was held against, and how it was found.
struct FoundTactics : PlanDescription, PlanComparison {
  /// No plan is faster; 0 if nothing is known, as after an interruption.
  int64_t lowerBoundPs = 0;
  int64_t budget = 0, numEvaluations = 0;
  /// From the first state to the last, by the clock.
  double searchSeconds = 0;
  StopReason stopReason = StopReason::Finished;
  bool isComplete = true;
  size_t numOps = 0, numSearchedOps = 0, numGroups = 0, numMoves = 0;
};

/// An error of the given tactics is an error; a search never fails, but if nothing was evaluated before it was
/// interrupted, that is one (Interrupted).
Result<FoundTactics> findTactics(const PlanRequest &request);

} // namespace partita::search

#endif
