//===- PlanSearch.h - from a program and a machine to tactics -------------===//
//
// The entry point of the search, a list of calls:
//
//   prepare     folds repeated layers, builds the moves       PreparedSearch.h
//   search      the stages                                    Search.h
//   simplify    drops moves that gain next to nothing         Simplification.h
//   choose      the simulation, among the best plans          TimelineChoice.h
//   describe    as tactics on the whole program, in words     PlanDescription.h
//   compare     with seeds, runners-up and slower links       PlanDescription.h
//   bound       a lower bound of the time of all plans        Bound/Bound.h
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_PLANSEARCH_H
#define PARTITA_SEARCH_PLANSEARCH_H

#include "partita/Search/PlanDescription.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// The found plan, what it was compared with, and how it was found.
/// The cost of a state, on the program that was searched.
struct EvaluatedCost {
  int64_t timePs = 0, peakBytes = 0;
};

struct FoundTactics : PlanDescription, PlanComparison {
  /// A lower bound of the time of all plans; 0 if unknown, as after an interruption.
  int64_t lowerBoundPs = 0;
  /// What ops take at least, so that no plan is faster, whatever becomes of its collectives; 0 if unknown.
  int64_t leastComputePs = 0;
  int64_t budget = 0, numEvaluations = 0;
  /// Every state, in the order of evaluation.
  std::vector<EvaluatedCost> evaluated;
  /// The best state, then some of those that no other one beats in both time and memory, whether they fit or not: the
  /// fastest first.
  std::vector<CarriedPlan> front;
  /// What was evaluated, as a section of answers.txt (SearchAnswers.h).
  std::string answers;
  /// The stage that found it (Search.h), or `timeline` if the simulation preferred another plan; empty for other
  /// methods.
  std::string winnerStage;
  /// Wall time from the first state to the last.
  double searchSeconds = 0;
  StopReason stopReason = StopReason::Finished;
  bool isComplete = true;
  size_t numOps = 0, numSearchedOps = 0, numGroups = 0, numMoves = 0;
};

/// Fails only if the given tactics fail, or if it is interrupted before anything was evaluated (Interrupted).
Result<FoundTactics> findTactics(const PlanRequest &request);

} // namespace partita::search

#endif
