//===- Search.h - from a space of partitionings to the best found ---------===//
//
// Stages, one after the other. A stage is a list of steps, each of which may
// spend a share of the evaluations that are left when it begins:
//
//   stage        share  steps
//   start        all    the empty list
//   seeds        all    what experts would write; none with --no-seeds    Seeds.h
//   alone        all    every move alone, of at most a third of the budget
//   greedy       0.2    for each weight of what is missing to fit, from "time
//                       alone" to "fit above all": greedy completions of the
//                       empty list, of early moves and of the best seed  Greedy.h
//   partial      0.3    completions of the best list without one axis    Greedy.h
//   refine       0.5    for each of three starts that differ: quick sweeps, then
//                       sweeps in parts                              Refinement.h
//   tree         0.3    tree search from the root and the best lists TreeSearch.h
//   second       0.3    for each of three lists that differ, those that came of
//                       the starts first: quick sweeps               Refinement.h
//   final        all    rounds of thorough sweeps and repairs of the best list
//                       and of tree search with half of what is left, until a
//                       round finds nothing better                   Refinement.h
//
// A stage reads what earlier ones left and works without it: any of them can be
// left out. A stage begins only while budget, deadline and user allow it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SEARCH_H
#define PARTITA_SEARCH_SEARCH_H

#include "partita/Search/PlanSpace.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/SearchOptions.h"
#include "partita/Search/Seeds.h"

namespace partita::search {

struct SearchOutcome {
  /// Absent if the search ended before it had evaluated anything.
  std::optional<Found> best;
  /// Other states, the best first.
  std::vector<Found> others;
  std::vector<Seed> seeds;
  /// What was asked for, or chosen.
  int64_t budget = 0;
  int64_t numEvaluations = 0;
  StopReason stopReason = StopReason::Finished;

  /// Whether the search came to its own end, or to that of its budget; not so if a clock or a signal ended it.
  bool isComplete() const { return stopReason == StopReason::Finished || stopReason == StopReason::Budget; }
};

/// The states that a search may evaluate: what the options say, or as many as the moves need.
int64_t chooseBudget(const SearchOptions &options, const Space &space);
/// What was asked for, or one for each processor.
int64_t chooseThreads(const SearchOptions &options);

/// Runs the stages, or the baseline that the options name in their place. `clocks` are the deadline, the interruption
/// and what is called for each state; budget and threads are the options'.
SearchOutcome runSearch(const PlanSpace &space, const SearchOptions &options, StateEvaluatorOptions clocks);

} // namespace partita::search

#endif
